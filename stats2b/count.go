package stats2b

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/exact"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/internal/used"
	"skyjoin/neighbors"
)

// Count counts the pairs of a by distance, or those of a row of a with a row
// of b. Errors wrap neighbors.ErrRequest, ErrCoordinate or ErrMemory.
func Count(ctx context.Context, a, b *Sample, metric neighbors.Metric, bins Bins, opt Options) (*Counts, error) {
	t, err := CountPatches(ctx, a, b, metric, Binning{Bins: bins}, 0, opt)
	if err != nil {
		return nil, err
	}
	return t.Counts(), nil
}

// CountPatches counts the pairs of a, or of a with b, by cell of the binning
// and by patch, if there are patches. Errors wrap neighbors.ErrRequest,
// ErrCoordinate or ErrMemory.
func CountPatches(ctx context.Context, a, b *Sample, metric neighbors.Metric, binning Binning, patches int, opt Options) (*Tally, error) {
	t := &Tally{binning: binning, self: b == nil, patches: patches}
	if err := t.weigh(a, b); err != nil {
		return nil, err
	}
	if err := binning.check(metric, a.Points.Dim()); err != nil {
		return nil, err
	}
	if n := float64(t.groups()) * float64(t.groups()) * float64(t.slots()); n > maxSlots {
		return nil, fmt.Errorf("%w: %d patches with %d bins, there can be %d", neighbors.ErrRequest, patches, t.slots()-1,
			int(math.Sqrt(maxSlots/float64(t.slots()))))
	}
	weighted := weighted(a, b)
	if ByDistance(a, b, binning, patches) {
		pairs, err := countPlain(ctx, a, b, metric, binning.Bins, opt)
		t.pairs = pairs
		return t, err
	}
	if !weighted && binning.Plane == NoPlane && !binning.distances() {
		return t, t.countPatched(ctx, a, b, metric, opt)
	}
	p, err := planOf(ctx, a, b, metric, &binning, opt)
	if err != nil {
		return nil, err
	}
	n := t.groups() * t.groups() * t.slots()
	t.pairs = make([]uint64, n)
	if weighted {
		t.weights, t.squares = make([]exact.Sum, n), make([]exact.Squares, t.slots())
	}
	if binning.Means {
		t.separations = make([]exact.Sum, n)
	}
	if binning.WeightedMeans {
		if t.moments, err = newMoments(&binning, a, b, n); err != nil {
			return nil, err
		}
	}
	sort, err := newSorter(&binning, metric, querySpace(p).Side)
	if err != nil || p.Len() == 0 || p.DataLen() == 0 {
		return t, err
	}
	if done, err := t.countTrees(ctx, p, sort, a, b, opt); done {
		return t, err
	}
	s := newSweep(p, opt)
	query := newRows(a, s.query, patches)
	data := query
	if b != nil {
		data = newRows(b, s.data, patches)
	}
	visitors, err := s.run(ctx, par.Threads(opt.Threads), func() visitor { return newTallier(s, t, sort, query, data) })
	if err != nil {
		return nil, err
	}
	for _, v := range visitors {
		v := v.(*tallier)
		for i, k := range v.pairs {
			t.pairs[i] += k
		}
		for i, w := range v.weights {
			t.weights[i].AddSum(w)
		}
		for i, q := range v.squares {
			t.squares[i].AddSquares(q)
		}
		for i, r := range v.separations {
			t.separations[i].AddSum(r)
		}
		t.moments.add(v.moments)
	}
	return t, nil
}

// countPatched counts pairs by distance and patch.
func (t *Tally) countPatched(ctx context.Context, a, b *Sample, metric neighbors.Metric, opt Options) error {
	a = a.byPatch()
	if b != nil {
		b = b.byPatch()
	}
	p, err := planOf(ctx, a, b, metric, &t.binning, opt)
	if err != nil {
		return err
	}
	t.pairs = make([]uint64, t.groups()*t.groups()*t.slots())
	squared, err := t.binning.Bins.Squared(metric)
	if err != nil || p.Len() == 0 || p.DataLen() == 0 {
		return err
	}
	edges, _ := fromZero(squared)
	table, err := kernel.NewBins(edges)
	if err != nil {
		return err
	}
	s := newSweep(p, opt)
	query := newSegments(a, s.query)
	data := query
	if b != nil {
		data = newSegments(b, s.data)
	}
	visitors, err := s.run(ctx, par.Threads(opt.Threads), func() visitor { return newPatchCounter(t, newPlainCounter(s, table, edges), query, data) })
	if err != nil {
		return err
	}
	for _, v := range visitors {
		v := v.(*patchCounter)
		v.take()
		for i, n := range v.slots {
			t.pairs[i] += n
		}
	}
	return nil
}

