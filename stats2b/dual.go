package stats2b

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"skyjoin/internal/column"
	"skyjoin/internal/exact"
	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/internal/used"
	"skyjoin/neighbors"
)

// pairLeaf is the number of points of a leaf, and smallNode the size of a node, by the
// reach, up to which its points are looked at together: kernels take the pairs of two
// such at a time.
const (
	pairLeaf  = 48
	smallNode = 1.1
)

// maxTurning is the number of periodic axes up to which all images of a tree are
// visited: 3 for each axis.
const maxTurning = 3

// A pairTrees counts the pairs of two trees, or of one in a self-join, by cell, image
// by image of a periodic box.
type pairTrees struct {
	shape       kernel.PairShape
	query, data *kdtree.Tree
	x, y        []float64 // weights of the points of both, those of queries in units
	self        bool
	reach       float64   // squares of interest are less: of rp if along is set
	along       float64   // π is less, along an axis
	rp, pi      float64   // the last edges, along the line to the middle
	small       []float64 // sides of a node whose points are looked at together
	shifts      [][]float64
	edges       []float64 // of d², if pairs of nodes that are in one bin count as a whole
}

// newPairTrees returns what counts the pairs of a plan; nil if that is left to the
// grid.
func newPairTrees(p *neighbors.Plan, shape kernel.PairShape, opt Options) *pairTrees {
	side := querySpace(p).Side
	turning := 0
	for _, l := range side {
		if l > 0 {
			turning++
		}
	}
	shape.Dim = querySpace(p).Dim()
	if turning > maxTurning || opt.Memory > 0 && treeMemory(p) > opt.Memory || !kernel.NewPairCounter(&shape).Vector() {
		return nil
	}
	s := &pairTrees{shape: shape, self: p.Self(), shifts: images(side, p.Self()), reach: shape.Reach()}
	s.small = slices.Repeat([]float64{smallNode * math.Sqrt(s.reach)}, shape.Dim)
	switch shape.Kind {
	case kernel.PairMiddle:
		s.rp, s.pi = math.Sqrt(shape.First.Last()), shape.Second.Last()
	case kernel.PairAxis:
		s.reach, s.along = shape.First.Last(), shape.Second.Last()
		s.small = []float64{smallNode * math.Sqrt(s.reach), smallNode * math.Sqrt(s.reach), smallNode * s.along}
		for i, shift := range s.shifts {
			s.shifts[i] = axisLast(shift, shape.Axis)
		}
	}
	return s
}

// shape returns how the pairs of a sorter are counted by trees.
func (s *sorter) shape(weighted bool) kernel.PairShape {
	shape := kernel.PairShape{First: s.first.bins, Second: s.second.bins, Axis: s.axis, Closed: s.closed, Weighted: weighted}
	switch {
	case s.plane == RpPi && s.axis >= 0:
		shape.Kind = kernel.PairAxis
	case s.plane == RpPi:
		shape.Kind = kernel.PairMiddle
	case s.plane == SMu && s.axis >= 0:
		shape.Kind = kernel.PairAxisMu
	case s.plane == SMu:
		shape.Kind = kernel.PairMiddleMu
	}
	return shape
}

// countTrees counts the pairs of a plan by trees, and reports whether it can.
func (t *Tally) countTrees(ctx context.Context, p *neighbors.Plan, sort *sorter, a, b *Sample, opt Options) (bool, error) {
	if t.patches > 0 || t.binning.distances() || !t.moderate() {
		return false, nil
	}
	s := newPairTrees(p, sort.shape(t.weights != nil), opt)
	if s == nil {
		return false, nil
	}
	return true, s.count(ctx, p, a, b, t.scale, opt, func(cell int, pairs uint64, sum exact.Sum, squares exact.Squares) {
		slot := sort.slot(cell)
		if slot < 0 {
			return
		}
		t.pairs[slot] += pairs
		if t.weights != nil {
			t.weights[slot].AddSum(sum)
			t.squares[slot].AddSquares(squares)
		}
	})
}

// slot returns the slot of a cell of a PairShape, -1 if it has none.
func (s *sorter) slot(cell int) int {
	if s.plane == NoPlane {
		if slot := cell - s.first.more; slot <= s.first.n {
			return slot
		}
		return -1
	}
	width := s.second.bins.Len() + 2
	i, j := cell/width-s.first.more-1, cell%width-s.second.more-1
	if uint(i) < uint(s.first.n) && uint(j) < uint(s.second.n) {
		return 1 + i*s.second.n + j
	}
	return -1
}

// moderate reports whether products of weights in their unit neither overflow nor
// lose bits.
func (t *Tally) moderate() bool {
	other := t.a
	if t.b != nil {
		other = t.b
	}
	for _, all := range [][]mass{t.a, other} {
		if e := all[0].of.Exponent(); e < -500 || e > 400 {
			return false
		}
	}
	return true
}

