//go:build cuda && linux

package gpu

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/cuda"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

const (
	pairsThreads = 512 // of a block, at most
	pairsVector  = 2   // queries of a thread; one with the naive tiling

	// maxPart bounds the points of a launch: a block has up to 1024 queries
	// and counts in 32 bits.
	maxPart = 1<<22 - 1
)

// tilingNames are the tilings in names of kernels.
var tilingNames = map[Tiling]string{
	TilingDefault: "shm", TilingShared: "shm", TilingNaive: "naive", TilingBoth: "both", TilingRoC: "roc", TilingShuffle: "shuffle",
}

// histogramOutputs are the places where histograms can be gathered, the default
// first.
var histogramOutputs = []Output{OutputLanes, OutputBlock, OutputGlobal}

// check validates the configuration. The error wraps neighbors.ErrRequest.
func (c Pairs) check() error {
	switch {
	case tilingNames[c.Tiling] == "":
		return fmt.Errorf("%w: GPU tiling %q, it must be naive, shm-shm, reg-shm, reg-roc or shuffle", neighbors.ErrRequest, c.Tiling)
	case c.Output != OutputDefault && !slices.Contains(histogramOutputs, c.Output):
		return fmt.Errorf("%w: GPU output %q, for a histogram it must be global, block or lanes", neighbors.ErrRequest, c.Output)
	case !slices.Contains([]int{0, 1, 2, 4, 8, 16, 32}, c.copies):
		return fmt.Errorf("%w: %d copies of the histogram, they must be 1, 2, 4, 8, 16 or 32", neighbors.ErrRequest, c.copies)
	case c.threads%32 != 0 || c.threads < 0 || c.threads > pairsThreads:
		return fmt.Errorf("%w: %d threads a block, they must be a multiple of 32 up to %d", neighbors.ErrRequest, c.threads, pairsThreads)
	case c.points < 0 || c.points > maxPart:
		return fmt.Errorf("%w: parts of %d points, they can be up to %d", neighbors.ErrRequest, c.points, maxPart)
	}
	return nil
}

// A pairsJob is a statistic of all pairs, ready to run on any number of cards.
type pairsJob struct {
	cfg         Pairs
	query, data *space.Space
	self        bool
	near        nearness
	usesNear    bool
	squared     []float64 // histograms
	low, high   []float32 // edges of the near kernels, of bins that are not even
	table       lookup
	p           pairsParams // what does not change
	function    string      // the pair function
	open        bool        // its bins hold all pairs, from 0 on
	real        int         // bytes of a coordinate in a tile
}

// newPairsJob lowers the metric and chooses the pair function.
func newPairsJob(cfg Pairs, in neighbors.Input) (*pairsJob, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if in.Query == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	j := &pairsJob{cfg: cfg, self: in.Data == nil}
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
	if d := j.query.Dim(); d > maxDim {
		return nil, fmt.Errorf("%w: %d dimensions, the GPU has kernels for up to %d", errors.ErrUnsupported, d, maxDim)
	}
	j.p.Dim = uint32(j.query.Dim())
	if !cfg.unbalanced {
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

// sides returns each side once.
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
	case j.cfg.float64 || !even && near.doubtful(squared):
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

// finish scales the box.
func (j *pairsJob) finish(function string) {
	j.function = function
	for k := range maxDim {
		j.p.SideNear[k] = float32(j.p.Side[k] * j.near.scale)
	}
}

// tiling returns the tiling as it is in names of kernels.
func (j *pairsJob) tiling() string { return tilingNames[j.cfg.Tiling] }

// ownKernels says which dimensions have kernels of their own; the others use those
// for any number of columns.
var ownKernels = map[int]ownership{2: ownHistograms, 3: ownAll, 4: ownHistograms, 5: ownHistograms, 6: ownHistograms}

type ownership uint8

const (
	ownHistograms ownership = iota // by the default tiling and output
	ownAll
)

// name returns the kernel for an output. Bins that are open at both ends are even
// ones, and have kernels only for the fastest tiling and output.
func (j *pairsJob) name(output string) string {
	function := j.function
	if j.open && output == "shared" && j.tiling() == "shm" {
		function = "open"
	}
	if j.wraps() {
		function += "_wrapped"
	}
	dim := j.query.Dim()
	other := j.tiling() != "shm"
	if own, ok := ownKernels[dim]; !ok || own == ownHistograms && (output != "shared" || other) || other && j.wraps() {
		dim = 0
	}
	return fmt.Sprintf("pairs_%s_%s_%s_%d", j.tiling(), output, function, dim)
}

func (j *pairsJob) even(squared []float64) bool {
	_, ok := newEvenBins(extentsOf(j.sides()...), j.query.Side, squared)
	return ok
}

// threads chooses the size of blocks such that all processors get some.
func (j *pairsJob) threads(queries int, d *cuda.Device) int {
	if j.cfg.threads > 0 {
		return j.cfg.threads
	}
	threads := pairsThreads
	for threads > 64 && ceilDiv(queries, threads*pairsVector) < d.Processors {
		threads /= 2
	}
	return threads
}
