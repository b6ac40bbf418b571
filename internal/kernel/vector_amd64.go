//go:build !purego

package kernel

import "unsafe"

// maxWork bounds the candidates of one call: assembly cannot be preempted, and
// this much takes less than 100 µs.
const maxWork = 1 << 16

// set fills in what every kernel needs, in place: a block that is copied after
// it has been put together word by word stalls on its own stores.
func (a *args) set(q *Points, lo int, d *Points, t float64) {
	a.q, a.d, a.id = &q.Data[lo], &d.Data[0], unsafe.SliceData(d.ID)
	a.qStride, a.dStride = q.Stride*8, d.Stride*8
	a.t = t
	a.begin = int(None)
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
		step := n
		if n*total > maxWork {
			step = maxWork / total
		}
		for ; a.first < n; a.first += step {
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
	var a args
	a.set(q, lo, d, t)
	walk(kernel+q.Dim, hi-lo, runs, total, &a, count)
}

// results sets where results go: dist is nil where d² is not wanted, which is
// what the second of the kernels writes too. It returns the one to call.
func (a *args) results(kernel, squared int, out []uint32, dist []float64) int {
	a.out = &out[0]
	if dist == nil {
		return kernel
	}
	a.dist = &dist[0]
	return squared
}

func emitVector(kernel, squared int, q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
	if q.Dim > MaxDim {
		return emitGeneric(q, lo, hi, d, runs, t, out, dist, count)
	}
	total := check(q, lo, hi, d, runs)
	checkCount(hi-lo, count)
	checkRoom(hi-lo, total, d, room(out, dist))
	var a args
	a.set(q, lo, d, t)
	kernel = a.results(kernel, squared, out, dist)
	clear(count[:hi-lo])
	walk(kernel+q.Dim, hi-lo, runs, total, &a, count)
	return a.n
}

func emitSelfVector(kernel, squared int, p *Points, lo, hi, begin, end int, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int {
	if p.Dim > MaxDim {
		return emitSelfGeneric(p, lo, hi, begin, end, runs, t, out, dist, count)
	}
	most := checkSelf(p, lo, hi, begin, end, runs, room(out, dist), count)
	var a args
	a.set(p, lo, p, t)
	kernel = a.results(kernel, squared, out, dist)
	emitSelf(kernel+p.Dim, lo, hi, begin, end, runs, most, &a, count)
	return a.n
}

// emitSelf is walk for the emit kernels with candidates around each query, of
// which there are no more than most.
func emitSelf(kernel, lo, hi, begin, end int, runs []Run, most int, a *args, count []uint32) {
	a.count = unsafe.SliceData(count)
	n := hi - lo
	if most <= maxWork {
		a.runs, a.nruns = unsafe.SliceData(runs), len(runs)
		a.begin, a.end, a.nextRow = begin, end, uintptr(lo)
		step := n
		if n*most > maxWork {
			step = maxWork / most
		}
		for ; a.first < n; a.first += step {
			a.nq = min(step, n-a.first)
			call(kernel, a)
		}
		return
	}
	var piece Run
	a.runs, a.nruns = &piece, 1
	for ; a.first < n; a.first++ {
		before := a.n
		for _, r := range around(lo+a.first, begin, end) {
			if r.Lo < r.Hi {
				callPieces(kernel, maxWork, a, &piece, r)
			}
		}
		for _, r := range runs {
			callPieces(kernel, maxWork, a, &piece, r)
		}
		count[a.first] = uint32(a.n - before)
	}
}

// walkOwn is walk for queries from a block, with pieces of about limit
// candidates: those of query i are (i, end) and runs.
func walkOwn(kernel, lo, hi, end int, runs []Run, total, limit int, a *args) {
	a.runs, a.nruns, a.end = unsafe.SliceData(runs), len(runs), end
	each := total + max(0, end-lo)
	if each <= limit {
		step := hi - lo
		if step*each > limit {
			step = limit / each
		}
		for a.first = lo; a.first < hi; a.first += step {
			a.nq = min(step, hi-a.first)
			call(kernel, a)
		}
		return
	}
	var piece Run
	a.runs, a.nruns, a.end = &piece, 1, 0
	for a.first = lo; a.first < hi; a.first++ {
		if a.first+1 < end {
			callPieces(kernel, limit, a, &piece, Run{uint32(a.first + 1), uint32(end)})
		}
		for _, r := range runs {
			callPieces(kernel, limit, a, &piece, r)
		}
	}
}

func halfVector(kernel int, p *Points, lo, hi, end int, runs []Run, t float64, count []uint32) {
	if p.Dim > MaxDim {
		halfGeneric(p, lo, hi, end, runs, t, count)
		return
	}
	total := checkHalf(p, lo, hi, end, runs, count)
	var a args
	a.set(p, 0, p, t)
	a.count = &count[0]
	walkOwn(kernel+p.Dim, lo, hi, end, runs, total, maxWork, &a)
}

func histVector(kernel int, q *Points, lo, hi, end int, d *Points, runs []Run, h *Histogram) {
	b := h.bins
	if q.Dim > MaxDim || b.table == nil {
		histGeneric(q, lo, hi, end, d, runs, h)
		return
	}
	total, pairs := histPairs(q, lo, hi, end, d, runs)
	if pairs > 1<<31 && hi-lo > 1 {
		mid := lo + (hi-lo)/2
		histVector(kernel, q, lo, mid, end, d, runs, h)
		histVector(kernel, q, mid, hi, end, d, runs, h)
		return
	}
	h.expect(pairs)
	var a args
	a.set(q, 0, d, b.edges[b.n])
	a.dist, a.bins = &h.buffer[0], &h.small[0]
	a.table, a.firstKey, a.shift, a.low = &b.table[0], b.firstKey, b.shift, b.low
	walkOwn(kernel+q.Dim, lo, hi, end, runs, total, histBuffer, &a)
}

// callPieces calls a kernel for one query and a run, in pieces of limit
// candidates; piece is the run of a.
func callPieces(kernel, limit int, a *args, piece *Run, r Run) {
	for piece.Lo = r.Lo; piece.Lo < r.Hi; piece.Lo = piece.Hi {
		piece.Hi = piece.Lo + min(uint32(limit), r.Hi-piece.Lo)
		a.nq = 1
		call(kernel, a)
	}
}

// maxList is the longest list that Nearest keeps in registers.
const maxList = 32

func nearestVectorAVX512(q *Points, i int, d *Points, runs []Run, skip uint32, k int, dist []float64, id []uint32) {
	if q.Dim > MaxDim || k > maxList {
		nearestVector(emitSquaredAVX512, q, i, d, runs, skip, k, dist, id)
		return
	}
	total := checkNearest(q, i, d, runs, k, dist, id)
	if total == 0 {
		return
	}
	kernel := nearestInRegisters[(k-1)/8] + q.Dim
	var a args
	a.set(q, i, d, 0)
	a.dist, a.out, a.skip, a.last = &dist[0], &id[0], int(skip), (k-1)%8
	if total <= maxWork {
		a.runs, a.nruns = &runs[0], len(runs)
		call(kernel, &a)
		return
	}
	var piece Run
	a.runs, a.nruns = &piece, 1
	for _, r := range runs {
		callPieces(kernel, maxWork, &a, &piece, r)
	}
}

// nearestInRegisters are the kernels for lists of up to 8, 16, 24, 32.
var nearestInRegisters = [maxList / 8]int{nearest8xAVX512, nearest16xAVX512, nearest24xAVX512, nearest32xAVX512}

// nearestVector lets an Emit kernel with d² find the candidates within the
// bound of the list, block by block, and inserts them.
func nearestVector(kernel int, q *Points, i int, d *Points, runs []Run, skip uint32, k int, dist []float64, id []uint32) {
	if q.Dim > MaxDim {
		nearestGeneric(q, i, d, runs, skip, k, dist, id)
		return
	}
	if checkNearest(q, i, d, runs, k, dist, id) == 0 {
		return
	}
	var (
		foundDist [nearestBlock + Slack]float64
		foundID   [nearestBlock + Slack]uint32
		count     [1]uint32
		piece     Run
	)
	kernel += q.Dim
	var a args
	a.set(q, i, d, 0)
	a.dist, a.out, a.count = &foundDist[0], &foundID[0], &count[0]
	a.runs, a.nruns = &piece, 1
	dist, id = dist[:k], id[:k]
	for _, r := range runs {
		for piece.Lo = r.Lo; piece.Lo < r.Hi; piece.Lo = piece.Hi {
			piece.Hi = piece.Lo + min(nearestBlock, r.Hi-piece.Lo)
			a.t, a.nq, a.n = dist[k-1], 1, 0
			call(kernel, &a)
			for m, d2 := range foundDist[:a.n] {
				if foundID[m] != skip {
					insert(d2, foundID[m], dist, id)
				}
			}
		}
	}
}

func rootsVector(kernel int, x []float64) {
	// A piece takes less than 100 µs.
	for len(x) >= 8 {
		n := min(len(x)/8, maxWork/8)
		a := args{dist: &x[0], nq: n}
		call(kernel, &a)
		x = x[8*n:]
	}
	rootsGeneric(x)
}

// boundsVector leaves short lists, and the end of others, to portable code.
func boundsVector(points, least, most []float64) {
	dim := len(least)
	n := checkBounds(points, least, most)
	if n < 32 || dim > MaxDim {
		boundsGeneric(points, least, most)
		return
	}
	var lanes [2 * 8 * MaxDim]float64
	a := args{d: &points[0], dist: &lanes[0], nq: n / 8}
	call(boundsAVX512+dim, &a)
	copy(least, lanes[:dim])
	copy(most, lanes[8*dim:])
	for i := range 8 * dim {
		c := i % dim
		least[c], most[c] = min(least[c], lanes[i]), max(most[c], lanes[8*dim+i])
	}
	for i := n / 8 * 8 * dim; i < len(points); i += dim {
		for c := range dim {
			least[c], most[c] = min(least[c], points[i+c]), max(most[c], points[i+c])
		}
	}
}
