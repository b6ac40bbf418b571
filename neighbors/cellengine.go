package neighbors

import (
	"context"
	"fmt"
	"slices"

	"skyjoin/internal/kernel"
)

// maxPairs bounds the candidates of one kernel call: assembly cannot be
// interrupted, and a call should stay below 100 µs.
const maxPairs = 1 << 18

// cells is an order of the query points in which neighbours are near each
// other, cut into cells whose points have the same candidates. A cell is one
// of a grid, or a leaf of a tree.
type cells struct {
	query, data *kernel.Points
	start       []uint32               // where each cell of query begins, and the end
	cell        func(position int) int // that a query is in
	dataStart   []uint32               // the same for data
	dataCell    func(position int) int
	position    func() []uint32             // of every query row
	finder      func() func(cell int) found // finds candidates, for one goroutine
}

// found is the candidates of a cell.
type found struct {
	direct []kernel.Run // to be compared
	wrap   []kernel.Run // to be compared by their minimum images
	whole  []kernel.Run // near every point of the cell: not to be compared
}

// A cellEngine joins rows by cells. For every cell with rows to do it finds
// the runs of candidates once and gives them to the kernel with all the rows.
type cellEngine struct {
	p           *Plan
	fn          *kernel.Funcs
	cells       *cells
	query, data *kernel.Points
	emitted     kernel.Points // data, with what Emit is to report
	find        func(cell int) found
	found       // the candidates of the cell last visited
	sieve       sieve
	room, most  int

	rows   []uint32 // those to do, in the order of the grid
	pos    []uint32 // their positions
	counts []uint32 // per query of a block
	buf    []uint32 // neighbours of the batch being filled
	batch  *Batch
	done   int // rows that are in the batch or delivered
	sent   int // rows delivered
	looked int // pairs since ctx was asked last
}

func newCellEngine(p *Plan, c *cells, room, most int) *cellEngine {
	e := &cellEngine{p: p, fn: p.kernels(), cells: c, query: c.query, data: c.data, room: room, most: most, batch: &Batch{}}
	e.find = c.finder()
	e.sieve = sieve{data: c.data, start: c.dataStart, cell: c.dataCell, query: newBox(p.query.Dim()), other: newBox(p.query.Dim())}
	e.emitted = *e.data
	if p.within.Distance {
		e.emitted.ID = p.positions()
	}
	return e
}

// locate sets rows and pos, in the order of the grid.
func (e *cellEngine) locate(rows []uint32) {
	e.pos = e.pos[:0]
	inverse := e.cells.position()
	for _, r := range rows {
		e.pos = append(e.pos, inverse[r])
	}
	if !slices.IsSorted(e.pos) {
		slices.Sort(e.pos)
	}
	e.rows = e.rows[:0]
	order := e.query.ID
	for _, i := range e.pos {
		e.rows = append(e.rows, order[i])
	}
}

// segments calls f for every longest stretch of positions that are in one cell
// and follow each other, after its candidates have been found.
func (e *cellEngine) segments(f func(lo, hi int) error) error {
	start := e.cells.start
	visited := -1
	for k := 0; k < len(e.pos); {
		at := e.pos[k]
		cell := visited
		if cell < 0 || at >= start[cell+1] {
			if cell++; at < start[cell] || at >= start[cell+1] {
				cell = e.cells.cell(int(at))
			}
		}
		end := k + 1
		for end < len(e.pos) && e.pos[end] == e.pos[end-1]+1 && e.pos[end] < start[cell+1] {
			end++
		}
		if cell != visited {
			e.found = e.find(cell)
			visited = cell
		}
		if err := f(int(at), int(at)+end-k); err != nil {
			return err
		}
		k = end
	}
	return nil
}

// candidates is the number of points in runs.
func candidates(runs []kernel.Run) int {
	n := 0
	for _, r := range runs {
		n += int(r.Hi - r.Lo)
	}
	return n
}

// zeroed returns n zero counts.
func (e *cellEngine) zeroed(n int) []uint32 {
	e.counts = slices.Grow(e.counts[:0], n)[:n]
	clear(e.counts)
	return e.counts
}

func (e *cellEngine) count(ctx context.Context, rows []uint32, count []int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.locate(rows)
	order := e.query.ID
	q, d := e.query, e.data
	self := int64(0)
	if e.p.self {
		self = 1
	}
	return e.segments(func(lo, hi int) error {
		runs, whole := e.direct, int64(candidates(e.whole))-self
		if hi-lo >= denseCell {
			var more int64
			runs, more = e.sieve.sift(q, lo, hi, runs, e.p.t)
			whole += more
		}
		block := max(1, maxPairs/max(1, candidates(runs)))
		for ; lo < hi; lo += block {
			end := min(lo+block, hi)
			counts := e.zeroed(end - lo)
			if len(runs) > 0 {
				e.fn.Count(q, lo, end, d, runs, e.p.t, counts)
			}
			for i := lo; i < end; i++ {
				n := int64(counts[i-lo]) + whole
				if len(e.wrap) > 0 {
					n += countWrapped(q, i, d, e.wrap, e.p.query.Side, e.p.t)
				}
				count[order[i]] = n
			}
			if err := e.pause(ctx, end-lo, runs); err != nil {
				return err
			}
		}
		return nil
	})
}

// pause reports whether ctx is cancelled, asking it only after work that
// matters.
func (e *cellEngine) pause(ctx context.Context, queries int, runs []kernel.Run) error {
	if e.looked += queries * (candidates(runs) + 8*candidates(e.wrap)); e.looked < 64*maxPairs {
		return nil
	}
	e.looked = 0
	return ctx.Err()
}

