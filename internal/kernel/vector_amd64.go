//go:build !purego

package kernel

import "unsafe"

// args is what the assembly reads, word by word; the generator checks the
// layout. Strides are in bytes. Queries are first … first+nq-1 of q, whose
// counts have the same numbers.
type args struct {
	q, d    *float64
	id      *uint32
	runs    *Run
	count   *uint32
	out     *uint32
	dist    *float64
	qStride int
	dStride int
	first   int
	nq      int // counted down to 0
	nruns   int
	n       int // results so far
	t       float64

	// Kept by the assembly while it runs; they may point past the end, which
	// the garbage collector must not see.
	nextQ, nextCount, runsEnd uintptr
}

// maxWork bounds the candidates of one call: assembly cannot be preempted, and
// this much takes less than 100 µs.
const maxWork = 1 << 16

func newArgs(q *Points, lo int, d *Points, t float64) args {
	return args{
		q: &q.Data[lo], d: &d.Data[0], id: unsafe.SliceData(d.ID),
		qStride: q.Stride * 8, dStride: d.Stride * 8, t: t,
	}
}

// walk calls a kernel for n queries and the given runs, which hold total
// points, in pieces of about maxWork candidates at most.
func walk(kernel, n int, runs []Run, total int, a *args, count []uint32) {
	a.count = unsafe.SliceData(count)
	if total <= maxWork {
		if total == 0 {
			return
		}
		a.runs, a.nruns = &runs[0], len(runs)
		for step := maxWork / total; a.first < n; a.first += step {
			a.nq = min(step, n-a.first)
			call(kernel, a)
		}
		return
	}
	// A query has too many candidates for one call. Emitting sets its count
	// to that of the last piece, counting adds to it: either way the count is
	// what the pieces add to zero.
	var piece Run
	a.runs, a.nruns = &piece, 1
	for ; a.first < n; a.first++ {
		sum := count[a.first]
		for _, r := range runs {
			for piece.Lo = r.Lo; piece.Lo < r.Hi; piece.Lo = piece.Hi {
				piece.Hi = piece.Lo + min(maxWork, r.Hi-piece.Lo)
				count[a.first] = 0
				a.nq = 1
				call(kernel, a)
				sum += count[a.first]
			}
		}
		count[a.first] = sum
	}
}

func countVector(kernel int, q *Points, lo, hi int, d *Points, runs []Run, t float64, count []uint32) {
	if q.Dim > MaxDim {
		countGeneric(q, lo, hi, d, runs, t, count)
		return
	}
	total := check(q, lo, hi, d, runs)
	checkCount(hi-lo, count)
	a := newArgs(q, lo, d, t)
	walk(kernel+q.Dim, hi-lo, runs, total, &a, count)
}

func emitVector(kernel int, q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, count []uint32) int {
	if q.Dim > MaxDim {
		return emitGeneric(q, lo, hi, d, runs, t, out, count)
	}
	total := check(q, lo, hi, d, runs)
	checkCount(hi-lo, count)
	checkRoom(hi-lo, total, d, len(out))
	a := newArgs(q, lo, d, t)
	a.out = &out[0]
	clear(count[:hi-lo])
	walk(kernel+q.Dim, hi-lo, runs, total, &a, count)
	return a.n
}

func emitSquaredVector(kernel int, q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
	if q.Dim > MaxDim {
		return emitSquaredGeneric(q, lo, hi, d, runs, t, out, dist, count)
	}
	total := check(q, lo, hi, d, runs)
	checkCount(hi-lo, count)
	checkRoom(hi-lo, total, d, min(len(out), len(dist)))
	a := newArgs(q, lo, d, t)
	a.out, a.dist = &out[0], &dist[0]
	clear(count[:hi-lo])
	walk(kernel+q.Dim, hi-lo, runs, total, &a, count)
	return a.n
}

var funcsAVX2 = Funcs{
	Name: "avx2",
	Count: func(q *Points, lo, hi int, d *Points, runs []Run, t float64, count []uint32) {
		countVector(countAVX2, q, lo, hi, d, runs, t, count)
	},
	Emit: func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, count []uint32) int {
		return emitVector(emitAVX2, q, lo, hi, d, runs, t, out, count)
	},
	EmitSquared: func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
		return emitSquaredVector(emitSquaredAVX2, q, lo, hi, d, runs, t, out, dist, count)
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
	EmitSquared: func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
		return emitSquaredVector(emitSquaredAVX512, q, lo, hi, d, runs, t, out, dist, count)
	},
}
