package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"skyjoin/internal/exact"
)

// A cloud is points with weights, as both sides of pairs have them.
type cloud struct {
	p           *Points
	w, scaled   []float64
	least, most []float64
}

// newCloud draws points, of which each fifth repeats the one before, and weights, of
// which some are 0.
func newCloud(r *rand.Rand, dim, n int, scale exact.Scale, coordinate func() float64) cloud {
	c := cloud{p: fenced(dim, n, coordinate), w: make([]float64, n+Slack), scaled: make([]float64, n+Slack)}
	for i := range n {
		if i%5 == 4 {
			for k := range dim {
				c.p.Data[k*c.p.Stride+i] = c.p.Data[k*c.p.Stride+i-1]
			}
		}
		c.w[i] = []float64{0, 1, 2*r.Float64() - 1, math.Ldexp(r.Float64(), -r.IntN(80))}[r.IntN(4)]
		c.scaled[i] = math.Ldexp(c.w[i], -scale.Exponent())
	}
	box := NewBox(dim)
	box.Around(c.p, 0, n)
	c.least, c.most = box.Least, box.Most
	return c
}

func (c cloud) side(weights []float64, lo, hi int) PairSide {
	return PairSide{Points: c.p, Weights: weights, Lo: lo, Hi: hi, Least: c.least, Most: c.most}
}

// numbersOf is what a pair is binned by, as rules 1 and 7 have it.
func numbersOf(s *PairShape, x, y, shift []float64) (first, second float64) {
	v := make([]float64, s.Dim)
	d2 := 0.0
	for k := range v {
		v[k] = x[k] - y[k]
		if shift != nil && shift[k] != 0 { // min(|δ|, L-|δ|) if that is the image
			v[k] = math.Abs(shift[k]) - math.Abs(v[k])
			if (x[k] < y[k]) != (shift[k] > 0) {
				return math.Inf(1), 0 // another image
			}
		}
		d2 += float64(v[k] * v[k])
	}
	switch s.Kind {
	case PairDistance:
		return d2, 0
	case PairAxis:
		return float64(v[0]*v[0]) + float64(v[1]*v[1]), math.Abs(v[2])
	case PairAxisMu:
		second = math.Abs(v[s.Axis])
	default:
		var l [3]float64
		for k := range l {
			l[k] = (x[k] + y[k]) / 2
		}
		second = math.Abs(float64(v[0]*l[0])+float64(v[1]*l[1])+float64(v[2]*l[2])) /
			math.Sqrt(float64(l[0]*l[0])+float64(l[1]*l[1])+float64(l[2]*l[2]))
		if l == [3]float64{} {
			second = 0
		}
	}
	if s.Kind == PairMiddle {
		return max(d2-float64(second*second), 0), second
	}
	mu := 0.0
	if d2 > 0 {
		mu = second / math.Sqrt(d2)
	}
	if s.Closed && mu >= 1 {
		mu = math.Nextafter(1, 0)
	}
	return d2, mu
}

// A pairSum is what a cell should hold.
type pairSum struct {
	n       uint64
	sum     exact.Sum
	squares exact.Squares
}

