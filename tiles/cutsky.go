package tiles

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"skyjoin/internal/healpix"
)

// A skyPoint is a sampled row that stands for weight rows.
type skyPoint struct {
	cell   int64 // of the finest order
	weight float64
}

// rowWork is the work of reading, indexing and querying a row, in units of the work
// of looking at one neighbour.
const rowWork = 100

// snapShare is by how much of the mean work a tile may be larger or smaller so that
// its cuts follow large cells, which keeps its border short.
const snapShare = 0.1

// denseSample is about how many sampled rows a cell has in which the density is
// estimated.
const denseSample = 24

// cutSky divides the sky into ranges of cells with about the same work. bounds are
// preferred positions of cuts, ascending: those of partitions.
func cutSky(sample []skyPoint, tiles int, reach float64, bounds []int64) []int64 {
	slices.SortFunc(sample, func(a, b skyPoint) int { return cmp.Compare(a.cell, b.cell) })
	work := skyWork(sample, reach)
	total := 0.0
	upTo := make([]float64, len(sample)+1) // work of the points before
	for i, w := range work {
		total += w
		upTo[i+1] = total
	}
	cuts := make([]int64, 0, tiles+1)
	cuts = append(cuts, 0)
	end := healpix.Cells(healpix.MaxOrder)
	for k := 1; k < tiles; k++ {
		if len(sample) == 0 { // nothing is known: equal areas
			cuts = append(cuts, end/int64(tiles)*int64(k))
			continue
		}
		at, off := total/float64(tiles)*float64(k), total/float64(tiles)*snapShare
		a := max(sort.SearchFloat64s(upTo, at-off)-1, 0)
		b := min(sort.SearchFloat64s(upTo, at+off), len(sample)-1)
		cuts = append(cuts, max(cuts[k-1], snap(sample[min(a, b)].cell, sample[b].cell, bounds)))
	}
	return append(cuts, end)
}

// skyWork estimates the work of each point of a sample, ordered by cell, from
// the density about it.
func skyWork(sample []skyPoint, reach float64) []float64 {
	order := 0
	for o := 1; o <= 14; o++ {
		cells := 0
		last := int64(-1)
		for _, p := range sample {
			if c := p.cell >> (2 * (healpix.MaxOrder - o)); c != last {
				cells, last = cells+1, c
			}
		}
		if cells*denseSample > len(sample) {
			break
		}
		order = o
	}
	shift := 2 * (healpix.MaxOrder - order)
	share := min(1, 3.2*reach*reach/(healpix.Width(order)*healpix.Width(order)))
	work := make([]float64, len(sample))
	for i := 0; i < len(sample); {
		end, rows := i, 0.0
		for end < len(sample) && sample[end].cell>>shift == sample[i].cell>>shift {
			rows += sample[end].weight
			end++
		}
		for ; i < end; i++ {
			work[i] = sample[i].weight * (rowWork + rows*share)
		}
	}
	return work
}

// snap returns the position in (a, b] at which the largest cells begin, one of
// bounds if possible; b if a ≥ b.
func snap(a, b int64, bounds []int64) int64 {
	if a >= b {
		return b
	}
	i := sort.Search(len(bounds), func(i int) bool { return bounds[i] > a })
	if i < len(bounds) && bounds[i] <= b {
		best := bounds[i]
		for ; i < len(bounds) && bounds[i] <= b; i++ {
			if bits.TrailingZeros64(uint64(bounds[i])) > bits.TrailingZeros64(uint64(best)) {
				best = bounds[i]
			}
		}
		return best
	}
	free := bits.Len64(uint64(a^b)) - 1
	return b >> free << free
}