// images returns the shifts to the images of a box, one half of them in a self-join,
// where the other half has the same pairs. That of no shift is nil and comes first.
func images(side []float64, self bool) [][]float64 {
	all := [][]float64{make([]float64, len(side))}
	for c, l := range side {
		if l > 0 {
			for _, shift := range all {
				for _, turn := range []float64{l, -l} {
					next := append([]float64(nil), shift...)
					next[c] = turn
					all = append(all, next)
				}
			}
		}
	}
	kept := all[:1]
	for _, shift := range all[1:] {
		first := 0
		for shift[first] == 0 {
			first++
		}
		if !self || shift[first] > 0 {
			kept = append(kept, shift)
		}
	}
	kept[0] = nil
	return kept
}

// axisLast returns what there is for each coordinate with that of the line of sight
// at the end.
func axisLast[T any](of []T, axis int) []T {
	if of == nil {
		return nil
	}
	return append(append(append([]T(nil), of[:axis]...), of[axis+1:]...), of[axis])
}

// count counts the pairs of a plan.
func (s *pairTrees) count(ctx context.Context, p *neighbors.Plan, a, b *Sample, scale exact.Scale, opt Options, add func(cell int, pairs uint64, sum exact.Sum, squares exact.Squares)) error {
	used.Note(ctx, "kdtree", kernel.Best().Name)
	threads := par.Threads(opt.Threads)
	var err error
	if s.query, err = s.build(ctx, querySpace(p).Columns, threads); err != nil {
		return err
	}
	s.data = s.query
	if s.self {
		b = a
	} else if s.data, err = s.build(ctx, dataSpace(p).Columns, threads); err != nil {
		return err
	}
	if s.shape.Weighted {
		s.x, s.y = inOrder(a, s.query, -scale.Exponent()), inOrder(b, s.data, 0)
	}
	// Tasks are pairs of nodes of levels with some hundred pairs, image by image.
	i, j := levelNodes(s.query, threads), levelNodes(s.data, threads)
	each := len(i) * len(j)
	tasks := len(s.shifts) * each
	var next, done atomic.Int64
	workers := make([]*pairVisitor, threads)
	par.Chunks(threads, threads, func(w, _, _ int) {
		v := &pairVisitor{pairTrees: s, counter: kernel.NewPairCounter(&s.shape)}
		if s.edges != nil {
			v.whole = make([]uint64, len(s.edges)-1)
		}
		workers[w] = v
		for ctx.Err() == nil {
			k := int(next.Add(1)) - 1
			if k >= tasks {
				return
			}
			v.shift = s.shifts[k/each]
			if i, j := i[k%each/len(j)], j[k%each%len(j)]; !s.self || v.shift != nil || i <= j {
				v.visit(ctx, i, j)
			}
			if d := done.Add(1); opt.Progress != nil {
				opt.Progress(d*int64(s.query.Points.N)/int64(tasks), int64(s.query.Points.N))
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, v := range workers {
		v.counter.Take(add)
		for k, n := range v.whole {
			add(k+1, n, exact.Sum{}, exact.Squares{})
		}
	}
	return nil
}

// build makes the tree of a side, with the line of sight as the last coordinate.
func (s *pairTrees) build(ctx context.Context, columns []column.Column, threads int) (*kdtree.Tree, error) {
	if s.shape.Kind == kernel.PairAxis {
		columns = axisLast(columns, s.shape.Axis)
	}
	return kdtree.Build(ctx, columns, pairLeaf, threads)
}

// inOrder returns the weights of a sample in the order of a tree, times a power of
// two.
func inOrder(s *Sample, t *kdtree.Tree, exponent int) []float64 {
	w := make([]float64, t.Points.N+kernel.Slack)
	for i, row := range t.Rows() {
		w[i] = 1
		if s.Weights != nil {
			w[i] = s.Weights[row]
		}
		w[i] = math.Ldexp(w[i], exponent)
	}
	return w
}

// A pairVisitor counts the pairs of one goroutine.
type pairVisitor struct {
	*pairTrees
	counter *kernel.PairCounter
	shift   []float64 // of the image at hand; nil: none
	whole   []uint64  // pairs of nodes that are in one bin
}

// visit counts the pairs of two nodes, each once, even if the nodes are the same.
func (v *pairVisitor) visit(ctx context.Context, i, j int) {
	own := v.self && v.shift == nil && i == j
	if !own && !v.near(i, j) {
		return
	}
	lo, hi := v.query.Span(i)
	from, to := v.data.Span(j)
	if v.whole != nil && v.inOne(i, j, own, uint64(hi-lo), uint64(to-from)) {
		return
	}
	leafI, leafJ := v.together(v.query, i), v.together(v.data, j)
	switch {
	case leafI && leafJ:
		q, d := side(v.query, i, v.x), side(v.data, j, v.y)
		if own {
			v.counter.Own(q, d)
			return
		}
		v.counter.Count(q, d, v.shift)
	case own:
		v.visit(ctx, 2*i+1, 2*i+1)
		v.visit(ctx, 2*i+1, 2*i+2)
		v.visit(ctx, 2*i+2, 2*i+2)
	case ctx.Err() != nil:
	case leafJ || !leafI && hi-lo >= to-from:
		v.visit(ctx, 2*i+1, j)
		v.visit(ctx, 2*i+2, j)
	default:
		v.visit(ctx, i, 2*j+1)
		v.visit(ctx, i, 2*j+2)
	}
}

// together reports whether the points of a node are looked at together: they are few,
// and the node is so small that its parts would not have much fewer partners.
func (v *pairVisitor) together(t *kdtree.Tree, node int) bool {
	if node >= 1<<t.Levels()-1 {
		return true
	}
	if lo, hi := t.Span(node); hi-lo > kernel.MostTile {
		return false
	}
	least, most := t.Box(node)
	for c := range least {
		if most[c]-least[c] > v.small[c] {
			return false
		}
	}
	return true
}

func side(t *kdtree.Tree, node int, weights []float64) kernel.PairSide {
	lo, hi := t.Span(node)
	s := kernel.PairSide{Points: &t.Points, Weights: weights, Lo: int(lo), Hi: int(hi)}
	s.Least, s.Most = t.Box(node)
	return s
}

// near reports whether two nodes may have a pair of interest. As in the kernels, the
// bound is made by the operations of pairs themselves.
func (v *pairVisitor) near(i, j int) bool {
	aLeast, aMost := v.query.Box(i)
	bLeast, bMost := v.data.Box(j)
	bLeast, bMost = bLeast[:len(aLeast)], bMost[:len(aLeast)]
	across := len(aLeast)
	if v.shape.Kind == kernel.PairAxis {
		across = 2
	}
	var sum float64
	for c := range aLeast {
		below, above := aLeast[c]-bMost[c], bLeast[c]-aMost[c]
		if v.shift != nil {
			below, above = below+v.shift[c], above-v.shift[c]
		}
		gap := max(below, above, 0)
		if c == across {
			return gap < v.along && sum < v.reach
		}
		sum += float64(gap * gap)
	}
	return sum < v.reach && (v.shape.Kind != kernel.PairMiddle || v.nearAlong(aLeast, aMost, bLeast, bMost))
}

// nearAlong reports whether points x and y of two boxes may have rp and π in the bins.
// s = x-y and l = x+y lie within h of those of the middles of the boxes, s0 and l0, by
// coordinate, and the direction of l within e/|l0| of that of l0, e = |h|. rp and π
// are then at least those of s0 along l0, less what h is in their directions, and
// less |s| times that angle.
func (v *pairVisitor) nearAlong(aLeast, aMost, bLeast, bMost []float64) bool {
	var s, l, h [3]float64
	var e, length, dot float64
	for c := range 3 {
		a, b := aLeast[c]/2+aMost[c]/2, bLeast[c]/2+bMost[c]/2
		s[c], l[c] = a-b, a+b
		h[c] = aMost[c]/2 - aLeast[c]/2 + (bMost[c]/2 - bLeast[c]/2)
		e += h[c] * h[c]
		length += l[c] * l[c]
		dot += s[c] * l[c]
	}
	e, length = math.Sqrt(e), math.Sqrt(length)
	if !(e < length/4) {
		return true // any direction
	}
	pi := dot / length
	var beside float64
	for c := range 3 {
		l[c] /= length
		s[c] -= pi * l[c]
		beside += s[c] * s[c]
	}
	beside, pi = math.Sqrt(beside), math.Abs(pi)
	far := math.Sqrt(v.reach)
	slack := 1.1*far*e/length + 1e-12*(length+far+e)
	rp := beside - slack
	pi -= slack
	for c := range 3 {
		rp -= math.Abs(h[c] * s[c] / beside)
		pi -= math.Abs(h[c] * l[c])
	}
	return !(rp > v.rp || pi > v.pi)
}

// inOne counts the pairs of two nodes if they are all in one bin.
func (v *pairVisitor) inOne(i, j int, own bool, queries, points uint64) bool {
	aLeast, aMost := v.query.Box(i)
	bLeast, bMost := v.data.Box(j)
	var least, most float64
	for c := range aLeast {
		lo, hi := aLeast[c]-bMost[c], aMost[c]-bLeast[c]
		if v.shift != nil {
			lo, hi = lo+v.shift[c], hi+v.shift[c]
		}
		near, far := max(lo, -hi, 0), max(hi, -lo)
		least, most = least+float64(near*near), most+float64(far*far)
	}
	k := binOf(v.edges, least)
	if k != binOf(v.edges, most) {
		return false
	}
	if k < len(v.whole) {
		n := queries * points
		if own {
			n = queries * (queries - 1) / 2
		}
		v.whole[k] += n
	}
	return true
}
