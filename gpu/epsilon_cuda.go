//go:build cuda && linux

package gpu

import (
	"math"

	"skyjoin/internal/cuda"
)

// Of the choice of a search distance (Gowanlock, HybridKNN-Join, §4.4).
const (
	epsilonQueries = 500     // sampled points, whatever the size of the data
	epsilonData    = 1 << 20 // points they are compared with, at most
	epsilonMean    = 1000    // points whose mean distance bounds the search
	epsilonSteps   = 24      // of the bisection
)

// epsilon returns the distance within which queries have K neighbours on
// average, ε_min; 0 if there is nothing to go by. The paper reads it from a
// histogram of distances up to their mean; here the same is found by bisection,
// counting the neighbours of a sample on the card. It decides how much is to be
// done, not what is found, and must run on the preparing thread.
func (r *nearestRun) epsilon() (float64, error) {
	space := r.p.DataSpace()
	m := space.Len()
	n := min(m, epsilonData)
	scratch := &memory{stream: r.session.stream}
	defer scratch.release()
	cols := make([]column, space.Dim())
	for j, c := range space.Columns {
		v := make([]float64, n)
		for i := range v {
			v[i] = c.At(int(uint64(i) * uint64(m) / uint64(n)))
		}
		cols[j] = column{f64: v}
	}
	x, err := upload(scratch, cols)
	if err != nil {
		return 0, err
	}
	// One cell holds all: brute force.
	j := join{self: true}
	if err := j.build(scratch, layout{reach: 1}, [][]cuda.Buffer[float64]{x}); err != nil {
		return 0, err
	}
	queries := min(n, epsilonQueries)
	list := make([]uint32, queries)
	for i := range list {
		list[i] = uint32(uint64(i) * uint64(n) / uint64(queries))
	}
	var places, count cuda.Buffer[uint32]
	if err := firstError(into(&places, scratch, queries), into(&count, scratch, queries), cuda.Upload(scratch.stream, places, list)); err != nil {
		return 0, err
	}
	found := make([]uint32, queries)
	average := func(distance float64) (float64, error) {
		j.t = distance * distance
		err := firstError(j.countEntries(scratch.stream, places, 0, queries, count), cuda.Download(scratch.stream, found, count), scratch.stream.Sync())
		sum := 0.0
		for _, f := range found {
			sum += float64(f)
		}
		return sum / float64(queries), err
	}
	want := float64(r.p.Nearest().K) * float64(n) / float64(m)
	low, high := 0.0, meanDistance(cols)
	for range epsilonSteps {
		mid := high / 2
		if low > 0 {
			mid = math.Sqrt(low * high) // distances may differ by decades
		}
		got, err := average(mid)
		if err != nil {
			return 0, err
		}
		if got < want {
			low = mid
		} else {
			high = mid
		}
		if low > 0 && high/low < 1.01 {
			break
		}
	}
	if high < 0x1p-400 || high > 0x1p400 { // squares must neither vanish nor overflow
		return 0, nil
	}
	return high, nil
}

// meanDistance returns the mean distance of points of a sample.
func meanDistance(cols []column) float64 {
	n := len(cols[0].f64)
	some := min(n, epsilonMean)
	sum, pairs := 0.0, 0.0
	for a := range some {
		// Every point with its next and with one far from it in the sample.
		for _, b := range []int{(a + 1) % some, (a + some/2) % some} {
			d2 := 0.0
			for _, c := range cols {
				d := c.f64[a*n/some] - c.f64[b*n/some]
				d2 += float64(d * d)
			}
			sum, pairs = sum+math.Sqrt(d2), pairs+1
		}
	}
	return sum / max(pairs, 1)
}

// failedShare is the part of a batch beyond which failures ask for a larger
// search distance (§4.5).
const failedShare = 0.25

// linear is rounds as published: the rows in hand within ε; ε grows by ε_min/2,
// with a new index, when more than a quarter of them fail. Failed rows are
// returned where others share the work, and else searched for again.
func (r *nearestRun) linear(rows []uint32, shared bool, deliver func() (few, many []uint32, err error)) (rest []uint32, err error) {
	if r.least == 0 {
		if err := r.j.prepare.Do(func() (err error) { r.least, err = r.epsilon(); return err }); err != nil {
			return rows, err
		}
		r.search = r.least
	}
	if r.least == 0 {
		return rows, nil
	}
	all := len(rows)
	var crowded []uint32
	for range maxLinear {
		if len(rows) == 0 || len(rows) <= all/restShare {
			break
		}
		if err := r.j.prepare.Do(func() error { return r.hold(rows, r.search) }); err != nil {
			return append(crowded, rows...), err
		}
		few, many, err := deliver()
		crowded = append(crowded, many...)
		if err != nil {
			return append(crowded, few...), err
		}
		if float64(len(few)) > failedShare*float64(len(rows)) {
			r.search += r.least / 2
		}
		rows = few
		if shared {
			break
		}
		if len(few) > 0 && float64(len(few)) <= failedShare*float64(all) {
			r.search += r.least / 2 // the same again would fail again
		}
	}
	return append(crowded, rows...), nil
}

// maxLinear is after how many batches of a portion the tail is left to brute
// force or the CPU: there would be many more of few rows each.
const maxLinear = 64
