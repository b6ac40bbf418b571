//go:build !purego

package kernel

var funcsAVX2 = Funcs{
	Name: "avx2",
	Count: func(q *Points, lo, hi int, d *Points, runs []Run, t float64, count []uint32) {
		countVector(countAVX2, q, lo, hi, d, runs, t, count)
	},
	Emit: func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, count []uint32) int {
		return emitVector(emitAVX2, q, lo, hi, d, runs, t, out, count)
	},
	EmitSquared: emitSquaredVectorAVX2,
	EmitNear: func(q *Points, lo, hi int, d *Points, runs []Run, boxes, side []float64, t float64, out []uint32, dist []float64, count []uint32) int {
		return emitNearVector(emitNearAVX2, emitWrappedAVX2, emitSquaredVectorAVX2, q, lo, hi, d, runs, boxes, side, t, out, dist, count)
	},
	EmitSelf: func(p *Points, lo, hi, begin, end int, runs []Run, t float64, out []uint32, count []uint32) int {
		return emitSelfVector(emitAVX2, p, lo, hi, begin, end, runs, t, out, count)
	},
	EmitSelfSquared: func(p *Points, lo, hi, begin, end int, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
		return emitSelfSquaredVector(emitSquaredAVX2, p, lo, hi, begin, end, runs, t, out, dist, count)
	},
	Half: func(p *Points, lo, hi, end int, runs []Run, t float64, count []uint32) {
		halfVector(halfAVX2, p, lo, hi, end, runs, t, count)
	},
	Nearest: func(q *Points, i int, d *Points, runs []Run, skip uint32, k int, dist []float64, id []uint32) {
		nearestVector(emitSquaredAVX2, q, i, d, runs, skip, k, dist, id)
	},
	Least:  leastRanks,
	Bounds: boundsGeneric,
	Roots:  func(x []float64) { rootsVector(rootsAVX2, x) },
	Windows: func(keys, query []uint64, windows []Window, cells []Run, end []uint32) {
		windowsVector(windowsAVX2, keys, query, windows, cells, end)
	},
	Hist: func(q *Points, lo, hi, end int, d *Points, runs []Run, h *Histogram) {
		histVector(histAVX2, q, lo, hi, end, d, runs, h)
	},
}

var funcsAVX512 = Funcs{
	Name: "avx512",
	Count: func(q *Points, lo, hi int, d *Points, runs []Run, t float64, count []uint32) {
		countVector(countAVX512, q, lo, hi, d, runs, t, count)
	},
	Emit: func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, count []uint32) int {
		return emitVector(emitAVX512, q, lo, hi, d, runs, t, out, count)
	},
	EmitSquared: emitSquaredVectorAVX512,
	EmitNear: func(q *Points, lo, hi int, d *Points, runs []Run, boxes, side []float64, t float64, out []uint32, dist []float64, count []uint32) int {
		return emitNearVector(emitNearAVX512, emitWrappedAVX512, emitSquaredVectorAVX512, q, lo, hi, d, runs, boxes, side, t, out, dist, count)
	},
	EmitSelf: func(p *Points, lo, hi, begin, end int, runs []Run, t float64, out []uint32, count []uint32) int {
		return emitSelfVector(emitAVX512, p, lo, hi, begin, end, runs, t, out, count)
	},
	EmitSelfSquared: func(p *Points, lo, hi, begin, end int, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
		return emitSelfSquaredVector(emitSquaredAVX512, p, lo, hi, begin, end, runs, t, out, dist, count)
	},
	Half: func(p *Points, lo, hi, end int, runs []Run, t float64, count []uint32) {
		halfVector(halfAVX512, p, lo, hi, end, runs, t, count)
	},
	Nearest: nearestVectorAVX512,
	Least:   leastVector,
	Bounds:  boundsVector,
	Roots:   func(x []float64) { rootsVector(rootsAVX512, x) },
	Windows: func(keys, query []uint64, windows []Window, cells []Run, end []uint32) {
		windowsVector(windowsAVX512, keys, query, windows, cells, end)
	},
	Hist: func(q *Points, lo, hi, end int, d *Points, runs []Run, h *Histogram) {
		kernel := histAVX512
		if shortRuns(hi, end, runs) {
			kernel = histAVX2
		}
		histVector(kernel, q, lo, hi, end, d, runs, h)
	},
}

// shortRuns reports whether runs, and the queries' own candidates up to end,
// are so short that a histogram reads d² back before a store of 64 bytes is
// through, which stores of 32 bytes do not mind.
func shortRuns(hi, end int, runs []Run) bool {
	n := max(0, end-hi)
	for _, r := range runs {
		n += int(r.Hi - r.Lo)
	}
	return n < 32*(len(runs)+1)
}

func emitSquaredVectorAVX2(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
	return emitSquaredVector(emitSquaredAVX2, q, lo, hi, d, runs, t, out, dist, count)
}

func emitSquaredVectorAVX512(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
	return emitSquaredVector(emitSquaredAVX512, q, lo, hi, d, runs, t, out, dist, count)
}

// emitNearVector lets a kernel look at boxes and runs, or the one that wraps
// if there is a side, unless the runs are too long for it: then emit looks at
// those near each query.
func emitNearVector(kernel, wrapped int, emit emitter, q *Points, lo, hi int, d *Points, runs []Run, boxes, side []float64, t float64, out []uint32, dist []float64, count []uint32) int {
	total := check(q, lo, hi, d, runs)
	if q.Dim > MaxDim || total > maxWork {
		return emitNear(emit, q, lo, hi, d, runs, boxes, side, t, out, dist, count)
	}
	checkBoxes(d, runs, boxes)
	checkSide(d, side)
	checkCount(hi-lo, count)
	checkRoom(hi-lo, total, d, min(len(out), len(dist)))
	if total == 0 {
		clear(count[:hi-lo])
		return 0
	}
	var a args
	a.set(q, lo, d, t)
	a.out, a.dist, a.boxes = &out[0], &dist[0], &boxes[0]
	if side != nil {
		kernel, a.side = wrapped, &side[0]
	}
	walk(kernel+q.Dim, hi-lo, runs, total, &a, count)
	return a.n
}
