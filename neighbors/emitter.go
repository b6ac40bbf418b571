package neighbors

import "skyjoin/internal/kernel"

// An emitter appends the neighbours of query points to index, and their d² to dist
// if distances are wanted.
type emitter struct {
	fn          *kernel.Funcs
	query, data *kernel.Points
	p           *Plan
	side        []float64 // kernel.Sides of the periods
	index       []uint32
	dist        []float64 // nil unless distances are wanted
}

func newEmitter(p *Plan, query, data *kernel.Points) emitter {
	return emitter{fn: kernel.Best(), query: query, data: data, p: p, side: kernel.Sides(p.query.Side)}
}

// list appends the lists of the points [lo, hi) and sets counts. The points are in
// own, unless that is empty, and are not their own neighbours; with after, only
// later points of own count. The other candidates are runs. There must be capacity
// for all candidates of all queries, and Slack.
func (e *emitter) list(lo, hi int, own kernel.Run, after bool, runs []kernel.Run, counts []uint32) {
	if own.Hi-own.Lo <= 1 && len(runs) == 0 {
		clear(counts) // there are no other candidates
		return
	}
	at, t, begin := len(e.index), e.p.t, int(own.Lo)
	if after {
		begin = int(kernel.None)
	}
	out, dist, n := e.index[at:cap(e.index)], []float64(nil), 0
	if e.p.within.Distance {
		dist = e.dist[at:cap(e.dist)]
	}
	if own.Hi == 0 {
		n = e.fn.Emit(e.query, lo, hi, e.data, runs, t, out, dist, counts)
	} else {
		n = e.fn.EmitSelf(e.query, lo, hi, begin, int(own.Hi), runs, t, out, dist, counts)
	}
	if e.index = e.index[:at+n]; dist != nil {
		e.dist = e.dist[:at+n]
	}
}

// wrapped appends the neighbours of point i among the candidates in runs that wrap,
// with after only later ones, and returns how many there are.
func (e *emitter) wrapped(i int, runs []kernel.Run, after bool) uint32 {
	var d2 [wrapBlock]float64
	before := len(e.index)
	for _, r := range runs {
		from := r.Lo
		if after {
			from = max(from, uint32(i+1))
		}
		for ; from < r.Hi; from += min(wrapBlock, r.Hi-from) {
			block := d2[:min(wrapBlock, r.Hi-from)]
			kernel.WrappedSquares(e.query, i, e.data, int(from), e.side, block)
			for m, x := range block {
				j := int(from) + m
				if x > e.p.t || e.p.self && j == i {
					continue
				}
				e.index = append(e.index, e.data.ID[j])
				if e.p.within.Distance {
					e.dist = append(e.dist, x)
				}
			}
		}
	}
	return uint32(len(e.index) - before)
}

// splitOwn returns the run that contains position i, an empty one if there is none,
// and the other runs.
func splitOwn(runs []kernel.Run, i int) (own kernel.Run, others []kernel.Run) {
	for k, r := range runs {
		if r.Lo <= uint32(i) && uint32(i) < r.Hi {
			copy(runs[1:k+1], runs[:k])
			runs[0] = r
			return r, runs[1:]
		}
	}
	return kernel.Run{}, runs
}

// wrapBlock is how many pairs that wrap are measured at once.
const wrapBlock = 64

// countWrapped returns how many points of d in runs are neighbours of point i of q;
// side is [kernel.Sides] of the periods.
func countWrapped(q *kernel.Points, i int, d *kernel.Points, runs []kernel.Run, side []float64, t float64) int64 {
	var buffer [wrapBlock]float64
	n := int64(0)
	for _, r := range runs {
		for ; r.Lo < r.Hi; r.Lo += min(wrapBlock, r.Hi-r.Lo) {
			d2 := buffer[:min(wrapBlock, r.Hi-r.Lo)]
			kernel.WrappedSquares(q, i, d, int(r.Lo), side, d2)
			for _, x := range d2 {
				if x <= t {
					n++
				}
			}
		}
	}
	return n
}
