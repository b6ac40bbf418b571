package jointest

import (
	"context"
	"fmt"
	"slices"

	"skyjoin/neighbors"
)

// lengths are at or near those of lists at which joiners change their algorithm.
var lengths = []int{32, 33, 64, 65, 288, 383, 384, 385, 512, 513, 1023, 2048, 3071, 3072, 3073, 4096}

// RandomLong checks long lists of nearest neighbours: of a few rows among a few
// thousand, in a join of two catalogs and in a self-join.
func RandomLong(t Failer, seed uint64, j neighbors.Joiner) {
	t.Helper()
	g := newGenerator(seed)
	k := lengths[g.IntN(len(lengths))]
	n := k + []int{0, 1, 2, 30, k}[g.IntN(5)]
	c := g.request(0, n)
	for len(c.radii) == 0 { // the coordinates are not legal
		c = g.request(0, n)
	}
	rows := []uint32{0, uint32(n / 2), uint32(n - 1)}
	for j, v := range c.data {
		for _, row := range rows {
			c.query[j] = append(c.query[j], v[row])
		}
	}
	t = asked{t, fmt.Sprintf("%T%+v, %v", j, j, &Request{test: c})}
	c.supports = func(*neighbors.Plan) bool { return true }
	ref := newReference(c)
	q := neighbors.Nearest{K: k, Pad: n <= k}
	checkK(t, j, c, ref, q)

	in := neighbors.Input{Query: c.points(c.data), Metric: c.metric}
	p, err := neighbors.Prepare(context.Background(), in, q)
	if err != nil {
		t.Fatalf("Prepare %+v: %v", q, err)
	}
	lists := gatherAll(t, j, p, neighbors.NewWork(slices.Clone(rows), nil))
	for i, row := range rows {
		order := slices.DeleteFunc(slices.Clone(ref.nearest(i)), func(other uint32) bool { return other == row })
		nearestList(t, int(row), lists[row], order, k, func(other uint32) float64 { return p.Distance(row, other) })
	}
}
