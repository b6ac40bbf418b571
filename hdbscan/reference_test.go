package hdbscan

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// A reference is HDBSCAN* by definition: dense matrices, recursion, rational
// numbers. Nothing of it is shared with the package.
type reference struct {
	n       int
	core    []float64
	reach   [][]float64
	weight  []*big.Rat
	size    *big.Rat
	top     *node
	depthOf []int // in the spanning tree, from row 0
	splits  []split
	found   []*refCluster
	leaves  []float64 // height at which each row leaves
	of      []*refCluster
}

// A node is a component, and what it falls into.
type node struct {
	height float64
	kids   []*node
	rows   []int
}

type split struct {
	depth int
	of    *refCluster
}

type refCluster struct {
	id           int
	parent       *refCluster
	kids         []*refCluster
	birth, death float64
	rows         []int
	finite       *big.Rat
	infinite     *big.Rat
	taken        bool
}

func newReference(t *testing.T, tr trial, p *neighbors.Points, ties Ties, size float64) *reference {
	n := p.Len()
	plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p, Metric: tr.metric}, neighbors.Nearest{K: 1, Pad: true})
	if err != nil {
		t.Fatal(err)
	}
	r := &reference{n: n, core: make([]float64, n), size: new(big.Rat).SetFloat64(size), leaves: make([]float64, n), of: make([]*refCluster, n)}
	for i := range n {
		r.weight = append(r.weight, big.NewRat(1, 1))
		if tr.weights != nil {
			r.weight[i] = new(big.Rat).SetFloat64(tr.weights[i])
		}
	}
	distance := func(i, j int) float64 {
		if i == j {
			return 0
		}
		return plan.Distance(uint32(i), uint32(j))
	}
	least := new(big.Rat).SetFloat64(tr.m)
	for i := range n {
		near := make([]int, n)
		for j := range near {
			near[j] = j
		}
		slices.SortFunc(near, func(a, b int) int { return cmp.Compare(distance(i, a), distance(i, b)) })
		sum := new(big.Rat)
		for _, j := range near {
			if sum.Add(sum, r.weight[j]); sum.Cmp(least) >= 0 {
				r.core[i] = distance(i, j)
				break
			}
		}
	}
	for i := range n {
		r.reach = append(r.reach, make([]float64, n))
		for j := range n {
			r.reach[i][j] = max(r.core[i], r.core[j], distance(i, j)/tr.alpha)
		}
	}
	if n == 0 {
		return r
	}
	if ties == TiesSklearn {
		r.top = r.sklearn()
	} else {
		r.root()
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		r.top = r.together(rows)
	}
	root := &refCluster{birth: math.Inf(1)}
	r.found = []*refCluster{root}
	if len(r.top.kids) == 0 {
		r.leave(r.top, root, math.Inf(1))
	} else {
		r.walk(r.top, root, 0)
	}
	slices.SortStableFunc(r.splits, func(a, b split) int { return cmp.Compare(a.depth, b.depth) })
	for _, s := range r.splits {
		for _, k := range s.of.kids {
			k.id = len(r.found)
			r.found = append(r.found, k)
		}
	}
	for _, c := range r.found {
		r.worth(c)
	}
	return r
}

// root finds how deep rows are in the spanning tree in the order of
// (height, lower row, higher row).
func (r *reference) root() {
	type edge struct{ a, b int }
	r.depthOf = make([]int, r.n)
	in := []int{0}
	for len(in) < r.n {
		best := edge{-1, -1}
		for _, a := range in {
			for b := range r.n {
				if slices.Contains(in, b) {
					continue
				}
				e := edge{a, b}
				if best.a < 0 || cmp.Or(cmp.Compare(r.reach[a][b], r.reach[best.a][best.b]), cmp.Compare(min(a, b), min(best.a, best.b)), cmp.Compare(max(a, b), max(best.a, best.b))) < 0 {
					best = e
				}
			}
		}
		in = append(in, best.b)
		r.depthOf[best.b] = r.depthOf[best.a] + 1
	}
}

