package page

import (
	"math"
	"slices"
)

// A quantiser gives numbers codes. Code 0 is no value; the others, from 1, are equal
// steps of three ranges, the middle one of which has 99 % of the rows and seven eighths
// of the codes, so that outliers cost no resolution. Codes rise with the numbers.
type quantiser struct {
	From  [4]float64 `json:"from"`  // bounds of the ranges
	Codes [3]int64   `json:"codes"` // of each range
	Scale [3]float64 `json:"scale"` // codes per unit; 0 where all is one code
}

// largest bounds the numbers that have codes.
const largest = 1e300

// sampled is how many numbers tell where the ranges end.
const sampled = 50_000

// newQuantiser makes codes of so many bytes for the values.
func newQuantiser(values []float64, width int) quantiser {
	lo, hi := math.Inf(1), math.Inf(-1)
	var some []float64
	stride := max(1, len(values)/sampled)
	for i, v := range values {
		if !(math.Abs(v) <= largest) {
			continue
		}
		lo, hi = min(lo, v), max(hi, v)
		if i%stride == 0 {
			some = append(some, v)
		}
	}
	if lo > hi {
		lo, hi = 0, 0
	}
	near, far := lo, hi
	if slices.Sort(some); len(some) > 0 {
		last := float64(len(some) - 1)
		near, far = some[int(0.005*last)], some[int(math.Ceil(0.995*last))]
	}
	all := int64(1)<<(8*width) - 1
	q := quantiser{From: [4]float64{lo, near, far, hi}, Codes: [3]int64{all / 16, all - 2*(all/16), all / 16}}
	for s := range q.Scale {
		if scale := float64(q.Codes[s]) / (q.From[s+1] - q.From[s]); !math.IsInf(scale, 0) {
			q.Scale[s] = scale
		}
	}
	return q
}

// code is the code of a number. The script computes the same, bit for bit: what it
// selects by codes is what its expressions say of the numbers.
func (q *quantiser) code(v float64) uint32 {
	if !(math.Abs(v) <= largest) {
		return 0
	}
	s, first := 0, int64(1)
	for s < 2 && v >= q.From[s+1] {
		first += q.Codes[s]
		s++
	}
	k := math.Floor(float64(v-q.From[s]) * q.Scale[s])
	return uint32(first + int64(min(max(k, 0), float64(q.Codes[s]-1))))
}

// value is the number in the middle of what has a code, as the script takes it.
func (q *quantiser) value(code uint32) float64 {
	if code == 0 {
		return math.NaN()
	}
	s, first := 0, int64(1)
	for s < 2 && int64(code) >= first+q.Codes[s] {
		first += q.Codes[s]
		s++
	}
	if q.Scale[s] == 0 {
		return q.From[s]
	}
	return q.From[s] + (float64(int64(code)-first)+0.5)/q.Scale[s]
}
