package hybrid

import (
	"context"
	"errors"
	"testing"

	"skyjoin/neighbors"
)

// What a device has counted of a slab before it fails is not lost: nobody else
// gets these rows.
func TestCountsBeforeAFailureStay(t *testing.T) {
	p := plan(t, cloud(t, 500), neighbors.Within{Radius: 0.05})
	want := make([]int64, p.Len())
	if err := neighbors.Count(context.Background(), neighbors.CPU{}, p, p.Work(), want); err != nil {
		t.Fatal(err)
	}
	sides := joiner(Adaptive, 1, false, func(_ int, s *standIn) { s.room, s.misses, s.failAfter = 200, true, 1 }).sides()
	splitUp(p, sides)
	count, work := make([]int64, p.Len()), p.Work()
	if err := neighbors.Count(context.Background(), sides[0].joiner, p, work, count); !errors.Is(err, errDevice) {
		t.Fatalf("error %v, want %v", err, errDevice)
	}
	left := newBitmap(p.Len())
	rows := takeAll(work)
	left.fill(rows)
	if len(rows) == p.Len() {
		t.Fatal("nothing was counted")
	}
	for r, n := range want {
		if !left.has(uint32(r)) && count[r] != n {
			t.Errorf("row %d has %d neighbours, want %d", r, count[r], n)
		}
	}
}

// Where there is nothing to look for, it does not matter how much there is to be
// looked at.
func TestNoRowsBesideTooMany(t *testing.T) {
	for _, query := range []neighbors.Query{neighbors.Within{Radius: 0.1}, neighbors.Nearest{K: 1}} {
		none, err := neighbors.NewPoints(neighbors.Float64s(nil), neighbors.Float64s(nil))
		if err != nil {
			t.Fatal(err)
		}
		p, err := neighbors.Prepare(t.Context(), neighbors.Input{Query: none, Data: cloud(t, 500)}, query)
		if err != nil {
			t.Fatal(err)
		}
		j := joiner(Adaptive, 2, false, func(_ int, s *standIn) { s.room = 100 })
		if got, err := neighbors.Collect(t.Context(), j, p, 0); err != nil || len(got.Index) > 0 {
			t.Errorf("%T: %v, %v", query, got, err)
		}
	}
}
