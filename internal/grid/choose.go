package grid

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"

	"skyjoin/internal/each"
	"skyjoin/internal/par"
)

const (
	sampleData    = 1 << 14 // points of the data side that are sampled
	sampleQueries = 1 << 10 // and of the query side
	maxGridded    = 6       // more gridded dimensions have too many adjacent cells
	maxPeriodic   = 4       // the same where cells are also adjacent round the edges
)

// A sample holds what the choice of a shape depends on.
type sample struct {
	n      float64   // points of the data side
	dims   []int     // those that prune, best first
	extent []float64 // of each of dims, in radii
	frac   []float64 // frac[g]: share of pairs within the radius in the first g dims
	total  int       // dimensions, gridded or not
}

// take samples the pairs of both sides. Rows are taken by a Weyl sequence, so
// that neither order nor period of the rows matters; no result depends on it.
func take(cfg *Config, query, data Source, least, most []float64) sample {
	s := sample{n: float64(data.Len()), total: len(data.Columns)}
	q := sampleRows(query.Len(), sampleQueries, 1<<63)
	d := sampleRows(data.Len(), sampleData, 0)
	x, y := gather(query, q), gather(data, d)
	power := make([]float64, s.total)
	prunes := make([]bool, s.total)
	par.Chunks(min(par.Threads(cfg.Threads), s.total), s.total, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			power[j] = 1
			if len(d) == 0 || !(most[j]-least[j] > 2*cfg.Radius) {
				continue // no more than a few cells: nothing is pruned
			}
			if cfg.side(j) > 0 && cfg.side(j) < 4*cfg.Radius {
				continue
			}
			sorted := slices.Clone(y[j])
			slices.Sort(sorted)
			within := 0
			for _, v := range x[j] {
				within += upper(sorted, v+cfg.Radius) - sort.SearchFloat64s(sorted, v-cfg.Radius)
			}
			power[j] = float64(within+1) / float64(len(q)*len(d)+1)
			prunes[j] = power[j] < 0.9
		}
	})
	for j, p := range prunes {
		if p {
			s.dims = append(s.dims, j)
		}
	}
	// A periodic axis that is not gridded makes every pair a wrapped one, so
	// these come first.
	slices.SortStableFunc(s.dims, func(a, b int) int {
		return cmp.Or(-cmp.Compare(min(cfg.side(a), 1), min(cfg.side(b), 1)), cmp.Compare(power[a], power[b]))
	})
	gridded := maxGridded
	if cfg.Side != nil {
		gridded = maxPeriodic
	}
	s.dims = s.dims[:min(len(s.dims), gridded)]
	for _, j := range s.dims {
		s.extent = append(s.extent, (most[j]-least[j])/cfg.Radius)
	}
	s.frac = jointFractions(cfg.Radius, par.Threads(cfg.Threads), s.dims, x, y)
	return s
}

// jointFractions returns, for every g, the share of the sampled pairs that are
// within the radius in each of the first g dimensions.
func jointFractions(radius float64, threads int, dims []int, x, y [][]float64) []float64 {
	frac := []float64{1}
	if len(dims) == 0 {
		return frac
	}
	type place struct {
		x float64
		i int
	}
	order := make([]place, len(y[dims[0]]))
	for i, v := range y[dims[0]] {
		order[i] = place{v, i}
	}
	slices.SortFunc(order, func(a, b place) int { return cmp.Compare(a.x, b.x) })
	sorted := make([][]float64, len(dims))
	for g, j := range dims {
		sorted[g] = each.Of(order, func(o place) float64 { return y[j][o.i] })
	}
	hits := make([][]int, threads)
	par.Chunks(threads, len(x[dims[0]]), func(c, from, to int) {
		hit := make([]int, len(dims)+1)
		for i := from; i < to; i++ {
			v := x[dims[0]][i]
			lo, hi := sort.SearchFloat64s(sorted[0], v-radius), upper(sorted[0], v+radius)
			hit[1] += hi - lo
			for k := lo; k < hi; k++ {
				for g := 1; g < len(dims) && math.Abs(x[dims[g]][i]-sorted[g][k]) <= radius; g++ {
					hit[g+1]++
				}
			}
		}
		hits[c] = hit
	})
	for g := range dims {
		sum := 0
		for _, hit := range hits {
			sum += hit[g+1]
		}
		frac = append(frac, (float64(sum)+0.5)/(float64(len(order))*float64(len(x[dims[0]]))+0.5))
	}
	return frac
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

// cost models the time per query, in nanoseconds, of a grid over the first g
// dimensions: candidates, runs (each costs a query something, and a cell its
// search) and the call per cell. It takes the density as even within a few
// radii.
func (s *sample) cost(g, leading, last int, pair float64) float64 {
	candidates, own, runs := s.n, s.n, 1.0
	for i := range g {
		r := float64(leading)
		if i == 0 {
			r = float64(last)
		} else {
			runs *= min(2*r+1, 2*s.extent[i]*r+1)
		}
		f := s.frac[i+1] / s.frac[i]
		candidates *= min(1, f*(2*r+1)/(2*r))
		own *= f / (2 * r)
	}
	perCell := max(1, own/-math.Expm1(-own)) // points in a cell that is not empty
	runs *= -math.Expm1(-candidates / runs)  // those that are not empty
	const perRun, search, call = 3, 10, 40
	return candidates*pair*float64(s.total) + runs*(perRun+search/perCell) + call/perCell
}

// upper returns the number of elements of sorted that are at most x.
func upper(sorted []float64, x float64) int {
	return sort.Search(len(sorted), func(i int) bool { return sorted[i] > x })
}

// sampleRows returns up to want of the rows [0, n). Samples of different phases
// have no more rows in common than chance would have it: a row paired with
// itself would pass for a dense neighbourhood.
func sampleRows(n, want int, phase uint64) []uint32 {
	rows := make([]uint32, min(n, want))
	x := phase
	for i := range rows {
		rows[i] = uint32(i)
		if n > want {
			x += 0x9E3779B97F4A7C15 // 2^64 / golden ratio
			rows[i] = uint32((x >> 32) * uint64(n) >> 32)
		}
	}
	return rows
}

func gather(s Source, rows []uint32) [][]float64 {
	v := make([][]float64, len(s.Columns))
	for j, c := range s.Columns {
		v[j] = make([]float64, len(rows))
		c.Gather(v[j], rows)
	}
	return v
}

// NewGeometry chooses a geometry for the joins of query and data, from the
// positions of both.
func NewGeometry(cfg Config, query, data Source) *Geometry {
	least, most := bounds(par.Threads(cfg.Threads), query, data)
	if cfg.Pair == 0 {
		cfg.Pair = 0.1
	}
	var sh shape
	if cfg.shape != nil {
		sh = *cfg.shape
	} else {
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
