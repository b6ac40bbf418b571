package neighbors_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"skyjoin/neighbors"
)

// skewed returns n points in the plane, most of them near the origin.
func skewed(t *testing.T, n int) *neighbors.Points {
	r := rand.New(rand.NewPCG(8, 1))
	cols := make([]neighbors.Column, 2)
	for j := range cols {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.ExpFloat64() / 40
		}
		cols[j] = neighbors.Float64s(v)
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Two joiners that take from the two ends of one deque do every row once, and
// find what one joiner finds.
func TestTwoJoinersShareADeque(t *testing.T) {
	p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: skewed(t, 20_000)}, neighbors.Within{Radius: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int64, p.Len())
	if err := (neighbors.CPU{}).Count(context.Background(), p, p.Work(), want); err != nil {
		t.Fatal(err)
	}
	for _, exact := range []bool{false, true} {
		d := dequeOf(p, indexOrder(p), exact)
		if d.Len() != p.Len() {
			t.Fatalf("%d rows of %d", d.Len(), p.Len())
		}
		got := make([]int64, p.Len())
		var wg sync.WaitGroup
		for work, j := range map[neighbors.Work]neighbors.CPU{
			d.Front(): {Threads: 1},
			d.Back():  {Threads: 2, Algorithm: neighbors.NewSuperEGO},
		} {
			wg.Go(func() {
				if err := j.Count(context.Background(), p, work, got); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if !slices.Equal(got, want) {
			t.Errorf("exact %v: counts differ", exact)
		}
	}
}

// The front has the most work, exactly or nearly.
func TestDequeIsOrderedByCost(t *testing.T) {
	p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: skewed(t, 5000)}, neighbors.Within{Radius: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		exact bool
		most  float64 // that a later row may have more than an earlier one
	}{{true, 1}, {false, 16}} {
		least := int64(1 << 62)
		for _, r := range dequeOf(p, indexOrder(p), c.exact).TakeFront(p.Len(), 0) {
			if cost := p.Cost(r); float64(cost) > c.most*float64(least) {
				t.Fatalf("exact %v: row %d of cost %d after one of %d", c.exact, r, cost, least)
			}
			least = min(least, p.Cost(r))
		}
	}
}

// Every algorithm finds the same on data large enough for its index to have
// depth, and what it says it looks at is no less than what it finds.
func TestAlgorithmsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	wide := make([]neighbors.Column, 6)
	for j := range wide {
		v := make([]float64, 1500)
		for i := range v {
			v[i] = 100 * r.Float64()
		}
		wide[j] = neighbors.Float64s(v)
	}
	six, err := neighbors.NewPoints(wide...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		points *neighbors.Points
		radius float64
		most   float64 // of all pairs that an index may leave
	}{{skewed(t, 4000), 1e-3, .2}, {six, 30, 1}} {
		p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: c.points}, neighbors.Within{Radius: c.radius})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int64, p.Len())
		pairs := int64(0)
		for _, a := range []neighbors.Algorithm{neighbors.Scan, neighbors.Grid, neighbors.SuperEGO, neighbors.NewSuperEGO, neighbors.RTree, neighbors.KDTree} {
			j := neighbors.CPU{Threads: 2, Algorithm: a}
			got := make([]int64, p.Len())
			if err := j.Count(context.Background(), p, p.Work(), got); err != nil {
				t.Fatal(err)
			}
			if a == neighbors.Scan {
				copy(want, got)
				for _, n := range want {
					pairs += n
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s counts otherwise than brute force", a)
			}
			tested, err := j.Candidates(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			all := int64(p.Len()) * int64(p.Len())
			if least := pairs + int64(p.Len()); tested < least || a == neighbors.Scan && tested != all || a != neighbors.Scan && float64(tested) > c.most*float64(all) {
				t.Errorf("%s looks at %d of %d pairs, %d of which are near", a, tested, all, least)
			}
		}
	}
}
