package kernel

import (
	"math"

	"skyjoin/internal/exact"
)

// A PairKind says which numbers of a pair are binned.
type PairKind uint8

const (
	PairDistance PairKind = iota // d²
	PairAxis                     // rp² and π, along the last of three coordinates
	PairAxisMu                   // d² and μ, along a coordinate
	PairMiddle                   // rp² and π, along the line from the origin to the middle
	PairMiddleMu                 // d² and μ, along that line
)

// A PairShape says how pairs are binned and weighed. Its bins begin at 0.
//
// With s = x-y and l = x+y, π is |s·l|/|l|, rp² is max(d²-π², 0), μ is π/|s|, each
// operation rounded; all are 0 where the middle is the origin.
type PairShape struct {
	Dim    int
	Kind   PairKind
	First  *Bins // of d² or rp²
	Second *Bins // of π or μ
	Axis   int   // of PairAxisMu
	Closed bool  // μ = 1 belongs to the last bin
	// Weighted pairs have products of weights. Those of queries are in units of what
	// products are rounded to, in magnitude up to 2⁵² over the largest weight of the
	// data: products are then at most 2⁵².
	Weighted bool
}

// width is the number of places of the second number, those outside the bins
// included.
func (s *PairShape) width() int {
	if s.Second == nil {
		return 1
	}
	return s.Second.n + 2
}

// Cells returns the number of cells. A pair with i edges at most as large as its first
// number, and j at most as large as its second, is in cell i·(edges of Second + 1) + j.
func (s *PairShape) Cells() int { return (s.First.n + 2) * s.width() }

// last is the end of the second bins.
func (s *PairShape) last() float64 { return s.Second.Last() }

// Reach returns what d² of interest is less than.
func (s *PairShape) Reach() float64 {
	last := s.First.Last()
	if s.Kind == PairMiddle || s.Kind == PairAxis {
		return (last + float64(s.last()*s.last())) * (1 + 1e-11)
	}
	return last
}

// top is what second numbers that are more are taken for.
func (s *PairShape) top() float64 {
	if s.Closed {
		return math.Nextafter(1, 0)
	}
	return s.last()
}

// A PairSide is the points [Lo, Hi) of a block, with the weights of the block, and
// Slack, if pairs are weighed. They lie between Least and Most.
type PairSide struct {
	*Points
	Weights     []float64
	Lo, Hi      int
	Least, Most []float64
}

const (
	// MostTile is the number of points that a PairSide can have.
	MostTile = 256

	tileRoom   = MostTile + Slack
	tileBuffer = 1024 + MostTile + Slack

	// Counters of each cell, of one number and of two.
	tileCopies  = 4
	planeCopies = 2
)

// The numbers of the pairs that have been found, tileBuffer apart in the buffer.
const (
	firstNumber = iota
	secondNumber
	productNumber
	lengthNumber // |l|²
	pairNumbers
)

// A PairCounter counts pairs by cell. It belongs to one goroutine.
type PairCounter struct {
	PairShape
	vector *pairVector // nil: portable code

	q, d   []float64 // points that may have pairs of interest, and weights, tileRoom apart
	buffer []float64
	found  int
	shift  []float64 // of the images at hand

	pairs   []uint64
	sums    []exact.Sum
	squares []exact.Squares
}

// NewPairCounter returns a counter without pairs.
func NewPairCounter(s *PairShape) *PairCounter { return newPairCounter(s, Best().Name) }

// newPairCounter returns a counter with the kernels of that name.
func newPairCounter(s *PairShape, name string) *PairCounter {
	c := &PairCounter{
		PairShape: *s, q: make([]float64, (s.Dim+1)*tileRoom), d: make([]float64, (s.Dim+1)*tileRoom),
		buffer: make([]float64, pairNumbers*tileBuffer), pairs: make([]uint64, s.Cells()),
	}
	if s.Weighted {
		c.sums, c.squares = make([]exact.Sum, s.Cells()), make([]exact.Squares, s.Cells())
	}
	c.vector = newPairVector(c, name)
	return c
}

// Count counts the pairs of two sides. With a shift differences are those to an image:
// shift[k] is added to those of coordinate k, if it is not nil.
func (c *PairCounter) Count(q, d PairSide, shift []float64) {
	c.check(q)
	c.check(d)
	c.shift = shift
	plain := c.portable(q, d)
	nd := c.pack(c.d, d, q, -1, plain)
	if nd == 0 {
		return
	}
	nq := c.pack(c.q, q, d, 1, plain)
	for lo, hi := 0, 0; lo < nq; lo = hi {
		room := tileBuffer - Slack - c.found
		if room < nd {
			c.drain(0)
			room = tileBuffer - Slack
		}
		hi = min(nq, lo+room/nd)
		c.measure(lo, hi, 0, nd, plain)
	}
}

