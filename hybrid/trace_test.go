package hybrid

import (
	"context"
	"fmt"
	"testing"

	"skyjoin/neighbors"
)

// The events of a join, whether it lists or counts, have all rows once, those of
// each side as the report has them, and follow each other at each worker.
func TestTraceHasAllRows(t *testing.T) {
	p := plan(t, cloud(t, 20000), neighbors.Within{Radius: 0.01})
	for _, c := range []struct {
		gpus  int
		cpu   bool
		fails int
	}{{1, false, 0}, {2, false, 0}, {2, true, 0}, {2, true, 2}, {1, true, 1}} {
		for _, partition := range []Partition{Adaptive, Dynamic} {
			for _, counts := range []bool{true, false} {
				name := fmt.Sprintf("%+v %s counts %v", c, partition, counts)
				j := joiner(partition, c.gpus, c.cpu, func(_ int, s *standIn) { s.failAfter = c.fails })
				rows, last := map[string]int64{}, map[int]float64{}
				j.Trace = func(e Event) {
					rows[e.Device] += int64(e.Rows)
					if e.Rows == 0 || e.Start < last[e.Worker] || e.End < e.Start || e.Worker >= j.Workers() {
						t.Errorf("%s: %+v after %v", name, e, last[e.Worker])
					}
					last[e.Worker] = e.End
				}
				var err error
				if counts {
					err = j.Count(context.Background(), p, p.Work(), make([]int64, p.Len()))
				} else {
					err = j.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error { return nil })
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				all := int64(0)
				for _, s := range j.Report().Sides {
					if all += s.Rows; rows[s.Device] != s.Rows {
						t.Errorf("%s: events of %d rows of %s, the report has %d", name, rows[s.Device], s.Device, s.Rows)
					}
				}
				if all != int64(p.Len()) {
					t.Errorf("%s: %d rows, want %d", name, all, p.Len())
				}
			}
		}
	}
}