func (e *cellEngine) join(ctx context.Context, rows []uint32, flush func(*Batch) (*Batch, error)) ([]uint32, error) {
	if err := ctx.Err(); err != nil {
		return rows, err
	}
	e.locate(rows)
	e.done, e.sent = 0, 0
	e.start()
	err := e.segments(func(lo, hi int) error {
		e.direct = append(e.direct, e.whole...)
		e.whole = nil
		n := candidates(e.direct)
		for lo < hi {
			if len(e.wrap) > 0 || n > e.room {
				if err := e.emitOne(lo); err != nil {
					return err
				}
				if err := e.pause(ctx, 1, e.direct); err != nil {
					return err
				}
				if lo++; len(e.buf) < e.room {
					continue
				}
			} else {
				free := e.room - len(e.buf)
				block := min(hi-lo, max(1, min(free, maxPairs)/max(1, n)))
				if block*n <= free {
					e.emit(lo, lo+block)
					lo += block
					if err := e.pause(ctx, block, e.direct); err != nil {
						return err
					}
					continue
				}
			}
			if err := e.flush(flush); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && e.done > e.sent {
		err = e.flush(flush)
	}
	return e.rows[e.sent:], err
}

// start begins an empty batch.
func (e *cellEngine) start() {
	e.buf = slices.Grow(e.batch.Index[:0], e.room+kernel.Slack)
	e.batch.Offset = append(e.batch.Offset[:0], 0)
	e.batch.Dist = e.batch.Dist[:0]
}

// flush delivers the batch.
func (e *cellEngine) flush(flush func(*Batch) (*Batch, error)) error {
	e.batch.Rows = append(e.batch.Rows[:0], e.rows[e.sent:e.done]...)
	e.batch.Index = e.buf
	if e.p.within.Distance {
		e.distances()
	}
	next, err := flush(e.batch)
	if next == nil {
		return err
	}
	e.sent = e.done
	e.batch = next
	e.start()
	return err
}

// emit appends the lists of the queries [lo, hi), for which there is room.
func (e *cellEngine) emit(lo, hi int) {
	counts := e.zeroed(hi - lo)
	n := 0
	at := len(e.buf)
	if len(e.direct) > 0 {
		n = e.fn.Emit(e.query, lo, hi, &e.emitted, e.direct, e.p.t, e.buf[at:cap(e.buf)], counts)
	}
	e.buf = e.buf[:at+n]
	if e.p.self {
		e.buf = e.buf[:dropSelf(e.buf, at, counts, e.emitted.ID[lo:hi])]
	}
	end := e.batch.Offset[len(e.batch.Offset)-1]
	for _, c := range counts {
		end += int64(c)
		e.batch.Offset = append(e.batch.Offset, end)
	}
	e.done += hi - lo
}

// dropSelf takes the query itself out of each of the lists that follow each
// other in out from at on, lowers the counts and returns where the lists end
// now. Lists have no order, so instead of moving a list into the gap before it,
// only as much of its end as the gap takes is moved.
func dropSelf(out []uint32, at int, counts, self []uint32) int {
	w, s := at, at
	for i, c := range counts {
		list := out[s : s+int(c)]
		s += int(c)
		last := len(list) - 1
		list[slices.Index(list, self[i])] = list[last]
		list = list[:last]
		gap := s - len(list) - 1 - w
		n := min(gap, len(list))
		copy(out[w:w+n], list[len(list)-n:])
		w += len(list)
		counts[i]--
	}
	return w
}

// emitOne appends the list of a query that has more candidates than a batch
// has room, or such that wrap. It looks at one piece of them after the other.
func (e *cellEngine) emitOne(i int) error {
	q, d := e.query, &e.emitted
	begin := len(e.buf)
	var piece [1]kernel.Run
	for _, r := range e.direct {
		for r.Lo < r.Hi {
			n := min(int(r.Hi-r.Lo), maxPairs)
			piece[0] = kernel.Run{Lo: r.Lo, Hi: r.Lo + uint32(n)}
			r.Lo += uint32(n)
			e.buf = slices.Grow(e.buf, n+kernel.Slack)
			at := len(e.buf)
			n = e.fn.Emit(q, i, i+1, d, piece[:], e.p.t, e.buf[at:cap(e.buf)], e.zeroed(1))
			e.buf = e.buf[:at+n]
			if len(e.buf)-begin > e.most {
				return e.tooMany(i)
			}
		}
	}
	e.buf = appendWrapped(e.buf, q, i, d, e.wrap, e.p.query.Side, e.p.t)
	if len(e.buf)-begin > e.most {
		return e.tooMany(i)
	}
	if e.p.self {
		last := len(e.buf) - 1
		e.buf[begin+slices.Index(e.buf[begin:], e.emitted.ID[i])] = e.buf[last]
		e.buf = e.buf[:last]
	}
	e.batch.Offset = append(e.batch.Offset, int64(len(e.buf)))
	e.done++
	return nil
}

// tooMany is the error for a list that must be whole but has no room.
func (e *cellEngine) tooMany(i int) error {
	return fmt.Errorf("%w: row %d has more than the %d neighbours that a batch may hold", ErrMemory, e.query.ID[i], e.most)
}

// distances turns the positions in the batch into rows, and adds the
// distances. Positions near each other are near in memory; rows are not.
func (e *cellEngine) distances() {
	b := e.batch
	b.Dist = slices.Grow(b.Dist[:0], len(b.Index))[:len(b.Index)]
	rows := e.data.ID
	for k := range b.Rows {
		list, dist := b.List(k), b.Dists(k)
		e.p.distances(e.query, int(e.pos[e.sent+k]), e.data, list, dist)
		for i, at := range list {
			list[i] = rows[at]
		}
	}
}
