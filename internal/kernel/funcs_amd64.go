//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

// kernels are what the assembly of an instruction set has, each followed by the
// kernels for 1 to MaxDim dimensions where these differ.
type kernels struct {
	count, emit, emitSquared, emitNear, emitWrapped, half, roots, windows, arithmetic, most, parts int
}

// funcs makes functions of kernels. The others, which have more than numbers to
// tell them apart, are set by the instruction sets.
func (k kernels) funcs(name string) Funcs {
	emit := func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
		return emitVector(k.emit, k.emitSquared, q, lo, hi, d, runs, t, out, dist, count)
	}
	return Funcs{
		Name: name,
		Count: func(q *Points, lo, hi int, d *Points, runs []Run, t float64, count []uint32) {
			countVector(k.count, q, lo, hi, d, runs, t, count)
		},
		Emit: emit,
		EmitSelf: func(p *Points, lo, hi, begin, end int, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
			return emitSelfVector(k.emit, k.emitSquared, p, lo, hi, begin, end, runs, t, out, dist, count)
		},
		EmitNear: func(q *Points, lo, hi int, d *Points, runs []Run, boxes, side []float64, t float64, out []uint32, dist []float64, count []uint32) int {
			return emitNearVector(k.emitNear, k.emitWrapped, emit, q, lo, hi, d, runs, boxes, side, t, out, dist, count)
		},
		Half: func(p *Points, lo, hi, end int, runs []Run, t float64, count []uint32) {
			halfVector(k.half, p, lo, hi, end, runs, t, count)
		},
		Apply: func(op Operation, x, y, z []float64) { applyVector(k.arithmetic, op, x, y, z) },
		Parts: func(x []float64, out *[16]float64) bool { return partsVector(k.most, k.parts, x, out) },
		Roots: func(x []float64) { rootsVector(k.roots, x) },
		Windows: func(keys, query []uint64, windows []Window, cells []Run, end []uint32) {
			windowsVector(k.windows, keys, query, windows, cells, end)
		},
	}
}

var funcsAVX2 = func() Funcs {
	f := kernels{countAVX2, emitAVX2, emitSquaredAVX2, emitNearAVX2, emitWrappedAVX2, halfAVX2, rootsAVX2, windowsAVX2, arithmeticAVX2, mostAVX2, partsAVX2}.funcs("avx2")
	f.Nearest = func(q *Points, i int, d *Points, runs []Run, skip uint32, k int, dist []float64, id []uint32) {
		nearestVector(emitSquaredAVX2, q, i, d, runs, skip, k, dist, id)
	}
	f.Least, f.Bounds = leastRanks, boundsGeneric
	f.Hist = func(q *Points, lo, hi, end int, d *Points, runs []Run, h *Histogram) {
		histVector(histAVX2, q, lo, hi, end, d, runs, h)
	}
	return f
}()

var funcsAVX512 = func() Funcs {
	f := kernels{countAVX512, emitAVX512, emitSquaredAVX512, emitNearAVX512, emitWrappedAVX512, halfAVX512, rootsAVX512, windowsAVX512, arithmeticAVX512, mostAVX512, partsAVX512}.funcs("avx512")
	f.Nearest, f.Least, f.Bounds = nearestVectorAVX512, leastVector, boundsVector
	f.Hist = func(q *Points, lo, hi, end int, d *Points, runs []Run, h *Histogram) {
		kernel := histAVX512
		if shortRuns(hi, end, runs) {
			kernel = histAVX2
		}
		histVector(kernel, q, lo, hi, end, d, runs, h)
	}
	return f
}()

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

func vector() []*Funcs {
	x := &cpu.X86
	var all []*Funcs
	if x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasPOPCNT && x.HasFMA {
		all = append(all, &funcsAVX2)
		if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL {
			all = append(all, &funcsAVX512)
		}
	}
	return all
}