// TestPairCounter compares the pairs of all kinds, on lattices, where edges are hit,
// and elsewhere, with a count of each pair by itself.
func TestPairCounter(t *testing.T) {
	squared := func(edges ...float64) *Bins {
		for i, e := range edges {
			edges[i] = SquaredEdge(e)
		}
		return mustBins(t, edges)
	}
	r := rand.New(rand.NewPCG(22, 6))
	scale, _ := exact.NewProductScale(1, 1)
	for _, f := range All() {
		for trial := range 260 {
			shape := PairShape{Dim: 3, Kind: PairKind(trial % 5), Weighted: r.IntN(2) == 0, Axis: r.IntN(3)}
			shape.First = squared(0, 0.5, 1, 2, 3, 4)
			if shape.Kind == PairDistance {
				shape.Dim = 1 + r.IntN(MaxDim+1) // one more than there is vector code for
			} else {
				shape.Second = mustBins(t, []float64{0, 1, 1.5, 2, 4})
			}
			if shape.Kind == PairAxisMu || shape.Kind == PairMiddleMu {
				shape.Closed = r.IntN(2) == 0
				shape.Second = mustBins(t, []float64{0, 0.25, 0.5, 0.75, 1})
			}
			const side = 10
			coordinate := func() float64 { return float64(r.IntN(2*side)) / 2 }
			switch r.IntN(4) {
			case 0:
				coordinate = func() float64 { return side * r.Float64() }
			case 1:
				coordinate = func() float64 { return float64(r.IntN(side)) - side/2 } // around the origin
			case 2:
				coordinate = func() float64 { return 100 + 3*r.Float64() }
			}
			var shift []float64
			if shape.Kind < PairMiddle && r.IntN(2) == 0 {
				for range shape.Dim {
					shift = append(shift, float64(side*(r.IntN(3)-1)))
				}
			}
			a := newCloud(r, shape.Dim, 1+r.IntN(90), scale, coordinate)
			b := newCloud(r, shape.Dim, 1+r.IntN(90), scale, coordinate)
			want := make([]pairSum, shape.Cells())
			look := func(q, d cloud, i, j int, shift []float64) {
				x, y := make([]float64, shape.Dim), make([]float64, shape.Dim)
				for k := range x {
					x[k], y[k] = q.p.Data[k*q.p.Stride+i], d.p.Data[k*d.p.Stride+j]
				}
				first, second := numbersOf(&shape, x, y, shift)
				find := func(edges []float64, v float64) int {
					return sort.Search(len(edges), func(i int) bool { return edges[i] > v })
				}
				cell := find(shape.First.edges, first)
				if cell > shape.First.n {
					return
				}
				if shape.Second != nil {
					k := find(shape.Second.edges, second)
					if k > shape.Second.n {
						return
					}
					cell = cell*(shape.Second.n+2) + k
				}
				w := &want[cell]
				w.n++
				w.sum.Add(scale.FixedProduct(q.w[i], d.w[j]))
				w.squares.Add(scale.FixedProduct(q.w[i], d.w[j]))
			}
			c := newPairCounter(&shape, f.Name)
			if (c.vector != nil) != (f.Name != "generic" && shape.Dim <= MaxDim) {
				t.Fatalf("%s in %d dimensions: vector code %v", f.Name, shape.Dim, c.vector != nil)
			}
			lo := r.IntN(a.p.N)
			c.Count(a.side(a.scaled, lo, a.p.N), b.side(b.w, 0, b.p.N), shift)
			c.Own(b.side(b.scaled, 0, b.p.N), b.side(b.w, 0, b.p.N))
			for i := lo; i < a.p.N; i++ {
				for j := range b.p.N {
					look(a, b, i, j, shift)
				}
			}
			for j := range b.p.N {
				for i := range j {
					look(b, b, i, j, nil)
				}
			}
			got := make([]pairSum, len(want))
			c.Take(func(cell int, n uint64, sum exact.Sum, squares exact.Squares) { got[cell] = pairSum{n, sum, squares} })
			width := shape.width()
			for cell := range got {
				if i, j := cell/width, cell%width; i > shape.First.n || shape.Second != nil && j > shape.Second.n {
					continue // outside the bins
				}
				if !shape.Weighted {
					want[cell] = pairSum{n: want[cell].n}
				}
				if got[cell] != want[cell] {
					t.Errorf("%s, trial %d, %+v, shift %v: cell %d has %v, want %v", f.Name, trial, shape, shift, cell, got[cell], want[cell])
				}
			}
		}
	}
}

// Products of the largest weights do not overflow the sums, however many there are in
// one cell, and what was taken is gone.
func TestPairCounterManyInOneCell(t *testing.T) {
	scale, _ := exact.NewProductScale(1, 1)
	for _, f := range All() {
		for _, weight := range []float64{1, -1, math.Nextafter(1, 0)} {
			shape := PairShape{Dim: 2, First: mustBins(t, []float64{0, 1, 2}), Weighted: true}
			a := newCloud(rand.New(rand.NewPCG(1, 1)), 2, MostTile, scale, func() float64 { return 0 })
			for i := range MostTile {
				a.w[i] = weight
				a.scaled[i] = math.Ldexp(math.Abs(weight), -scale.Exponent())
			}
			c := newPairCounter(&shape, f.Name)
			k := scale.FixedProduct(math.Abs(weight), weight)
			for range 2 {
				var want pairSum
				for range 3 {
					c.Count(a.side(a.scaled, 0, MostTile), a.side(a.w, 0, MostTile), nil)
					for range MostTile * MostTile {
						want.n++
						want.sum.Add(k)
						want.squares.Add(k)
					}
				}
				var got []string
				c.Take(func(cell int, n uint64, sum exact.Sum, squares exact.Squares) {
					if cell <= shape.First.n {
						got = append(got, fmt.Sprint(cell, pairSum{n, sum, squares}))
					}
				})
				if !slices.Equal(got, []string{fmt.Sprint(1, want)}) {
					t.Errorf("%s: weight %v: %v, want 1 %v", f.Name, weight, got, want)
				}
			}
		}
	}
}
