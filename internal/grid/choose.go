package grid

import (
	"math"
	"math/bits"
	"slices"

	"skyjoin/internal/par"
)

// fewPairs is how many are compared in no more time than cells would be chosen in.
const fewPairs = 1 << 17

// NewGeometry chooses a geometry for the joins of query and data, from the
// positions of both.
func NewGeometry(cfg Config, query, data Source) *Geometry {
	least, most := bounds(par.Threads(cfg.Threads), query, data)
	if cfg.Pair == 0 {
		cfg.Pair = vectorPair
	}
	sh := shape{leading: 1, last: 1} // no cells
	if cfg.shape != nil {
		sh = *cfg.shape
	} else if cfg.Side != nil || query.Len()*data.Len() > fewPairs {
		s := take(&cfg, query, data, least, most)
		sh = s.choose(cfg.Pair)
	}
	g := &Geometry{}
	for i, j := range sh.dims {
		reach := sh.leading
		if i == len(sh.dims)-1 {
			reach = sh.last
		}
		a, ok := axis{}, false
		if l := cfg.side(j); l > 0 {
			if a, ok = newPeriodic(cfg.Radius, l, reach); !ok {
				continue
			}
		} else if a, ok = newUniform(cfg.Radius, least[j], most[j], reach); !ok {
			a = newSlabs(cfg.Radius, reach, query.Columns[j], data.Columns[j])
		}
		a.column = j
		g.axes = append(g.axes, a)
	}
	g.fit(cfg.Radius, query, data)
	gridded := make([]bool, len(data.Columns))
	stride := uint64(1)
	for i := len(g.axes) - 1; i >= 0; i-- {
		a := &g.axes[i]
		a.stride = stride
		stride *= a.padded()
		gridded[a.column] = true
		g.wraps = g.wraps || a.wraps
	}
	for j := range data.Columns {
		if cfg.side(j) > 0 {
			g.side = cfg.Side
			g.allWrap = g.allWrap || !gridded[j]
		}
	}
	return g
}

// fit makes keys fit 62 bits: the axis with the most cells is turned into
// slabs, of which there are no more than points, or, if periodic, gets wider
// cells, and otherwise is given up.
func (g *Geometry) fit(radius float64, query, data Source) {
	for {
		product, widest := uint64(1), -1
		over := false
		for i, a := range g.axes {
			hi, lo := bits.Mul64(product, a.padded())
			over = over || hi > 0 || lo > maxKey
			product = lo
			if widest < 0 || a.cells > g.axes[widest].cells {
				widest = i
			}
		}
		if !over {
			return
		}
		a := &g.axes[widest]
		switch {
		case a.wraps && a.divide(float64(a.cells/2)):
			continue // wider cells are right as well
		case !a.wraps && a.starts == nil:
			slabs := newSlabs(radius, int(a.reach), query.Columns[a.column], data.Columns[a.column])
			slabs.column = a.column
			if slabs.cells < a.cells {
				*a = slabs
				continue
			}
		}
		g.axes = slices.Delete(g.axes, widest, widest+1)
	}
}

// choose returns the shape that a model of the join's time likes best.
func (s *sample) choose(pair float64) shape {
	best, bestCost := shape{leading: 1, last: 1}, s.cost(0, 1, 1, pair)
	for g := 1; g <= len(s.dims); g++ {
		for _, last := range []int{1, 2, 4, 8} {
			for _, leading := range []int{1, 2, 3} {
				if g == 1 && leading > 1 {
					continue
				}
				if c := s.cost(g, leading, last, pair); c < bestCost {
					bestCost = c
					best = shape{leading: leading, last: last}
					best.dims = append(slices.Clone(s.dims[1:g]), s.dims[0])
				}
			}
		}
	}
	return best
}

// cost models the time per query of a grid over the first g dimensions, in
// nanoseconds. It takes the density as even within a few radii of a query.
func (s *sample) cost(g, leading, last int, pair float64) float64 {
	windows, runs := 1.0, 1.0 // around a cell, and those that can hold points
	wide, narrow := 1.0, 1.0  // points around a cell, and in it, over those within the radius
	inside := 1.0             // share of the cells around which no pair wraps
	for i := range g {
		r := float64(leading)
		if i == 0 {
			r = float64(last)
		} else {
			windows *= 2*r + 1
			runs *= min(2*r, s.extent[i]*r) + 1
		}
		wide *= min((2*r+1)/(2*r), s.frac[i]/s.frac[i+1])
		narrow /= 2 * r
		if i < s.wraps {
			inside *= max(0, 1-2/s.extent[i])
		}
	}
	if g < s.wraps { // every pair wraps, see [Geometry.AllWrap]
		pair *= wrapped
	}
	sum := 0.0
	for _, c := range s.crowds[g] {
		others := s.n * min(1, c.near*wide)
		own := min(s.n, s.n*c.near*narrow)
		e := effort{
			candidates: max(1, others),
			some:       -math.Expm1(-others),
			held:       max(1, own/-math.Expm1(-own)), // in a cell that is not empty
			windows:    windows * (1 + (1-inside)*wrappedWindow),
		}
		e.runs = e.some * runs * -math.Expm1(-e.candidates/runs)
		sum += c.share * e.time(pair, s.total)
	}
	return sum
}

// An effort is what a query of a grid takes, on average.
type effort struct {
	candidates float64 // points to compare it with
	runs       float64 // that these are in
	some       float64 // share of the queries that have candidates
	held       float64 // queries in a cell, which share the following
	windows    float64 // where runs are looked for
}

// time models the nanoseconds of an effort. pair is that of a candidate and
// dimension.
func (e effort) time(pair float64, dims int) float64 {
	d := float64(dims)
	return e.candidates*pair*(d+2) + e.runs*(runTime+runTime/e.held) +
		(e.windows*windowTime+cellTime+e.some*callTime*d)/e.held
}

// Nanoseconds of the model, fitted to the times of counts in all shapes over even,
// exponential and clumped points, 10³ to 10⁶ of them in 1 to 8 dimensions, on one
// core of a Xeon with AVX-512. Another machine is faster or slower at all of them
// alike, but for candidates in portable code.
const (
	vectorPair = 0.04 // of a candidate and dimension; two dimensions more for what all cost
	runTime    = 2    // of a run, for each query, and for each cell
	windowTime = 1.1  // of looking where a run would be
	cellTime   = 50   // of a cell that is not empty
	callTime   = 12   // and a dimension, if it has candidates

	wrapped       = 20 // candidates that one costs which is compared by its nearest image
	wrappedWindow = 8  // windows that one costs which wraps
)
