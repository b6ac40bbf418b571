package grid

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"skyjoin/internal/each"
	"skyjoin/internal/par"
)

const (
	leastSample = 64      // points of each side that are sampled, or all
	mostSample  = 1 << 12 // at most
	manyPairs   = 1 << 20 // sampled pairs from which threads share the work
	maxGridded  = 6       // more gridded dimensions have too many adjacent cells
	maxPeriodic = 4       // the same where cells are also adjacent round the edges
)

// A sample holds what the choice of a shape depends on.
type sample struct {
	n      float64   // points of the data side
	dims   []int     // those that prune, best first
	extent []float64 // of each of dims, in radii
	frac   []float64 // frac[g]: share of pairs within the radius in the first g dims
	crowds [][]crowd // the same by queries: of each g, one for each power of two
	total  int       // dimensions, gridded or not
	wraps  int       // periodic ones of all, which come first in dims
}

// A crowd is the queries that have about as many data points near them.
type crowd struct {
	share float64 // of all queries
	near  float64 // share of the data points within the radius of one, on average
}

// take samples the pairs of both sides. Rows are taken by a Weyl sequence, so
// that neither order nor period of the rows matters; no result depends on it.
func take(cfg *Config, query, data Source, least, most []float64) sample {
	s := sample{n: float64(data.Len()), total: len(data.Columns)}
	q := sampleRows(query.Len(), sampleSize(query.Len()), 1<<63)
	d := sampleRows(data.Len(), sampleSize(data.Len()), 0)
	x, y := gather(query, q), gather(data, d)
	threads := 1
	if len(q)*len(d) > manyPairs {
		threads = par.Threads(cfg.Threads)
	}
	power := make([]float64, s.total)
	prunes := make([]bool, s.total)
	par.Chunks(min(threads, s.total), s.total, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			power[j] = 1
			if len(d) == 0 || !(most[j]-least[j] > 2*cfg.Radius) {
				continue // no more than a few cells: nothing is pruned
			}
			if cfg.side(j) > 0 && cfg.side(j) < 4*cfg.Radius {
				continue
			}
			power[j] = float64(pairsWithin(cfg.Radius, x[j], y[j])+1) / float64(len(q)*len(d)+1)
			prunes[j] = power[j] < 0.9
		}
	})
	for j, p := range prunes {
		if p {
			s.dims = append(s.dims, j)
		}
		if cfg.side(j) > 0 {
			s.wraps++
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
	s.gauge(jointHits(cfg.Radius, threads, s.dims, x, y), len(q), len(d), power)
	return s
}

// pairsWithin returns how many pairs of a number of x and one of y are within the
// radius.
func pairsWithin(radius float64, x, y []float64) int {
	x, y = slices.Clone(x), slices.Clone(y)
	slices.Sort(x)
	slices.Sort(y)
	pairs, lo, hi := 0, 0, 0
	for _, v := range x {
		for lo < len(y) && y[lo] < v-radius {
			lo++
		}
		for hi < len(y) && y[hi] <= v+radius {
			hi++
		}
		pairs += hi - lo
	}
	return pairs
}

// jointHits returns, for every sampled query, how many of the sampled data points
// are within the radius in each of the first 1, 2, … dims: len(dims) numbers for
// the first query, as many for the next.
func jointHits(radius float64, threads int, dims []int, x, y [][]float64) []int {
	if len(dims) == 0 {
		return nil
	}
	first := y[dims[0]]
	order := make([]int, len(first))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(first[a], first[b]) })
	sorted := make([][]float64, len(dims))
	for g, j := range dims {
		sorted[g] = each.Of(order, func(o int) float64 { return y[j][o] })
	}
	queries := len(x[dims[0]])
	hits := make([]int, queries*len(dims))
	par.Chunks(threads, queries, func(_, from, to int) {
		for i := from; i < to; i++ {
			hit := hits[i*len(dims) : (i+1)*len(dims)]
			v := x[dims[0]][i]
			lo := sort.SearchFloat64s(sorted[0], v-radius)
			for k := lo; k < len(order) && sorted[0][k] <= v+radius; k++ {
				hit[0]++
				for g := 1; g < len(dims) && math.Abs(x[dims[g]][i]-sorted[g][k]) <= radius; g++ {
					hit[g]++
				}
			}
		}
	})
	return hits
}

// gauge sets frac and crowds from what jointHits found. power has the share of
// pairs within the radius in each dimension.
//
// Where a query has no hits in so many dimensions, or few, what the next
// dimension leaves of them is taken to be as for others with few: two hits more,
// of which the usual share is left.
func (s *sample) gauge(hits []int, queries, points int, power []float64) {
	const more, few, enough = 2, 4, 8
	near := make([]float64, queries) // of each query
	before := make([]int, queries)
	for i := range near {
		near[i], before[i] = 1, points
	}
	s.frac, s.crowds = []float64{1}, [][]crowd{crowds(near)}
	for g, j := range s.dims {
		pooled, ratios, with := 0, 0.0, 0.0
		for i := range near {
			h := hits[i*len(s.dims)+g]
			if pooled += h; before[i] > 0 && (before[i] <= few || g == 0) {
				ratios += float64(h) / float64(before[i])
				with++
			}
		}
		usual := power[j]
		if with >= enough && ratios > 0 {
			usual = ratios / with
		}
		for i := range near {
			h := hits[i*len(s.dims)+g]
			near[i] *= (float64(h) + more*usual) / float64(before[i]+more)
			before[i] = h
		}
		s.frac = append(s.frac, (float64(pooled)+0.5)/(float64(points)*float64(queries)+0.5))
		s.crowds = append(s.crowds, crowds(near))
	}
}

// crowds returns the crowds of queries, densest first.
func crowds(near []float64) []crowd {
	sorted := slices.Clone(near)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	var all []crowd
	for i := 0; i < len(sorted); {
		sum, from := 0.0, i
		for ; i < len(sorted) && sorted[i] > sorted[from]/2; i++ {
			sum += sorted[i]
		}
		if i == from { // nothing is near, not even itself
			i = len(sorted)
		}
		all = append(all, crowd{share: float64(i-from) / float64(len(sorted)), near: sum / float64(i-from)})
	}
	return all
}

// sampleSize returns how many of n points are sampled. Pairs of as many of both
// sides are four for each point: a query's candidates are known to a quarter of
// one on average, for a small part of the time of the join itself.
func sampleSize(n int) int {
	return max(leastSample, min(int(2*math.Sqrt(float64(n))), mostSample))
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