// entry returns the first of some connected rows on the way from row 0.
func (r *reference) entry(rows []int) int {
	return slices.MinFunc(rows, func(a, b int) int { return cmp.Compare(r.depthOf[a], r.depthOf[b]) })
}

// components returns the rows that edges below a height connect.
func (r *reference) components(rows []int, height float64) (all [][]int) {
	left := slices.Clone(rows)
	for len(left) > 0 {
		part := []int{left[0]}
		left = left[1:]
		for i := 0; i < len(part); i++ {
			left = slices.DeleteFunc(left, func(q int) bool {
				if r.reach[part[i]][q] < height {
					part = append(part, q)
					return true
				}
				return false
			})
		}
		slices.Sort(part)
		all = append(all, part)
	}
	return all
}

// together divides rows by removing all edges of the largest height that holds
// them together.
func (r *reference) together(rows []int) *node {
	n := &node{rows: rows}
	if len(rows) == 1 {
		return n
	}
	var heights []float64
	for _, a := range rows {
		for _, b := range rows {
			heights = append(heights, r.reach[a][b])
		}
	}
	slices.Sort(heights)
	heights = slices.Compact(heights)
	for _, h := range heights { // the least h whose edges connect all: just above it they are one
		if len(r.components(rows, math.Nextafter(h, math.Inf(1)))) == 1 {
			n.height = h
			break
		}
	}
	first := r.entry(rows)
	for _, part := range r.components(rows, n.height) {
		n.kids = append(n.kids, r.together(part))
	}
	slices.SortFunc(n.kids, func(a, b *node) int {
		switch {
		case slices.Contains(a.rows, first):
			return -1
		case slices.Contains(b.rows, first):
			return 1
		}
		return cmp.Compare(a.rows[0], b.rows[0])
	})
	return n
}

// sklearn merges two components at a time, as scikit-learn does: Prim's algorithm
// from row 0 on the dense matrix, a stable sort.
func (r *reference) sklearn() *node {
	least := slices.Repeat([]float64{math.Inf(1)}, r.n)
	in := make([]bool, r.n)
	type edge struct {
		a, b   int
		height float64
	}
	var edges []edge
	at := 0
	for range r.n - 1 {
		in[at] = true
		next := -1
		for j := range r.n {
			if in[j] {
				continue
			}
			least[j] = min(least[j], r.reach[at][j])
			if next < 0 || least[j] < least[next] {
				next = j
			}
		}
		edges = append(edges, edge{at, next, least[next]})
		at = next
	}
	slices.SortStableFunc(edges, func(x, y edge) int { return cmp.Compare(x.height, y.height) })
	of := make([]*node, r.n)
	for i := range of {
		of[i] = &node{rows: []int{i}}
	}
	for _, e := range edges {
		n := &node{height: e.height, kids: []*node{of[e.a], of[e.b]}, rows: slices.Concat(of[e.a].rows, of[e.b].rows)}
		for _, row := range n.rows {
			of[row] = n
		}
	}
	return of[0]
}

func (r *reference) weigh(rows []int) *big.Rat {
	sum := new(big.Rat)
	for _, i := range rows {
		sum.Add(sum, r.weight[i])
	}
	return sum
}

func (r *reference) leave(n *node, c *refCluster, height float64) {
	for _, row := range n.rows {
		r.leaves[row], r.of[row] = height, c
	}
	c.death = height
}

// walk condenses: depth is that in a tree of branches of two.
func (r *reference) walk(n *node, c *refCluster, depth int) {
	if len(n.kids) == 0 { // a row that is a cluster alone
		r.leave(n, c, r.core[n.rows[0]])
		return
	}
	var big []*node
	for _, k := range n.kids {
		if r.weigh(k.rows).Cmp(r.size) >= 0 && !math.IsInf(1/n.height, 1) {
			big = append(big, k)
		} else {
			r.leave(k, c, n.height)
			depth++
		}
	}
	c.death = n.height
	switch len(big) {
	case 0:
	case 1:
		r.walk(big[0], c, depth)
	default:
		r.splits = append(r.splits, split{depth, c})
		for _, k := range big {
			kid := &refCluster{parent: c, birth: n.height}
			c.kids = append(c.kids, kid)
			r.walk(k, kid, depth+1)
		}
	}
}

