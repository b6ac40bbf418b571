package neighbors

import (
	"context"
	"fmt"
	"slices"

	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
)

// maxPairs bounds the candidates of one kernel call: assembly cannot be interrupted,
// and a call should take less than 100 µs.
const maxPairs = 1 << 18

// cells is an order of the query points in which neighbours are near each other, cut
// into cells whose points share their candidates. A cell is that of a grid or a leaf
// of a tree.
type cells struct {
	query, data *kernel.Points
	start       []uint32               // where each cell of query begins, and the end
	cell        func(position int) int // the cell of a query
	dataStart   []uint32               // the same for data
	dataCell    func(position int) int
	position    func() []uint32             // of every query row
	finder      func() func(cell int) found // finds candidates, for one goroutine
}

// found holds the candidates of a cell.
type found struct {
	direct []kernel.Run // to be compared
	wrap   []kernel.Run // to be compared by their minimum images
	whole  []kernel.Run // near every point of the cell: no need to compare them
}

// A cellEngine joins rows cell by cell. For every cell it finds the runs of
// candidates once and passes them to the kernel with all query rows of the cell.
type cellEngine struct {
	emitter    // of the lists of the batch being filled
	cells      *cells
	find       func(cell int) found
	found                   // the candidates of the cell last visited
	own        kernel.Run   // in joins: of a self-join, the run that contains the queries
	others     []kernel.Run // the other direct runs
	filter     boxFilter
	room, most int

	queryRows               // the rows to do
	piece     [1]kernel.Run // here because arguments of kernels escape
	counts    []uint32      // per query of a block
	batch     *Batch
	done      int // rows in the batch or delivered
	sent      int // rows delivered
	looked    int // pairs since ctx was last checked
}

func newCellEngine(p *Plan, c *cells, room, most int) *cellEngine {
	e := &cellEngine{emitter: newEmitter(p, c.query, c.data), cells: c, room: room, most: most, batch: &Batch{}}
	e.find = c.finder()
	e.filter = newBoxFilter(c.data, c.dataStart, c.dataCell)
	return e
}

// segments calls f for every longest sequence of consecutive positions in one cell,
// after finding its candidates.
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

// zeroed returns n counts that are 0.
func (e *cellEngine) zeroed(n int) []uint32 {
	e.counts = slices.Grow(e.counts[:0], n)[:n]
	clear(e.counts)
	return e.counts
}

func (e *cellEngine) count(ctx context.Context, rows []uint32, count []int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.locate(e.query.ID[:e.query.N], e.cells.position, rows)
	order := e.query.ID
	q, d := e.query, e.data
	self := int64(0)
	if e.p.self {
		self = 1
	}
	return e.segments(func(lo, hi int) error {
		runs, whole := e.direct, int64(grid.Points(e.whole))-self
		if e.filter.split(q, lo, hi, runs, e.p.t) {
			runs = e.filter.compare
			whole += int64(grid.Points(e.filter.inside))
		}
		block := max(1, maxPairs/max(1, grid.Points(runs)))
		for ; lo < hi; lo += block {
			end := min(lo+block, hi)
			counts := e.zeroed(end - lo)
			if len(runs) > 0 {
				e.fn.Count(q, lo, end, d, runs, e.p.t, counts)
			}
			for i := lo; i < end; i++ {
				n := int64(counts[i-lo]) + whole
				if len(e.wrap) > 0 {
					n += countWrapped(q, i, d, e.wrap, e.side, e.p.t)
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

// pause reports whether ctx is cancelled. It checks only after enough work.
func (e *cellEngine) pause(ctx context.Context, queries int, runs []kernel.Run) error {
	if e.looked += queries * (grid.Points(runs) + 8*grid.Points(e.wrap)); e.looked < 64*maxPairs {
		return nil
	}
	e.looked = 0
	return ctx.Err()
}

func (e *cellEngine) join(ctx context.Context, rows []uint32, flush func(*Batch) (*Batch, error)) ([]uint32, error) {
	if err := ctx.Err(); err != nil {
		return rows, err
	}
	e.locate(e.query.ID[:e.query.N], e.cells.position, rows)
	e.done, e.sent = 0, 0
	e.start()
	err := e.segments(func(lo, hi int) error {
		e.direct = append(e.direct, e.whole...)
		e.whole = nil
		e.own, e.others = kernel.Run{}, e.direct
		if e.p.self {
			e.own, e.others = splitOwn(e.direct, lo)
		}
		n := grid.Points(e.direct)
		for lo < hi {
			if len(e.wrap) > 0 || n > e.room {
				if err := e.emitOne(lo); err != nil {
					return err
				}
				if err := e.pause(ctx, 1, e.direct); err != nil {
					return err
				}
				if lo++; len(e.index) < e.room {
					continue
				}
			} else {
				free := e.room - len(e.index)
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
	e.index, e.dist = e.batch.Index[:0], e.batch.Dist[:0]
	e.grow(e.room)
	e.batch.Offset = append(e.batch.Offset[:0], 0)
}

// grow makes room for n more neighbours.
func (e *cellEngine) grow(n int) {
	e.index = slices.Grow(e.index, n+kernel.Slack)
	if e.p.within.Distance {
		e.dist = slices.Grow(e.dist, n+kernel.Slack)
	}
}

// flush delivers the batch.
func (e *cellEngine) flush(flush func(*Batch) (*Batch, error)) error {
	b := e.batch
	b.Rows = append(b.Rows[:0], e.rows[e.sent:e.done]...)
	b.Index, b.Dist = e.index, e.dist
	if e.p.within.Distance {
		for i, r := range b.Rows {
			e.p.finish(r, b.List(i), b.Dists(i))
		}
	}
	next, err := flush(b)
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
	e.list(lo, hi, e.own, false, e.others, counts)
	end := e.batch.Offset[len(e.batch.Offset)-1]
	for _, c := range counts {
		end += int64(c)
		e.batch.Offset = append(e.batch.Offset, end)
	}
	e.done += hi - lo
}

// emitOne appends the list of a query with more candidates than a batch has room
// for, or with candidates that wrap. It takes them piece by piece.
func (e *cellEngine) emitOne(i int) error {
	begin := len(e.index)
	pieces := func(r kernel.Run) error {
		for r.Lo < r.Hi {
			n := min(int(r.Hi-r.Lo), maxPairs)
			e.piece[0] = kernel.Run{Lo: r.Lo, Hi: r.Lo + uint32(n)}
			r.Lo += uint32(n)
			e.grow(n)
			e.list(i, i+1, kernel.Run{}, false, e.piece[:], e.zeroed(1))
			if len(e.index)-begin > e.most {
				return e.tooMany(i)
			}
		}
		return nil
	}
	if e.own.Hi > 0 { // without the query itself
		if err := pieces(kernel.Run{Lo: e.own.Lo, Hi: uint32(i)}); err != nil {
			return err
		}
		if err := pieces(kernel.Run{Lo: uint32(i + 1), Hi: e.own.Hi}); err != nil {
			return err
		}
	}
	for _, r := range e.others {
		if err := pieces(r); err != nil {
			return err
		}
	}
	e.wrapped(i, e.wrap, false)
	if len(e.index)-begin > e.most {
		return e.tooMany(i)
	}
	e.batch.Offset = append(e.batch.Offset, int64(len(e.index)))
	e.done++
	return nil
}

// tooMany returns the error for a list that has to be whole and has no room.
func (e *cellEngine) tooMany(i int) error {
	return fmt.Errorf("%w: row %d has more than the %d neighbours that a batch may hold", ErrMemory, e.query.ID[i], e.most)
}
