package grid

import (
	"math"
	"sort"

	"skyjoin/internal/kernel"
)

// A Sweep finds the candidates of cells of one grid among the points of
// another of the same geometry, or the same grid. It is fast when cells come
// in ascending order, and right in any.
type Sweep struct {
	// Direct and Wrapped are the runs of candidates of the cell last visited.
	// Pairs of Wrapped must be looked at with the minimum image arithmetic
	// over all periodic axes; of Direct without it.
	Direct, Wrapped []kernel.Run

	// Cells are the cells of these runs, for each row of cells of its own: a
	// run of cells, by their numbers. They must not be changed.
	Cells []kernel.Run

	query, data *Grid
	fn          *kernel.Funcs
	forward     bool   // see NewForwardSweep
	last        *axis  // of the runs; nil if nothing is gridded
	limit       int64  // on the reach of all axes
	reach       uint64 // in the last dimension
	offsets     []offset
	windows     []kernel.Window // of each offset: the sweep pointers
	direct      int             // offsets that do not turn, the first ones
	ahead       ahead           // candidates at these
	cells       []kernel.Run    // Cells, where there are others
	ownRow      kernel.Window   // for Row
	ownAt       uint64          // key of the cell last given to Row
	ownCells    [1]kernel.Run   // Cells after Row
	wrapped     [3][]int        // the others that can be used in the present row, by where the last dimension turns
	row         uint64          // of cells in the last dimension, for wrapped
	at          uint64          // key that wrapped were last used at
}

// An offset is one place of a row of cells relative to another.
type offset struct {
	delta []int64 // cells to go in each leading dimension, before
	turn  []int64 // the cells of so many periods are added; nil: none
}

const (
	aheadCells  = 64   // cells that candidates are found of together, at most
	aheadRanges = 1024 // and ranges of candidates
)

// An ahead holds the candidates of cells that follow each other, found together
// before they are asked for: the more of them, the longer a sweep has gone from
// one cell to the next.
type ahead struct {
	first, n int          // cells
	ranges   []kernel.Run // of cells, in the windows of each
	end      []uint32     // of each cell, of how many ranges they are up to there
}

// NewSweep returns a sweep for the cells of query over data.
func NewSweep(query, data *Grid) *Sweep { return newSweep(query, data, math.MaxInt64) }

// NewForwardSweep returns a sweep for the cells of g over g itself that sets
// Direct to candidates that do not come before the cell: the cell itself, with
// which the first run begins, and what follows in the order. Over all cells,
// pairs that do not wrap are found once. Wrapped has all candidates that wrap.
func NewForwardSweep(g *Grid) *Sweep {
	s := &Sweep{query: g, data: g, fn: kernel.Best(), forward: true, limit: math.MaxInt64}
	s.init()
	return s
}

// newSweep is NewSweep, but for cells up to limit away only.
func newSweep(query, data *Grid, limit int64) *Sweep {
	s := &Sweep{query: query, data: data, fn: kernel.Best(), limit: limit}
	s.init()
	return s
}

// init finds the offsets.
func (s *Sweep) init() {
	s.row = math.MaxUint64
	data, limit := s.data, s.limit
	axes := data.Geometry.axes
	if len(axes) == 0 {
		return
	}
	s.last = &axes[len(axes)-1]
	s.reach = uint64(min(int64(s.last.reach), limit))
	leading := axes[:len(axes)-1]
	// Direct offsets come first, in ascending order of their runs.
	s.addOffsets(leading, nil, nil, false)
	s.direct = len(s.windows)
	if data.Geometry.wraps {
		s.addOffsets(leading, nil, nil, true)
	}
}

// addOffsets appends all offsets that continue delta and turn in the remaining
// leading axes: those that wrap in some dimension, or those that do not.
func (s *Sweep) addOffsets(axes []axis, delta, turn []int64, wrapped bool) {
	if i := len(delta); i < len(axes) {
		a := &axes[i]
		r := min(int64(a.reach), s.limit)
		for d := -r; d <= r; d++ {
			next := append(delta[:i:i], d)
			s.addOffsets(axes, next, append(turn[:i:i], 0), wrapped)
			if a.wraps && wrapped && d != 0 {
				t := int64(1)
				if d > 0 {
					t = -1
				}
				s.addOffsets(axes, next, append(turn[:i:i], t), wrapped)
			}
		}
		return
	}
	turns := false
	var shift int64
	for i, a := range axes {
		turns = turns || turn[i] != 0
		shift += (delta[i] + turn[i]*int64(a.cells)) * int64(a.stride)
	}
	for t := int64(-1); t <= 1; t++ { // turns of the last dimension
		if (turns || t != 0) != wrapped || t != 0 && !s.last.wraps {
			continue
		}
		var o offset
		back := s.reach // cells of the run before the place itself
		if s.forward && !wrapped {
			// A row of cells further on in a leading dimension comes after all
			// of this one.
			if shift < 0 {
				continue
			}
			if shift == 0 {
				back = 0
			}
		}
		if shift == 0 && !wrapped {
			s.ownRow = kernel.Window{From: -back, To: s.reach}
		}
		if wrapped {
			o.delta = append(delta[:len(delta):len(delta)], 0)
			o.turn = append(turn[:len(turn):len(turn)], t)
		}
		s.offsets = append(s.offsets, o)
		place := uint64(shift + t*int64(s.last.cells))
		s.windows = append(s.windows, kernel.Window{From: place - back, To: place + s.reach})
	}
}

