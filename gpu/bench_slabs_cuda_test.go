//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"testing"
	"time"

	"skyjoin/hybrid"
	"skyjoin/internal/epsilon"
	"skyjoin/neighbors"
)

// planOf is the plan of the K nearest of published data.
func planOf(t *testing.T, c data, k int) *neighbors.Plan {
	t.Helper()
	var cols []neighbors.Column
	for _, f := range published(c.expo, c.dim, c.n, c.seed) {
		cols = append(cols, neighbors.Float64s(f.f64))
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return prepared(t, neighbors.Input{Query: p}, neighbors.Nearest{K: k})
}

// lists is the K nearest of every row, and how long they took.
func lists(t *testing.T, j neighbors.Joiner, p *neighbors.Plan) (took time.Duration, index []uint32, dist []float64) {
	t.Helper()
	k := p.Nearest().K
	index, dist = make([]uint32, p.Len()*k), make([]float64, p.Len()*k)
	start := time.Now()
	err := neighbors.Visit(context.Background(), j, p, p.Work(), func(_ int, b *neighbors.Batch) error {
		for i, r := range b.Rows {
			copy(index[int(r)*k:], b.List(i))
			copy(dist[int(r)*k:], b.Dists(i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return time.Since(start), index, dist
}

// differ returns how many places of two results do.
func differ[T comparable](a, b []T) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// The K nearest on a card that holds a part of the points only, beside all at
// once.
func TestPublishedSlabs(t *testing.T) {
	needCard(t)
	j := opened(t, Config{})
	for _, c := range []data{unif2D2M, expo2D2M, unif6D2M} {
		p := planOf(t, c, 8)
		lists(t, j, p)
		whole, index, dist := lists(t, j, p)
		fmt.Printf("slabs %-9s K 8: room for %d points; whole %v", c.name, j.Room(p), whole)
		for _, parts := range []int{2, 8} {
			took, i, d := lists(t, &hybrid.Joiner{GPUs: []neighbors.Joiner{roomLess{j, p.Len() / parts}}}, p)
			fmt.Printf("; of one in %d %v", parts, took)
			if n, m := differ(i, index), differ(d, dist); n+m > 0 {
				t.Errorf("%s, a room for one in %d: %d neighbours and %d distances differ", c.name, parts, n, m)
			}
		}
		fmt.Println()
	}
}

// The search as published, with its distance and what comes of it.
func TestPublishedDistance(t *testing.T) {
	needCard(t)
	own, err := Open(Config{Yield: true})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	linear, err := Open(Config{Linear: true, Yield: true})
	if err != nil {
		t.Fatal(err)
	}
	defer linear.Close()
	for _, c := range []struct {
		data
		k int
	}{{unif2D2M, 8}, {expo2D2M, 8}, {expo2D2M, 32}, {unif6D2M, 8}, {expo6D2M, 8}} {
		p := planOf(t, c.data, c.k)
		withRun(t, linear, p, func(r *nearestRun) error {
			if err := r.upload(); err != nil {
				return err
			}
			for range 2 {
				start := time.Now()
				e, err := r.epsilon()
				if err != nil {
					return err
				}
				fmt.Printf("distance %-9s K %-3d: as published %.4g in %v\n", c.name, c.k, e, time.Since(start))
			}
			return nil
		})
		if c.data == unif2D2M {
			e, _ := epsilon.Choose(p, c.k, epsilon.CPU{Pairs: p})
			withRun(t, linear, p, func(r *nearestRun) error {
				if got, err := r.epsilon(); err != nil || got != e {
					t.Errorf("%s: the card chooses %v (%v), the CPU %v", c.name, got, err, e)
				}
				return nil
			})
		}
		_, index, _ := lists(t, own, p)
		for _, h := range []*hybrid.Joiner{
			{GPUs: []neighbors.Joiner{linear}, CPU: neighbors.CPU{}, Partition: hybrid.Dynamic},
			{GPUs: []neighbors.Joiner{own}, CPU: neighbors.CPU{}, Partition: hybrid.Dynamic},
			{GPUs: []neighbors.Joiner{own}, CPU: neighbors.CPU{}},
			{GPUs: []neighbors.Joiner{own}},
		} {
			took, got, _ := lists(t, h, p)
			if n := differ(got, index); n > 0 {
				t.Errorf("%s: %d neighbours differ", c.name, n)
			}
			r := h.Report()
			fmt.Printf("distance %-9s K %-3d: %-8s published search %-5v %v, of %d rows failed %.3f, indexes again %d, imbalance %.3f; %s\n",
				c.name, c.k, r.Partition, h.GPUs[0] == neighbors.Joiner(linear), took, p.Len(), float64(r.Failed)/float64(p.Len()), r.Reindexed, r.Imbalance, r.Why)
		}
	}
}
