//go:build cuda && linux

package gpu

import (
	"context"
	"slices"
	"sync"
	"testing"

	"skyjoin/hybrid"
	"skyjoin/neighbors"
)

// A late CPU takes no rows before the GPU has delivered its first batch.
type late struct {
	neighbors.CPU
	begin chan struct{}
}

func (l late) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(int, *neighbors.Batch) error) error {
	select {
	case <-l.begin:
	case <-ctx.Done():
	}
	return l.CPU.Visit(ctx, p, work, visit)
}

// HEGJOIN as published, LBJOIN beside NEW-SUPER-EGO: every stream of the GPU does a
// batch of about as many neighbours as were asked for by one launch, and both sides
// together find what the CPU finds.
func TestHegjoin(t *testing.T) {
	points := publishedPoints(t, data{dim: 2, n: 1200, seed: 20, expo: true})
	plan := func() *neighbors.Plan {
		return prepared(t, neighbors.Input{Query: points}, neighbors.Within{Radius: .006})
	}
	want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, plan(), 0)
	if err != nil {
		t.Fatal(err)
	}
	all := len(want.Index)
	for _, part := range []hybrid.Partition{hybrid.Dynamic, hybrid.ByRows, hybrid.ByCandidates} {
		for _, batch := range []int{all / 12, all} {
			card := opened(t, Config{Pattern: PatternFull, Order: OrderWorkQueue, Batch: batch})
			cpu := late{neighbors.CPU{Threads: 1, Algorithm: neighbors.NewSuperEGO}, make(chan struct{})}
			var once sync.Once
			var batches []hybrid.Event
			h := &hybrid.Joiner{CPU: cpu, GPUs: []neighbors.Joiner{card}, Partition: part, Share: .5, Batch: batch, Trace: func(e hybrid.Event) {
				if e.Device != "cpu" {
					batches = append(batches, e)
					once.Do(func() { close(cpu.begin) })
				}
			}}
			got, err := neighbors.Collect(context.Background(), h, plan(), 0)
			if err != nil || !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Offset, want.Offset) {
				t.Errorf("%s: other neighbours than on the CPU, error %v", part, err)
			}
			if l := card.Launched(); l.Pattern != PatternFull || l.Order != OrderWorkQueue || l.Threads != 1 {
				t.Errorf("%s: launched %+v", part, l)
			}
			gpu := h.Report().Sides[0]
			most, least := 0, all/6
			if part != hybrid.Dynamic {
				least = int(gpu.Neighbours)/3 + 1
			}
			for _, e := range batches {
				most = max(most, e.Neighbours)
			}
			if room := min(batch, least); most > room*3/2 {
				t.Errorf("%s: a batch of %d neighbours, about %d were asked for", part, most, room)
			}
			if gpu.Batches > len(batches) || gpu.Batches*2 < len(batches) {
				t.Errorf("%s: %d batches were handed out to streams, %d launched", part, gpu.Batches, len(batches))
			}
			if part != hybrid.Dynamic && len(batches) < 3 {
				t.Errorf("%s: %d batches for 3 streams", part, len(batches))
			}
		}
	}
}