// Where the last dimension turns, in Sweep.wrapped.
const (
	nowhere = iota
	below   // at the lower edge
	above   // at the upper edge
)

// visitWrapped sets Wrapped, and adds to Cells.
func (s *Sweep) visitWrapped(key uint64) {
	if row := key / s.last.padded(); row != s.row {
		s.row = row
		for edge := range s.wrapped {
			s.wrapped[edge] = s.wrapped[edge][:0]
		}
		for i := s.direct; i < len(s.offsets); i++ {
			if o := &s.offsets[i]; s.usable(o, key) {
				edge := [...]int{above, nowhere, below}[o.turn[len(o.turn)-1]+1]
				s.wrapped[edge] = append(s.wrapped[edge], i)
			}
		}
	}
	edge := nowhere
	switch c := key % s.last.padded(); { // its number, and the padding
	case c < 2*s.last.reach:
		edge = below
	case c >= s.last.cells:
		edge = above
	}
	if len(s.wrapped[nowhere]) == 0 && (edge == nowhere || len(s.wrapped[edge]) == 0) {
		return
	}
	if key < s.at {
		for i := s.direct; i < len(s.windows); i++ {
			s.rewind(&s.windows[i], key)
		}
	}
	s.at = key
	s.cells = append(s.cells[:0], s.Cells...)
	s.findAll(s.wrapped[nowhere], key)
	if edge != nowhere {
		s.findAll(s.wrapped[edge], key)
	}
	s.Cells = s.cells
}

// findAll appends the cells at offsets to cells and Wrapped.
func (s *Sweep) findAll(offsets []int, key uint64) {
	for _, i := range offsets {
		if lo, hi := s.window(&s.windows[i], key); lo < hi {
			s.cells = append(s.cells, kernel.Run{Lo: lo, Hi: hi})
			s.Wrapped = join(s.Wrapped, kernel.Run{Lo: s.data.Start[lo], Hi: s.data.Start[hi]})
		}
	}
}

// usable reports whether an offset leads from the row of cells of key to
// cells that exist: it must turn just when it runs over an edge.
func (s *Sweep) usable(o *offset, key uint64) bool {
	axes := s.data.Geometry.axes
	for i := range len(axes) - 1 {
		a := &axes[i]
		c := int64(key/a.stride%a.padded()) - int64(a.reach)
		to := c + o.delta[i] + o.turn[i]*int64(a.cells)
		if a.wraps && (to < 0 || to >= int64(a.cells)) {
			return false
		}
	}
	return true
}

// join appends a run, or lengthens the last one if it continues it.
func join(runs []kernel.Run, run kernel.Run) []kernel.Run {
	if n := len(runs); n > 0 && runs[n-1].Hi == run.Lo {
		runs[n-1].Hi = run.Hi
		return runs
	}
	return append(runs, run)
}

// window moves a window to a key, and returns the cells in it.
func (s *Sweep) window(w *kernel.Window, key uint64) (lo, hi uint32) {
	keys := s.data.keys
	w.Lo = kernel.Advance(keys, w.Lo, from(w, key))
	end := kernel.Advance(keys, w.Lo, key+w.To+1)
	return uint32(w.Lo), uint32(end)
}

// from returns the least key in a window. It is negative only when the row
// turns over the lower edge of a one-dimensional grid.
func from(w *kernel.Window, key uint64) uint64 {
	return uint64(max(int64(key+w.From), 0))
}

// rewind sets a window back to a key before the last one.
func (s *Sweep) rewind(w *kernel.Window, key uint64) {
	keys, from := s.data.keys, from(w, key)
	w.Rewind(sort.Search(len(keys), func(k int) bool { return keys[k] >= from }))
}
