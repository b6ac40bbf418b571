package kernel

import "fmt"

// check returns the number of points in runs. It panics if the arguments of a
// kernel do not fit each other: assembly would read past them.
func check(q *Points, lo, hi int, d *Points, runs []Run) int {
	if q.Dim != d.Dim || lo < 0 || hi > q.N || lo > hi || !q.whole() || q != d && !d.whole() {
		misfit(q, lo, hi, d)
	}
	total := 0
	for _, r := range runs {
		if r.Lo > r.Hi || int(r.Hi) > d.N {
			panic(fmt.Sprintf("kernel: run [%d, %d) of %d points", r.Lo, r.Hi, d.N))
		}
		total += int(r.Hi - r.Lo)
	}
	return total
}

// whole reports whether the block has all coordinates and their slack.
func (p *Points) whole() bool {
	return p.Dim >= 1 && p.Stride >= p.N+Slack && len(p.Data) >= (p.Dim-1)*p.Stride+p.N+Slack
}

func misfit(q *Points, lo, hi int, d *Points) {
	if q.Dim != d.Dim {
		panic(fmt.Sprintf("kernel: queries have %d dimensions, points %d", q.Dim, d.Dim))
	}
	if lo < 0 || hi > q.N || lo > hi {
		panic(fmt.Sprintf("kernel: queries [%d, %d) of %d", lo, hi, q.N))
	}
	for _, p := range []*Points{q, d} {
		if !p.whole() {
			panic(fmt.Sprintf("kernel: %d coordinates for %d points of %d dimensions, stride %d", len(p.Data), p.N, p.Dim, p.Stride))
		}
	}
}

// checkCount panics unless there is a count for each of the queries.
func checkCount(queries int, count []uint32) {
	if len(count) < queries {
		panic(fmt.Sprintf("kernel: %d counts for %d queries", len(count), queries))
	}
}

// room returns how many results fit; dist is nil where d² is not wanted.
func room(out []uint32, dist []float64) int {
	if dist == nil {
		return len(out)
	}
	return min(len(out), len(dist))
}

// checkRoom panics unless points have IDs and the results fit.
func checkRoom(queries, candidates int, d *Points, room int) {
	checkIDs(d)
	if need := queries*candidates + Slack; room < need {
		panic(fmt.Sprintf("kernel: room for %d results, not %d", room, need))
	}
}

func misfitOwn(lo, hi, end int, p *Points) {
	panic(fmt.Sprintf("kernel: queries [%d, %d) with candidates up to %d of their own %d", lo, hi, end, p.N))
}

func checkIDs(d *Points) {
	if len(d.ID) < d.N+Slack {
		panic(fmt.Sprintf("kernel: %d IDs for %d points", len(d.ID), d.N))
	}
}

// checkOwn returns the number of points in runs, or panics like check.
func checkOwn(p *Points, lo, hi, end int, runs []Run) int {
	if end < hi || end > p.N {
		misfitOwn(lo, hi, end, p)
	}
	return check(p, lo, hi, p, runs)
}

// checkSelf returns the number of candidates that a query can have at most, or
// panics like check.
func checkSelf(p *Points, lo, hi, begin, end int, runs []Run, room int, count []uint32) int {
	total := checkOwn(p, lo, hi, end, runs)
	checkCount(hi-lo, count)
	if begin != int(None) {
		if begin < 0 || begin > lo {
			panic(fmt.Sprintf("kernel: queries [%d, %d) with candidates from %d", lo, hi, begin))
		}
		total += lo - begin
	}
	total += end - lo
	checkRoom(hi-lo, total, p, room)
	return total
}

// checkHalf returns the number of points in runs, or panics like check.
func checkHalf(p *Points, lo, hi, end int, runs []Run, count []uint32) int {
	if len(count) < p.N+Slack {
		panic(fmt.Sprintf("kernel: %d counts for %d points", len(count), p.N))
	}
	return checkOwn(p, lo, hi, end, runs)
}

// checkNearest returns the number of points in runs, or panics like check.
func checkNearest(q *Points, i int, d *Points, runs []Run, k int, dist []float64, id []uint32) int {
	if k < 1 || min(len(dist), len(id)) < ListLen(k) {
		panic(fmt.Sprintf("kernel: room for %d of the %d nearest", min(len(dist), len(id)), k))
	}
	checkIDs(d)
	return check(q, i, i+1, d, runs)
}