// under returns the rows of a cluster and all below it.
func (r *reference) under(c *refCluster) (rows []int) {
	for i, o := range r.of {
		for ; o != nil; o = o.parent {
			if o == c {
				rows = append(rows, i)
			}
		}
	}
	return rows
}

func (r *reference) worth(c *refCluster) {
	c.finite, c.infinite = new(big.Rat), new(big.Rat)
	c.rows = r.under(c)
	for _, i := range c.rows {
		height := r.leaves[i]
		if r.of[i] != c {
			height = c.death
		}
		if x := 1 / height; math.IsInf(x, 1) {
			c.infinite.Add(c.infinite, r.weight[i])
		} else {
			v := new(big.Rat).SetFloat64(x)
			c.finite.Add(c.finite, v.Mul(v, r.weight[i]))
		}
		v := new(big.Rat).SetFloat64(1 / c.birth)
		c.finite.Sub(c.finite, v.Mul(v, r.weight[i]))
	}
}

// choose takes clusters.
func (r *reference) choose(s Selection) {
	for _, c := range r.found {
		c.taken = false
	}
	root := r.found[0]
	mayRoot := s.SingleCluster && r.weigh(root.rows).Cmp(r.size) >= 0
	var best func(c *refCluster) (infinite, finite *big.Rat, taken []*refCluster)
	best = func(c *refCluster) (*big.Rat, *big.Rat, []*refCluster) {
		infinite, finite := new(big.Rat), new(big.Rat)
		var taken []*refCluster
		for _, k := range c.kids {
			i, f, below := best(k)
			infinite.Add(infinite, i)
			finite.Add(finite, f)
			taken = append(taken, below...)
		}
		switch below := cmp.Or(infinite.Cmp(c.infinite), finite.Cmp(c.finite)); {
		case c == root && !mayRoot, below > 0,
			s.MaxClusterSize > 0 && r.weigh(c.rows).Cmp(new(big.Rat).SetFloat64(s.MaxClusterSize)) > 0,
			s.EpsilonMax > 0 && c.birth > s.EpsilonMax:
			return infinite, finite, taken
		}
		return c.infinite, c.finite, []*refCluster{c}
	}
	var taken []*refCluster
	if s.Method == EOM {
		_, _, taken = best(root)
	} else {
		for _, c := range r.found[1:] {
			if len(c.kids) == 0 {
				taken = append(taken, c)
			}
		}
	}
	for _, c := range taken {
		for s.Epsilon > 0 && c.birth < s.Epsilon && (c.parent != root || mayRoot) {
			c = c.parent
		}
		c.taken = true
	}
}

// label returns labels and probabilities.
func (r *reference) label(s Selection) (labels []int32, probabilities []float64) {
	r.choose(s)
	labels, probabilities = make([]int32, r.n), make([]float64, r.n)
	number := map[*refCluster]int32{}
	for _, c := range r.found {
		if c.taken {
			number[c] = int32(len(number))
		}
	}
	for i, c := range r.of {
		labels[i] = Noise
		for ; c != nil && !c.taken; c = c.parent {
		}
		if c == nil {
			continue
		}
		limit := c.death
		if s.Epsilon > 0 {
			limit = s.Epsilon
		}
		if c == r.found[0] && r.leaves[i] > limit {
			continue
		}
		labels[i] = number[c]
		x, most := 1/r.leaves[i], 1/c.death
		probabilities[i] = min(x, most) / most
		if x >= most {
			probabilities[i] = 1
		}
	}
	return labels, probabilities
}

func (r *reference) outliers() []float64 {
	scores := make([]float64, r.n)
	for i, c := range r.of {
		x, most := 1/r.leaves[i], 0.0
		for _, o := range r.found {
			for up := o; up != nil; up = up.parent {
				if up == c {
					most = max(most, 1/o.death)
				}
			}
		}
		switch {
		case math.IsInf(x, 1):
		case math.IsInf(most, 1):
			scores[i] = 1
		case most > 0:
			scores[i] = (most - x) / most
		}
	}
	return scores
}
