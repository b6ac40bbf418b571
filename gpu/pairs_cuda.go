//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"

	"skyjoin/internal/cuda"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

const (
	pairsThreads = 512 // at most, of a block
	pairsVector  = 2   // queries of a thread, but one with the naive tiling

	// maxPart bounds the points of a launch: a block has up to 1024 queries
	// and counts in 32 bits.
	maxPart = 1<<22 - 1
	// part is the size of parts where there are several (section 3.5).
	part = 1 << 20
	// leastPart keeps the blocks of a launch busy however little memory there is.
	leastPart = 1 << 10
)

// A pairsJob is a statistic of all pairs, ready to run on any number of cards.
type pairsJob struct {
	kind        pairsKind
	cfg         Pairs
	query, data *space.Space
	self        bool
	near        nearness
	usesNear    bool
	squared     []float64 // histograms
	low, high   []float32 // near edges, of bins that are not even
	table       lookup
	p           pairsParams // what does not change
	function    string      // the pair function
	open        bool        // its bins hold all pairs, from 0 on
	real        int         // bytes of a coordinate in a tile
}

// newPairsJob lowers the metric and chooses the pair function.
func newPairsJob(cfg Pairs, kind pairsKind, in neighbors.Input) (*pairsJob, error) {
	if err := cfg.check(kind); err != nil {
		return nil, err
	}
	if in.Query == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	j := &pairsJob{kind: kind, cfg: cfg, self: in.Data == nil}
	var err error
	if j.query, err = lower(in.Metric, in.Query); err != nil {
		return nil, err
	}
	j.data = j.query
	if !j.self {
		if in.Data.Dim() != in.Query.Dim() {
			return nil, fmt.Errorf("%w: %d columns and %d columns", neighbors.ErrRequest, in.Query.Dim(), in.Data.Dim())
		}
		if j.data, err = lower(in.Metric, in.Data); err != nil {
			return nil, err
		}
	}
	if j.wraps() && cfg.Output == OutputTwoPass {
		return nil, fmt.Errorf("%w: GPU output two-pass with the %v metric, it has kernels for open spaces only", neighbors.ErrRequest, in.Metric)
	}
	if d := j.query.Dim(); d > maxDim {
		return nil, fmt.Errorf("%w: %d dimensions, the GPU has kernels for up to %d", errors.ErrUnsupported, d, maxDim)
	}
	j.p.Dim = uint32(j.query.Dim())
	if !cfg.Unbalanced {
		j.p.Balanced = 1
	}
	for k := range maxDim {
		j.p.Side[k] = math.Inf(1)
		if j.wraps() && k < len(j.query.Side) && j.query.Side[k] > 0 {
			j.p.Side[k] = j.query.Side[k]
		}
	}
	return j, nil
}

func (j *pairsJob) wraps() bool { return j.query.Side != nil }

// empty reports whether there are no pairs.
func (j *pairsJob) empty() bool {
	n := j.query.Len()
	return n == 0 || j.data.Len() == 0 || j.self && n < 2
}

// sides returns the sides once each.
func (j *pairsJob) sides() []*space.Space {
	if j.self {
		return []*space.Space{j.query}
	}
	return []*space.Space{j.query, j.data}
}

// histogram sets the job up for thresholds on d².
func (j *pairsJob) histogram(squared []float64) {
	j.squared = squared
	j.p.Bins = uint32(len(squared) - 1)
	e := extentsOf(j.sides()...)
	near := newNearness(e, j.query.Side, unitScale(e, j.query.Side))
	switch b, even := newEvenBins(e, j.query.Side, squared); {
	case j.cfg.Float64 || !even && near.doubtful(squared):
		j.real = 8
		j.lookUp(upperBits(squared))
		j.finish("exact")
	case even:
		j.real, j.usesNear, j.near = 4, true, b.nearness
		j.p.Low, j.p.Top, j.p.Near = float32(b.low), float32(j.p.Bins)+1.5, float32(b.near)
		j.open = b.open && !j.wraps()
		j.finish("even")
	default:
		j.real, j.usesNear, j.near = 4, true, near
		j.low, j.high = near.nearEdges(squared)
		j.p.Near = 0.5
		j.lookUp(float32Bits(j.high))
		j.finish("bins")
	}
}

func (j *pairsJob) lookUp(bits []uint32) {
	j.table = newLookup(bits)
	j.p.FirstKey, j.p.LastKey, j.p.Shift = j.table.first, j.table.last, j.table.shift
}

// predicate sets the job up for d² <= squared.
func (j *pairsJob) predicate(squared float64) {
	j.p.Within = squared
	if j.cfg.Float64 {
		j.real = 8
		j.finish("exact")
		return
	}
	e := extentsOf(j.sides()...)
	j.near = newNearness(e, j.query.Side, unitScale(e, j.query.Side))
	within, doubt := j.near.nearWithin(squared)
	j.p.WithinNear, j.p.Near = within, -doubt
	j.real, j.usesNear = 4, true
	j.finish("near")
}

// finish scales the box.
func (j *pairsJob) finish(function string) {
	j.function = function
	for k := range maxDim {
		j.p.SideNear[k] = float32(j.p.Side[k] * j.near.scale)
	}
}

