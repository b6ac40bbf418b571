//go:build !purego

package kernel

import (
	"math"
	"unsafe"

	"skyjoin/internal/exact"
)

// lanes are a number for each lane.
type lanes [8]float64

// tileArgs is what the kernels of tiles read; the generator checks the layout.
type tileArgs struct {
	q, d              *float64
	nq, n             int
	buffer            *float64
	found             int
	shifted, weighted int // 0: no
	points            *float64
	stride            int // in bytes
	weights           *float64
	out               *float64
	table, table2     *uint64
	shift, shift2     uint
	firstKey          uint64
	firstKey2         uint64
	cells             *uint32
	width             int
	rest              int
	mode              int
	axis, pad         int

	shifts, least, most             [MaxDim]lanes
	reach, low, last, low2, last2   lanes
	top2, across, shrink, rp        lanes
	magnitude, unit, square, centre lanes
	one                             lanes
}

// A pairVector counts pairs with vector code.
type pairVector struct {
	args                         tileArgs
	packs, tiles, finish, counts int // kernels; finish -1: there is nothing to finish

	copies  int      // counters of each cell
	small   []uint32 // these
	pending uint64   // the most that small can hold
	records []record // with weights, instead
}

// A record is what is known of pairs with weights: the sum of the products, that of
// their squares in 2⁵² and that of the rest of these, and the number of pairs less
// fullRecord. Fewer than 2·fullRecord pairs overflow nothing.
type record [4]int64

const fullRecord = 1024

// newPairVector returns nil where the counter is left to portable code.
func newPairVector(c *PairCounter, name string) *pairVector {
	k, ok := pairKernels[name]
	if !ok || c.Dim > MaxDim || c.First.table == nil || c.Second != nil && c.Second.table == nil {
		return nil
	}
	last := c.First.Last()
	if c.Kind == PairMiddle && !(last >= 0x1p-400 && c.last() >= 0x1p-200 && c.Reach() <= 0x1p400) {
		return nil
	}
	v := &pairVector{packs: k.pack + c.Dim, finish: -1, counts: countTileAVX2, copies: tileCopies}
	a := &v.args
	a.buffer, a.out = &c.buffer[0], &c.q[0]
	a.table, a.firstKey, a.shift = &c.First.table[0], c.First.firstKey, c.First.shift
	a.low, a.last, a.reach = inLanes(c.First.low), inLanes(last), inLanes(c.Reach())
	a.magnitude = inLanes(math.Float64frombits(1<<63 - 1))
	if c.Second != nil {
		a.table2, a.firstKey2, a.shift2 = &c.Second.table[0], c.Second.firstKey, c.Second.shift
		a.low2, a.last2, a.top2 = inLanes(c.Second.low), inLanes(c.last()), inLanes(c.top())
		a.width = c.width()
		v.counts, v.copies = countPlaneAVX2, planeCopies
	}
	switch c.Kind {
	case PairDistance:
		v.tiles = k.distance + c.Dim
	case PairAxis:
		v.packs, v.tiles = k.packAxis, k.axis
	case PairAxisMu:
		v.tiles, v.finish, a.mode, a.axis = k.cosine, k.finish, int(c.Kind), c.Axis
	case PairMiddle, PairMiddleMu:
		v.tiles, v.finish = k.middle, k.finish
		a.mode = int(c.Kind)
		a.shrink = inLanes(1 - 0x1p-40)
		a.rp, a.across = inLanes(math.Inf(1)), inLanes(math.Inf(1))
		if c.Kind == PairMiddle {
			a.rp, a.across = a.last, inLanes(c.last()*c.last()*(1+1e-12))
		}
	}
	if !c.Weighted {
		v.small = make([]uint32, v.copies*c.Cells())
		a.cells = &v.small[0]
		return v
	}
	v.weigh(c)
	return v
}

