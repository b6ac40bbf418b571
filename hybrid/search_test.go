package hybrid

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"skyjoin/internal/epsilon"
	"skyjoin/neighbors"
)

// A linearSearch is what HYBRIDKNN-JOIN does on a GPU, by brute force: queries
// with fewer than K neighbours within a distance fail, and it grows by half of
// what it was first where more than a quarter do.
type linearSearch struct {
	plan          *neighbors.Plan
	least, within float64
}

// found returns the rows that do not fail, and gives those that do back while
// others can do them.
func (l *linearSearch) found(p *neighbors.Plan, rows []uint32, work sideWork) []uint32 {
	if l.plan != p {
		least, err := epsilon.Choose(p, p.Nearest().K, epsilon.CPU{Pairs: p, Threads: 1})
		if err != nil {
			panic(err) // the CPU never fails
		}
		*l = linearSearch{p, least, least}
	}
	if !work.Shared() {
		return rows
	}
	var done, failed []uint32
	for _, row := range rows {
		n := 0
		for d := range p.DataLen() {
			if (!p.Self() || uint32(d) != row) && p.SquaredDistance(row, uint32(d)) <= l.within*l.within {
				n++
			}
		}
		if n >= p.Nearest().K {
			done = append(done, row)
		} else {
			failed = append(failed, row)
		}
	}
	if 4*len(failed) > len(rows) {
		l.within += l.least / 2
	}
	work.Put(failed)
	return done
}

// Queries that fail in the published search go to the CPU, and are told of.
func TestFailedQueriesAreDoneByTheCPU(t *testing.T) {
	g := rand.New(rand.NewPCG(9, 9))
	v := func() neighbors.Column {
		x := make([]float64, 3000)
		for i := range x {
			x[i] = g.ExpFloat64()
		}
		return neighbors.Float64s(x)
	}
	points, err := neighbors.NewPoints(v(), v())
	if err != nil {
		t.Fatal(err)
	}
	p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points}, neighbors.Nearest{K: 6})
	if err != nil {
		t.Fatal(err)
	}
	want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	gpu := &standIn{CPU: neighbors.CPU{Threads: 1}, searches: true}
	slow := &standIn{CPU: neighbors.CPU{Threads: 1}, slow: time.Millisecond} // so that it leaves rows to the GPU
	j := &Joiner{CPU: slow, GPUs: []neighbors.Joiner{gpu}, Partition: Dynamic, all: true}
	got, err := neighbors.Collect(context.Background(), j, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist, want.Dist) {
		t.Error("other neighbours than on the CPU alone")
	}
	r := j.Report()
	if r.Failed == 0 || r.Sides[0].Rows == 0 || r.Sides[0].Rows+r.Sides[1].Rows != int64(p.Len()) {
		t.Errorf("%d queries failed, %d rows by the GPU and %d by the CPU", r.Failed, r.Sides[0].Rows, r.Sides[1].Rows)
	}
	if !(gpu.search.least > 0) || gpu.search.within < gpu.search.least {
		t.Errorf("the distance was %v first and %v last", gpu.search.least, gpu.search.within)
	}
}