// Own counts the pairs among the points of a side, given once with the weights of
// queries and once with those of data.
func (c *PairCounter) Own(q, d PairSide) {
	c.check(q)
	c.check(d)
	c.shift = nil
	plain := c.portable(q, d)
	n := q.Hi - q.Lo
	for k := range c.Dim {
		from := d.Data[k*d.Stride:]
		copy(c.q[k*tileRoom:], from[q.Lo:q.Hi])
		copy(c.d[k*tileRoom:], from[q.Lo:q.Hi])
	}
	if c.Weighted {
		copy(c.q[c.Dim*tileRoom:], q.Weights[q.Lo:q.Hi])
		copy(c.d[c.Dim*tileRoom:], d.Weights[q.Lo:q.Hi])
	}
	for i := range n - 1 {
		if c.found+n > tileBuffer-Slack {
			c.drain(0)
		}
		c.measure(i, i+1, i+1, n, plain)
	}
}

func (c *PairCounter) check(s PairSide) {
	if s.Dim != c.Dim || s.Lo < 0 || s.Lo > s.Hi || s.Hi > s.N || s.Hi-s.Lo > MostTile || !s.whole() ||
		c.Weighted && len(s.Weights) < s.N+Slack || len(s.Least) < c.Dim || len(s.Most) < c.Dim {
		misfit(s.Points, s.Lo, s.Hi, s.Points)
	}
}

// Vector reports whether pairs are counted by vector code.
func (c *PairCounter) Vector() bool { return c.vector != nil }

// Take calls add for each cell that has pairs, and empties the counter.
func (c *PairCounter) Take(add func(cell int, pairs uint64, sum exact.Sum, squares exact.Squares)) {
	c.drain(0)
	if c.vector != nil {
		c.vector.empty(c)
	}
	for i, n := range c.pairs {
		if n == 0 {
			continue
		}
		if !c.Weighted {
			add(i, n, exact.Sum{}, exact.Squares{})
		} else {
			add(i, n, c.sums[i], c.squares[i])
			c.sums[i], c.squares[i] = exact.Sum{}, exact.Squares{}
		}
		c.pairs[i] = 0
	}
}

// portable reports whether the pairs of two sides have to be measured by portable
// code: there is no other, or |x+y|² may be so large or so small that squares
// overflow or vanish.
func (c *PairCounter) portable(q, d PairSide) bool {
	if c.vector == nil {
		return true
	}
	if c.Kind != PairMiddle && c.Kind != PairMiddleMu {
		return false
	}
	var least, most float64
	for k := range 3 {
		lo, hi := q.Least[k]+d.Least[k], q.Most[k]+d.Most[k]
		near, far := max(lo, -hi, 0), max(hi, -lo)
		least, most = least+float64(near*near), most+float64(far*far)
	}
	return !(least >= 0x1p-500 && most <= 0x1p500)
}

// pack copies the points of a side that may have a pair of interest with one in the
// box of the other, and returns how many these are. sign is 1 for queries, -1 for
// data.
func (c *PairCounter) pack(to []float64, s, other PairSide, sign float64, plain bool) int {
	if c.vector != nil && !plain {
		return c.vector.pack(c, to, s, other, sign)
	}
	n := 0
	for i := s.Lo; i < s.Hi; i++ {
		if !c.near(s, i, other, sign) {
			continue
		}
		for k := range c.Dim {
			to[k*tileRoom+n] = s.Data[k*s.Stride+i]
		}
		if c.Weighted {
			to[c.Dim*tileRoom+n] = s.Weights[i]
		}
		n++
	}
	return n
}

// near reports whether a point may have a pair of interest with a point of the other
// side. The bound is made by the operations of pairs themselves, so that rounding,
// which is monotone, keeps it one.
func (c *PairCounter) near(s PairSide, i int, other PairSide, sign float64) bool {
	var sum float64
	for k := range c.Dim {
		x, a := s.Data[k*s.Stride+i], 0.0
		if c.shift != nil {
			a = sign * c.shift[k]
		}
		gap := max(x-other.Most[k]+a, other.Least[k]-x-a, 0)
		if k == 2 && c.Kind == PairAxis {
			return sum < c.First.Last() && gap < c.last()
		}
		sum += float64(gap * gap)
	}
	return sum < c.Reach()
}