// weigh makes the counter one of weights.
func (v *pairVector) weigh(c *PairCounter) {
	a := &v.args
	v.counts += weighTileAVX2 - countTileAVX2
	v.records = make([]record, v.copies*c.Cells())
	for i := range v.records {
		v.records[i][3] = -fullRecord
	}
	a.weighted = 1
	a.cells = address(&v.records[0])
	a.unit, a.square, a.centre = inLanes(0x1p52), inLanes(0x1p104), inLanes(0x1.8p52)
	a.one = inLanes(math.Float64frombits(1))
}

func inLanes(x float64) (l lanes) {
	for i := range l {
		l[i] = x
	}
	return l
}

// pairKernels are the kernels of an instruction set.
var pairKernels = map[string]struct{ pack, packAxis, distance, axis, cosine, middle, finish int }{
	"avx2":   {packTileAVX2, packAxisAVX2, tileDistanceAVX2, tileAxisAVX2, tileCosineAVX2, tileMiddleAVX2, finishTileAVX2},
	"avx512": {packTileAVX512, packAxisAVX512, tileDistanceAVX512, tileAxisAVX512, tileCosineAVX512, tileMiddleAVX512, finishTileAVX512},
}

func (v *pairVector) pack(c *PairCounter, to []float64, s, other PairSide, sign float64) int {
	a := &v.args
	a.points, a.stride, a.n, a.out = &s.Data[s.Lo], 8*s.Stride, s.Hi-s.Lo, &to[0]
	if a.n == 0 {
		return 0
	}
	a.weights = nil
	if c.Weighted {
		a.weights = &s.Weights[s.Lo]
	}
	for k := range c.Dim {
		a.least[k], a.most[k] = inLanes(other.Least[k]), inLanes(other.Most[k])
		shift := 0.0
		if c.shift != nil {
			shift = sign * c.shift[k]
		}
		a.shifts[k] = inLanes(shift)
	}
	a.found = 0
	callTile(v.packs, a)
	return a.found
}

func (v *pairVector) measure(c *PairCounter, lo, hi, from, to int) {
	a := &v.args
	a.shifted = 0
	if c.shift != nil {
		a.shifted = 1 // as the queries, which were packed last, have it
	}
	a.q, a.d, a.nq, a.n, a.found = &c.q[lo], &c.d[from], hi-lo, to-from, c.found
	callTile(v.tiles, a)
	c.found = a.found
}

func (v *pairVector) drain(c *PairCounter, finished int) {
	a := &v.args
	a.found, a.rest = c.found, finished
	if v.finish >= 0 && finished < c.found {
		callTile(v.finish, a)
	}
	if c.Weighted {
		callTile(v.counts, a)
		if a.rest&1 == 0 {
			v.emptyRecords(c, 0)
		}
		return
	}
	if v.pending += uint64(c.found) + 8; v.pending > 1<<32-1 {
		v.empty(c)
		v.pending = uint64(c.found) + 8
	}
	callTile(v.counts, a)
}

// empty moves what has been counted to the counter.
func (v *pairVector) empty(c *PairCounter) {
	if c.Weighted {
		v.emptyRecords(c, 1-fullRecord)
		return
	}
	for i, n := range v.small {
		c.pairs[i/v.copies] += uint64(n)
	}
	clear(v.small)
	v.pending = 0
}

// emptyRecords moves the records with a number of pairs of at least that.
func (v *pairVector) emptyRecords(c *PairCounter, least int64) {
	for i := range v.records {
		r := &v.records[i]
		if r[3] < least {
			continue
		}
		cell := i / v.copies
		c.pairs[cell] += uint64(r[3] + fullRecord)
		c.sums[cell].Add(r[0])
		var squares exact.Sum
		squares.AddSum(exact.FromWords(r[1]>>12, uint64(r[1])<<52))
		squares.Add(r[2])
		hi, lo := squares.Words()
		c.squares[cell].AddSquares(exact.SquaresFromWords(0, uint64(hi), lo))
		*r = record{3: -fullRecord}
	}
}

// address is that of the counters as the argument block has it.
func address(r *record) *uint32 { return (*uint32)(unsafe.Pointer(r)) }