// special reports whether only the tiling reg-shm has a kernel for the job.
func (j *pairsJob) special() bool { return j.wraps() || j.cfg.Output == OutputTwoPass }

// tiling is the kernel's name of the tiling.
func (j *pairsJob) tiling() string {
	if j.special() {
		return "shm"
	}
	return tilingNames[j.cfg.Tiling]
}

// ownKernels says which dimensions have kernels of their own: the others take
// those of any number of columns.
var ownKernels = map[int]ownership{2: ownHistograms, 3: ownAll, 4: ownHistograms, 5: ownHistograms, 6: ownHistograms}

type ownership uint8

const (
	ownHistograms ownership = iota // by the default tiling and output
	ownAll
)

// name is the kernel for an output. Bins that are open at both ends are even
// ones, and have kernels for the fastest tiling and output only.
func (j *pairsJob) name(output string) string {
	function := j.function
	if j.open && output == "shared" && j.tiling() == "shm" {
		function = "open"
	}
	if j.wraps() {
		function += "_wrapped"
	}
	dim := j.query.Dim()
	if own, ok := ownKernels[dim]; !ok || own == ownHistograms && (output != "shared" || j.tiling() != "shm") {
		dim = 0
	}
	return fmt.Sprintf("pairs_%s_%s_%s_%d", j.tiling(), output, function, dim)
}

// BinPairs counts the pairs of all rows by thresholds on d²: for each i those
// with edges[i] <= d² < edges[i+1]. A nil in.Data is a self-join: each pair
// once, none of a row with itself. Errors wrap neighbors.ErrRequest,
// neighbors.ErrCoordinate or what package cuda gives.
func (j *Joiner) BinPairs(ctx context.Context, in neighbors.Input, edges []float64) ([]uint64, error) {
	return binPairs(ctx, []*Joiner{j}, in, edges)
}

// binPairs deals the pairs out among cards, whose configurations are one.
func binPairs(ctx context.Context, cards []*Joiner, in neighbors.Input, edges []float64) ([]uint64, error) {
	if err := checkSquaredEdges(edges); err != nil {
		return nil, err
	}
	cfg := cards[0].cfg.Pairs
	job, err := newPairsJob(cfg, pairsHistogram, in)
	if err != nil {
		return nil, err
	}
	counts := make([]uint64, len(edges)-1)
	if job.empty() {
		return counts, nil
	}
	if cfg == (Pairs{}) {
		if g := newGridBins(job, edges); g != nil {
			return binGrid(ctx, cards, g)
		}
	}
	used, first := edges, 1 // the counter of the first bin
	if edges[0] == 0 && len(edges) > 2 && !job.even(edges) {
		// What is below the second edge is in the first bin: the others may be even.
		used, first = edges[1:], 0
	}
	job.histogram(used)
	total, _, err := runPairs(ctx, cards, job)
	if err != nil {
		return nil, err
	}
	copy(counts, total[first:])
	return counts, nil
}

func (j *pairsJob) even(squared []float64) bool {
	_, ok := newEvenBins(extentsOf(j.sides()...), j.query.Side, squared)
	return ok
}

func checkSquaredEdges(edges []float64) error {
	if len(edges) < 2 {
		return fmt.Errorf("%w: %d bin edges, at least 2 are needed", neighbors.ErrRequest, len(edges))
	}
	if len(edges) > maxBins+1 {
		return fmt.Errorf("%w: %d bins, the GPU counts in up to %d", errors.ErrUnsupported, len(edges)-1, maxBins)
	}
	for i, e := range edges {
		if !(e >= 0) || math.IsInf(e, 1) || i > 0 && e < edges[i-1] {
			return fmt.Errorf("%w: squared bin edge %v, edges must be finite, not negative and ascend", neighbors.ErrRequest, e)
		}
	}
	return nil
}

const maxBins = 1 << 24

// CountPairs counts the pairs with d² <= squared.
func (j *Joiner) CountPairs(ctx context.Context, in neighbors.Input, squared float64) (uint64, error) {
	job, err := newPairsJob(j.cfg.Pairs, pairsCount, in)
	if err != nil || job.empty() {
		return 0, err
	}
	job.predicate(squared)
	total, _, err := runPairs(ctx, []*Joiner{j}, job)
	if err != nil {
		return 0, err
	}
	return total[1], nil
}

// ListPairs returns the pairs with d² <= squared in no order: the row of the
// query in the upper half, that of the data point in the lower, which in a
// self-join is the larger. They must fit memory.
func (j *Joiner) ListPairs(ctx context.Context, in neighbors.Input, squared float64) ([]uint64, error) {
	job, err := newPairsJob(j.cfg.Pairs, pairsList, in)
	if err != nil || job.empty() {
		return nil, err
	}
	job.predicate(squared)
	_, pairs, err := runPairs(ctx, []*Joiner{j}, job)
	return pairs, err
}

// threads chooses the size of blocks: all processors get some.
func (j *pairsJob) threads(queries int, d *cuda.Device) int {
	if j.cfg.Threads > 0 {
		return j.cfg.Threads
	}
	threads := pairsThreads
	for threads > 64 && ceilDiv(queries, threads*pairsVector) < d.Processors {
		threads /= 2
	}
	return threads
}
