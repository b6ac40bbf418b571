//go:build cuda && linux

package gpu

import (
	"context"
	"testing"

	"skyjoin/neighbors"
)

// Joins on the GPU, which has an index of its own, do not wait for the plan's.
func TestPlanIndexIsNotBuilt(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	p := clumpPlan(t, 500)
	predicted := p.Memory()
	if _, err := neighbors.Collect(context.Background(), j, p, 0); err != nil {
		t.Fatal(err)
	}
	if err := neighbors.InOrder(context.Background(), j, p, neighbors.Order{Entries: 1000}, func(*neighbors.Batch) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := j.Cluster(context.Background(), p, 3, false, make([]int32, p.Len()), make([]bool, p.Len()), nil, nil); err != nil {
		t.Fatal(err)
	}
	if p.Memory() != predicted {
		t.Error("the index of the plan was built for the GPU")
	}
	if err := neighbors.Index(context.Background(), neighbors.CPU{}, p); err != nil || p.Memory() == predicted {
		t.Errorf("the index that the CPU built takes the %d bytes that were predicted: this test cannot tell whether it is there; %v", predicted, err)
	}
}
