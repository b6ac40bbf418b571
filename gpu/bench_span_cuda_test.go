//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"skyjoin/hdbscan"
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// What the tree of HDBSCAN takes, part by part, and host to host, beside ArborX (14.6 ms
// for 2M Expo2D and 123 ms for 10M Unif3D on an H200, of float32 and the nearest neighbour
// alone): milliseconds. The CPU's tree is the same; SKYJOIN_SPAN_CPU=no spares its time.
func TestPublishedSpan(t *testing.T) {
	needCard(t)
	j := opened(t, Config{})
	for _, c := range []struct {
		name string
		expo bool
		dim  int
		n    int
		m    []int
	}{
		{"Expo2D2M", true, 2, 2_000_000, []int{10, 2}},
		{"Unif3D2M", false, 3, 2_000_000, []int{10, 2}},
		{"Unif3D10M", false, 3, 10_000_000, []int{10, 2}},
		{"Expo6D2M", true, 6, 2_000_000, []int{10}},
	} {
		points := knnPoints(t, c.expo, c.dim, c.n)
		for _, m := range c.m {
			k := max(8, m-1+max(4, (m-1)/3)) // as hdbscan asks
			p := prepared(t, neighbors.Input{Query: points}, neighbors.Nearest{K: k, Pad: true})
			withRun(t, j, p, func(r *nearestRun) error { return spanParts(r, fmt.Sprintf("%s m %d", c.name, m), m-1) })
			build := func(joiner neighbors.Joiner) (*hdbscan.Tree, float64) {
				start := time.Now()
				tree, err := hdbscan.Build(context.Background(), points, neighbors.Euclidean(), hdbscan.Options{MinSamples: float64(m), Joiner: joiner})
				if err != nil {
					t.Fatal(err)
				}
				return tree, time.Since(start).Seconds() * 1e3
			}
			build(j)
			tree, gpu := build(j)
			start := time.Now()
			condensed, err := tree.Condense(50)
			if err == nil {
				_, err = condensed.Select(hdbscan.Selection{})
			}
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("span %s m %d: tree and dendrogram %.0f ms host to host, clusters %.0f more\n", c.name, m, gpu, time.Since(start).Seconds()*1e3)
			if os.Getenv("SKYJOIN_SPAN_CPU") == "no" {
				continue
			}
			want, cpu := build(nil)
			if !slices.Equal(tree.Edges(), want.Edges()) || !slices.Equal(tree.CoreDistances(), want.CoreDistances()) {
				t.Errorf("%s, m %d: another tree than the CPU's", c.name, m)
			}
			fmt.Printf("span %s m %d: the same on the CPU %.0f ms, the same edges\n", c.name, m, cpu)
		}
	}
}

// spanParts prints what the parts take on the card.
func spanParts(r *nearestRun, name string, others int) error {
	s, st := r.session, r.session.stream
	for range 2 { // the first warms up
		s.release()
		r.tree, s.order = nil, nil
		q := begin(st)
		defer q.end()
		var sides [][]cuda.Buffer[float64]
		c := curve{step: layers(querySpace(r.p).Dim(), r.p.Nearest().K)}
		up := timed(q, func() { sides, c.extents = s.upload(q, &q.memory) })
		sorted := timed(q, func() {
			q.do(func() (err error) { s.query, err = c.sorted(&s.memory, sides[0]); return err })
		})
		s.data = s.query
		built := timed(q, func() { r.tree = newTree(q, &s.memory, s.query) })
		var f *forest
		near := timed(q, func() { f = newForest(q, r, others, 1) })
		var rounds []int
		grown := timed(q, func() { f.grow(context.Background(), func(edges int) { rounds = append(rounds, edges) }) })
		n := r.p.Len()
		rows, core, ends, heights := make([]uint32, n), make([]float64, n), make([][2]uint32, n-1), make([]float64, n-1)
		gathered := timed(q, func() { f.collect(rows, core, ends, heights) })
		if q.err != nil {
			return q.err
		}
		fmt.Printf("span %s: upload %.1f, curve %.1f, boxes %.1f, cores and lists %.1f, rounds %.1f %d, edges sorted and copied %.1f ms\n", name, up, sorted, built, near, grown, rounds, gathered)
	}
	return nil
}