// ByDistance reports whether only the numbers of pairs by distance are wanted, so
// that a Binner can count them.
func ByDistance(a, b *Sample, binning Binning, patches int) bool {
	return patches == 0 && !weighted(a, b) && binning.Plane == NoPlane && !binning.distances()
}

// planOf returns the join that finds all pairs below the last edges. In a periodic
// box rp and π must be at most half of the sides along which they are measured, but
// the distance may be larger.
func planOf(ctx context.Context, a, b *Sample, metric neighbors.Metric, binning *Binning, opt Options) (*neighbors.Plan, error) {
	in, reach := input(a, b, metric, opt), binning.Reach()
	if binning.Plane == RpPi {
		p, err := prepareFar(ctx, in, reach)
		if err == nil {
			err = binning.inHalf(querySpace(p).Side)
		}
		return p, err
	}
	if metric.IsAngle() {
		reach = min(reach, math.Pi)
	}
	return neighbors.Prepare(ctx, in, neighbors.Within{Radius: reach})
}

func input(a, b *Sample, metric neighbors.Metric, opt Options) neighbors.Input {
	in := neighbors.Input{Query: a.Points, Metric: metric, Threads: opt.Threads, Memory: opt.Memory}
	if b != nil {
		in.Data = b.Points
	}
	return in
}

// countPlain counts pairs without weights or patches, in bins of distance. The first
// count is that of the pairs below the first edge.
func countPlain(ctx context.Context, a, b *Sample, metric neighbors.Metric, bins Bins, opt Options) ([]uint64, error) {
	squared, err := bins.Squared(metric)
	if err != nil {
		return nil, err
	}
	edges, more := fromZero(squared)
	counts, err := countEdges(ctx, a, b, metric, bins, edges, opt)
	if more == 0 && err == nil {
		counts = append([]uint64{0}, counts...)
	}
	return counts, err
}

// countEdges counts the pairs between squared edges: 0 first, then those of the
// bins.
func countEdges(ctx context.Context, a, b *Sample, metric neighbors.Metric, bins Bins, edges []float64, opt Options) ([]uint64, error) {
	if f, ok := opt.Joiner.(Binner); ok {
		counts, err := f.BinPairs(ctx, input(a, b, metric, opt), edges)
		if err == nil && len(counts) != len(edges)-1 {
			err = fmt.Errorf("%d counts for %d bins", len(counts), len(edges)-1)
		}
		return counts, err
	}
	p, err := planOf(ctx, a, b, metric, &Binning{Bins: bins}, opt)
	if err != nil {
		return nil, err
	}
	if p.Len() == 0 || p.DataLen() == 0 {
		return make([]uint64, len(edges)-1), nil
	}
	table, err := kernel.NewBins(edges)
	if err != nil {
		return nil, err
	}
	if unpruned(p) && (opt.Memory <= 0 || treeMemory(p) <= opt.Memory) {
		used.Note(ctx, "kdtree", kernel.Best().Name)
		return countTree(ctx, p, table, edges, opt)
	}
	if p.Periodic() {
		if trees := newPairTrees(p, kernel.PairShape{First: table}, opt); trees != nil {
			trees.edges = edges
			sum := make([]uint64, len(edges)-1)
			return sum, trees.count(ctx, p, a, b, exact.Scale{}, opt, func(cell int, pairs uint64, _ exact.Sum, _ exact.Squares) {
				if cell <= len(sum) {
					sum[cell-1] += pairs
				}
			})
		}
	}
	return countGrid(ctx, p, table, edges, opt)
}

// countGrid counts the pairs of neighbouring cells of the plan's grid.
func countGrid(ctx context.Context, p *neighbors.Plan, table *kernel.Bins, edges []float64, opt Options) ([]uint64, error) {
	s := newSweep(p, opt)
	visitors, err := s.run(ctx, par.Threads(opt.Threads), func() visitor { return newPlainCounter(s, table, edges) })
	if err != nil {
		return nil, err
	}
	sum := make([]uint64, len(edges)-1)
	for _, v := range visitors {
		v.(*plainCounter).addTo(sum)
	}
	return sum, nil
}
