package knnclass

import (
	"cmp"
	"math"
	"slices"
)

// A voter counts the votes of one list of neighbours after another. It belongs
// to one goroutine.
type voter struct {
	m     *Model
	vote  Vote
	votes []float64 // of each neighbour of the list

	score []float64 // of each class
	sum   []float64 // of the distances of its voters
	seen  []int32   // classes with a voter, in the order of their nearest

	near []neighbour // scratch of sorted
	rows []uint32
	dist []float64
}

type neighbour struct {
	row  uint32
	dist float64
}

func newVoter(m *Model, vote Vote) *voter {
	return &voter{m: m, vote: vote, score: make([]float64, m.classes), sum: make([]float64, m.classes)}
}

// sorted returns a list ordered by (distance, row), valid until the next call.
func (v *voter) sorted(rows []uint32, dist []float64) ([]uint32, []float64) {
	v.near, v.rows, v.dist = v.near[:0], v.rows[:0], v.dist[:0]
	for i, r := range rows {
		v.near = append(v.near, neighbour{r, dist[i]})
	}
	slices.SortFunc(v.near, func(a, b neighbour) int { return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(a.row, b.row)) })
	for _, n := range v.near {
		v.rows, v.dist = append(v.rows, n.row), append(v.dist, n.dist)
	}
	return v.rows, v.dist
}

// weigh sets votes for a list that is ordered by distance. It reports whether
// float64 does not hold them as they are: they are multiplied by a power of two
// then, which suits this list and not a part of it.
//
// Where all are infinitely far, which is what a distance is whose square is more
// than float64 can hold, nobody is nearer than others.
func (v *voter) weigh(rows []uint32, dist []float64) (scaled bool) {
	v.votes = v.votes[:0]
	exact := v.vote == ByDistance && len(dist) > 0 && math.IsInf(1/dist[0], 1)
	divide := v.vote == ByDistance && len(dist) > 0 && !exact && !math.IsInf(dist[0], 1)
	total := 0.0
	for i, d := range dist {
		w := 1.0
		switch {
		case exact && !math.IsInf(1/d, 1):
			v.votes = append(v.votes, 0)
			continue
		case divide:
			w = 1 / d
		}
		if v.m.weights != nil {
			w *= v.m.weights[rows[i]]
		}
		v.votes = append(v.votes, w)
		total += w
		scaled = scaled || w < leastNormal
	}
	if scaled = scaled || math.IsInf(total, 1); scaled {
		v.scale(rows, dist, divide)
	}
	return scaled
}

// leastNormal is the least number that has all bits.
const leastNormal = 0x1p-1022

// scale makes the votes that are not 0 anew such that the largest is about 1.
func (v *voter) scale(rows []uint32, dist []float64, divide bool) {
	exponents := make([]int, len(rows))
	most := math.MinInt
	for i, r := range rows {
		if v.votes[i] == 0 && !divide {
			continue // not at distance 0 as others are
		}
		f, e := 1.0, 0
		if v.m.weights != nil {
			f, e = math.Frexp(v.m.weights[r])
		}
		if divide {
			d, minus := math.Frexp(dist[i])
			f, e = f/d, e-minus // 0 where d is infinite
		}
		v.votes[i], exponents[i] = f, e
		if f > 0 {
			most = max(most, e)
		}
	}
	for i, f := range v.votes {
		v.votes[i] = math.Ldexp(f, exponents[i]-most)
	}
}

// total is the sum of the votes of the first k neighbours.
func (v *voter) total(k int) float64 {
	t := 0.0
	for _, w := range v.votes[:k] {
		t += w
	}
	return t
}

// class counts the votes of the list: the class that wins, whether others had
// as many votes, and its share of all. probability, unless nil, receives the
// share of each class.
func (v *voter) class(rows []uint32, dist, probability []float64) (class int32, tie bool, share float64) {
	if len(rows) == 0 {
		return Outlier, false, 0
	}
	for i, r := range rows {
		w := v.votes[i]
		if w == 0 {
			continue
		}
		c := v.m.labels[r]
		if v.score[c] == 0 {
			v.seen = append(v.seen, c)
		}
		v.score[c] += w
		v.sum[c] += dist[i]
	}
	class = v.seen[0]
	for _, c := range v.seen[1:] {
		switch d := cmp.Compare(v.score[c], v.score[class]); {
		case d > 0:
			class, tie = c, false
		case d == 0:
			tie = true
			if v.sum[c] < v.sum[class] {
				class = c
			}
		}
	}
	total := 0.0
	for _, c := range v.seen {
		total += v.score[c]
	}
	share = v.score[class] / total
	for _, c := range v.seen {
		if probability != nil {
			probability[c] = v.score[c] / total
		}
		v.score[c], v.sum[c] = 0, 0
	}
	v.seen = v.seen[:0]
	return class, tie, share
}

// value is the mean of the values of the list by votes, NaN without a
// neighbour.
func (v *voter) value(rows []uint32) float64 {
	sum, largest := 0.0, 0.0
	for i, r := range rows {
		p := float64(v.votes[i] * v.m.values[r])
		sum += p
		largest = max(largest, math.Abs(p))
	}
	if len(rows) > 0 && !(largest >= leastNormal && sum-sum == 0) { // or all values are 0
		return v.scaledValue(rows)
	}
	return sum / v.total(len(rows))
}

// scaledValue is value where products of votes and values overflow or vanish:
// shares of all votes, and values by the power of two of the largest, do not.
func (v *voter) scaledValue(rows []uint32) float64 {
	total := v.total(len(rows))
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		low, high = min(low, v.m.values[r]), max(high, v.m.values[r])
	}
	_, e := math.Frexp(max(-low, high))
	sum := 0.0
	for i, r := range rows {
		sum += float64(v.votes[i] / total * math.Ldexp(v.m.values[r], -e))
	}
	return min(max(math.Ldexp(sum, e), low), high)
}