// measure puts the pairs of interest of the packed queries [lo, hi) with the packed
// data [from, to) into the buffer.
func (c *PairCounter) measure(lo, hi, from, to int, plain bool) {
	if lo == hi || from == to {
		return
	}
	if c.vector != nil && !plain {
		c.vector.measure(c, lo, hi, from, to)
		return
	}
	if c.vector != nil { // what is there is not finished
		c.drain(0)
	}
	first := c.First.Last()
	for i := lo; i < hi; i++ {
		for j := from; j < to; j++ {
			a, b := c.numbers(i, j)
			if !(a < first) || c.Second != nil && !(b < c.last()) {
				continue
			}
			c.buffer[c.found] = max(a, c.First.low)
			if c.Second != nil {
				c.buffer[secondNumber*tileBuffer+c.found] = max(b, c.Second.low)
			}
			if c.Weighted {
				x, y := c.q[c.Dim*tileRoom+i], c.d[c.Dim*tileRoom+j]
				c.buffer[productNumber*tileBuffer+c.found] = math.FMA(x, y, math.Copysign(0x1p52, x*y))
			}
			c.found++
		}
	}
	if c.vector != nil {
		c.drain(c.found)
	}
}

// numbers returns what a packed query and point are binned by.
func (c *PairCounter) numbers(i, j int) (first, second float64) {
	var delta, x, y [3]float64
	for k := range c.Dim {
		v, w := c.q[k*tileRoom+i], c.d[k*tileRoom+j]
		d := v - w
		if c.shift != nil {
			d += c.shift[k]
		}
		if k < 3 {
			delta[k], x[k], y[k] = d, v, w
		}
		if k == 2 && c.Kind == PairAxis {
			return first, math.Abs(d)
		}
		first += float64(d * d)
	}
	switch c.Kind {
	case PairDistance:
		return first, 0
	case PairAxisMu:
		second = math.Abs(delta[c.Axis])
	default:
		second = AlongMiddle(x, y)
	}
	if c.Kind == PairMiddle {
		return max(first-float64(second*second), 0), second
	}
	if first == 0 {
		return 0, 0
	}
	return first, min(second/math.Sqrt(first), c.top())
}

// AlongMiddle returns π of two points along the line from the origin to their middle,
// 0 if that is the origin.
func AlongMiddle(a, b [3]float64) float64 {
	var s, l [3]float64
	for c := range 3 {
		s[c], l[c] = a[c]-b[c], (a[c]+b[c])/2
	}
	length := float64(l[0]*l[0]) + float64(l[1]*l[1]) + float64(l[2]*l[2])
	dot := float64(s[0]*l[0]) + float64(s[1]*l[1]) + float64(s[2]*l[2])
	if length >= 0x1p-900 && length <= 0x1p1000 {
		return math.Abs(dot) / math.Sqrt(length)
	}
	// In units of a power of two nothing overflows or vanishes, and no bit changes.
	most := 0.0
	for c := range 3 {
		l[c] = a[c]/2 + b[c]/2
		most = max(most, math.Abs(l[c]))
	}
	if most == 0 {
		return 0
	}
	_, e := math.Frexp(most)
	length, dot = 0, 0
	for c := range 3 {
		v := math.Ldexp(l[c], -e)
		length += float64(v * v)
		dot += float64((a[c] - b[c]) * v)
	}
	return math.Abs(dot) / math.Sqrt(length)
}

// drain counts the pairs in the buffer. finished of them have the numbers that are
// binned, the others have still to be finished.
func (c *PairCounter) drain(finished int) {
	if c.found == 0 {
		return
	}
	if c.vector != nil {
		c.vector.drain(c, finished)
		c.found = 0
		return
	}
	for k, first := range c.buffer[:c.found] {
		cell := c.First.Find(first) * c.width()
		if c.Second != nil {
			cell += c.Second.Find(c.buffer[secondNumber*tileBuffer+k])
		}
		c.pairs[cell]++
		if c.Weighted {
			p := c.buffer[productNumber*tileBuffer+k]
			n := int64(p - math.Copysign(0x1p52, p))
			c.sums[cell].Add(n)
			c.squares[cell].Add(n)
		}
	}
	c.found = 0
}
