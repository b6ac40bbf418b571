// Package epsilon chooses the distance within which HYBRIDKNN-JOIN searches
// first (M. Gowanlock, Hybrid KNN-Join, §4.4), by two passes over samples: one
// for the mean distance of points, which bounds the choice, and one for a
// histogram of the distances up to it.
//
// The choice depends on integers only, which come out the same in any order of
// summation: a card and the CPU choose the same distance, bit for bit.
package epsilon

import (
	"math"
	"math/rand/v2"
)

// Pairs are the query and data rows of a join of nearest neighbours, such as a
// neighbors.Plan.
type Pairs interface {
	Len() int
	DataLen() int
	Self() bool // both are the same rows
	SquaredDistance(query, data uint32) float64
}

// A Sampler measures many pairs: the two kernels of §4.4. d is fl(√d²), and
// products are rounded to float64.
type Sampler interface {
	// Sum returns the sum of ⌊d·scale⌋ over all pairs of a row of query and one
	// of data. It is told to stay below 2⁶⁴.
	Sum(query, data []uint32, scale float64) (uint64, error)
	// Count returns for each of the Bins how many pairs, of a row of query and
	// any data row, have ⌊d·scale⌋ = bin. Pairs at distance 0 are left out.
	Count(query []uint32, scale float64) ([]uint64, error)
}

// Bins is n_bins, which the paper leaves open.
const Bins = 1 << 13

const (
	meanShare  = 1000    // of the rows one in this many is sampled for the mean …
	leastMean  = 1000    // … but as many as these, or all, …
	mostMean   = 1 << 14 // … and no more
	queries    = 500     // sampled rows whose distances to all others are counted
	leastBin   = 8       // below which the bins are too wide, to halve one
	mostCounts = 4       // histograms, each finer than the one before
	unitBits   = 32      // of distances when they are summed
)

// Choose returns ε_min, the distance within which queries have k neighbours on
// average: the middle of the bin of the histogram in which the mean number of
// neighbours reaches k, or the mean distance of two points where all bins
// together have fewer. It is 0 if there is nothing to go by: no points, points
// that all coincide, or coordinates whose squares leave the range of float64.
//
// Beyond the paper, whose data are free of duplicates, pairs at distance 0 do
// not count, as a few clumps of such would shrink ε_min to nothing; and where k
// is reached in the first few bins they are counted again, as finer ones.
func Choose(p Pairs, k int, s Sampler) (float64, error) {
	if p.Len() == 0 || p.DataLen() == 0 {
		return 0, nil
	}
	reach, err := mean(p, s)
	if !inRange(reach) || err != nil {
		return 0, err
	}
	query := Rows(p.Len(), queries)
	want := uint64(k) * uint64(len(query))
	for range mostCounts {
		scale := Bins / reach
		counts, err := s.Count(query, scale)
		if err != nil {
			return 0, err
		}
		bin, ok := reached(counts, want)
		if !ok {
			break // all of them have fewer
		}
		width := reach / Bins
		if bin >= leastBin || !inRange(float64(bin+1)*width) {
			reach = (float64(bin) + 0.5) * width
			break
		}
		reach = float64(bin+1) * width
	}
	if !inRange(reach) {
		return 0, nil
	}
	return reach, nil
}

// reached returns the first bin up to which the counts add up to want.
func reached(counts []uint64, want uint64) (bin int, ok bool) {
	var sum uint64
	for bin, n := range counts {
		if sum += n; sum >= want {
			return bin, true
		}
	}
	return 0, false
}

func inRange(d float64) bool { return d > 0x1p-400 && d < 0x1p400 }

// mean returns the mean distance of a pair of different rows, ε_mean.
func mean(p Pairs, s Sampler) (float64, error) {
	sample := func(n int) []uint32 { return Rows(n, min(max(n/meanShare, leastMean), mostMean)) }
	query := sample(p.Len())
	data, pairs := query, float64(len(query))*float64(len(query)-1)
	if !p.Self() {
		data = sample(p.DataLen())
		pairs = float64(len(query)) * float64(len(data))
	}
	// By way of the first of each, no two are farther apart than three times
	// the largest of these.
	far := 0.0
	for _, d := range data {
		far = max(far, p.SquaredDistance(query[0], d))
	}
	for _, q := range query {
		far = max(far, p.SquaredDistance(q, data[0]))
	}
	far = math.Sqrt(far)
	if !inRange(far) || pairs == 0 {
		return 0, nil
	}
	_, exponent := math.Frexp(4 * far)
	scale := math.Ldexp(1, unitBits-exponent)
	sum, err := s.Sum(query, data, scale)
	return float64(sum) / pairs / scale, err
}

// Rows returns some of n rows, or all if there are no more, ascending: one of
// each of as many stretches of equal length, by PCG with a fixed seed.
func Rows(n, some int) []uint32 {
	some = min(n, some)
	g := rand.New(rand.NewPCG(4, 4))
	rows := make([]uint32, some)
	for i := range rows {
		lo := uint64(i) * uint64(n) / uint64(some)
		hi := uint64(i+1) * uint64(n) / uint64(some)
		rows[i] = uint32(lo + g.Uint64N(hi-lo))
	}
	return rows
}
