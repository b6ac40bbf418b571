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
	// run of cells, by their numbers.
	Cells []kernel.Run

	query, data *Grid
	forward     bool   // see NewForwardSweep
	last        *axis  // of the runs; nil if nothing is gridded
	limit       int64  // on the reach of all axes
	reach       uint64 // in the last dimension
	offsets     []offset
	ownRow      int    // of offsets, that of the row of cells itself
	wrapped     []int  // those of offsets that can be used in the present row
	row         uint64 // of cells in the last dimension, for wrapped
	at          uint64 // key last visited
}

// An offset is one place of a row of cells relative to another.
type offset struct {
	shift  uint64  // difference of the keys, modulo 2^64
	delta  []int64 // cells to go in each leading dimension, before
	turn   []int64 // the cells of so many periods are added; nil: none
	back   uint64  // cells of the run before the place itself
	lo, hi uint32  // cells of the run last found: the sweep pointers
	until  uint64  // runs of cells with keys below are empty
}

// NewSweep returns a sweep for the cells of query over data.
func NewSweep(query, data *Grid) *Sweep { return newSweep(query, data, math.MaxInt64) }

// NewForwardSweep returns a sweep for the cells of g over g itself that sets
// Direct to candidates that do not come before the cell: the cell itself, with
// which the first run begins, and what follows in the order. Over all cells,
// pairs that do not wrap are found once. Wrapped has all candidates that wrap.
func NewForwardSweep(g *Grid) *Sweep {
	s := &Sweep{query: g, data: g, forward: true, limit: math.MaxInt64}
	s.init()
	return s
}

// newSweep is NewSweep, but for cells up to limit away only.
func newSweep(query, data *Grid, limit int64) *Sweep {
	s := &Sweep{query: query, data: data, limit: limit}
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
		o := offset{shift: uint64(shift + t*int64(s.last.cells)), back: s.reach}
		if s.forward && !wrapped {
			// A row of cells further on in a leading dimension comes after all
			// of this one.
			if shift < 0 {
				continue
			}
			if shift == 0 {
				o.back = 0
			}
		}
		if shift == 0 && !wrapped {
			s.ownRow = len(s.offsets)
		}
		if wrapped {
			o.delta = append(delta[:len(delta):len(delta)], 0)
			o.turn = append(turn[:len(turn):len(turn)], t)
		}
		s.offsets = append(s.offsets, o)
	}
}

// Visit sets Direct and Wrapped for a cell of the query grid.
func (s *Sweep) Visit(cell int) {
	s.Direct, s.Wrapped, s.Cells = s.Direct[:0], s.Wrapped[:0], s.Cells[:0]
	if s.last == nil { // one cell
		all := kernel.Run{Lo: 0, Hi: uint32(s.data.Points.N)}
		if s.data.Geometry.allWrap {
			s.Wrapped = append(s.Wrapped, all)
		} else {
			s.Direct = append(s.Direct, all)
		}
		s.Cells = append(s.Cells, kernel.Run{Lo: 0, Hi: uint32(s.data.Cells())})
		return
	}
	key := s.query.keys[cell]
	if key < s.at {
		s.rewind(key)
	}
	s.at = key
	if !s.data.Geometry.wraps {
		s.visitOpen(key)
	} else {
		s.visitPeriodic(key)
	}
	if s.data.Geometry.allWrap {
		s.Wrapped = append(s.Wrapped, s.Direct...)
		s.Direct = s.Direct[:0]
	}
}

// Row is Visit for the candidates of a cell of a grid over itself that are in
// its own row of cells only, which are the cheapest to find. It returns the one
// run of them that there is. It is for grids without periodic axes.
func (s *Sweep) Row(cell int) kernel.Run {
	if s.last == nil {
		s.Visit(cell)
		return s.Direct[0]
	}
	key := s.query.keys[cell]
	if key < s.at {
		s.rewind(key)
	}
	s.at = key
	o := &s.offsets[s.ownRow]
	o.lo = advance(s.data.keys, o.lo, key-o.back)
	o.hi = advance(s.data.keys, max(o.hi, o.lo), key+s.reach+1)
	run := kernel.Run{Lo: s.data.Start[o.lo], Hi: s.data.Start[o.hi]}
	s.Direct = append(s.Direct[:0], run)
	s.Cells = append(s.Cells[:0], kernel.Run{Lo: o.lo, Hi: o.hi})
	return run
}

// visitOpen finds the runs where no axis is periodic. It is find, written out
// for all offsets, as most cells have few points and all of them few candidates.
func (s *Sweep) visitOpen(key uint64) {
	keys, start, runs, cells := s.data.keys, s.data.Start, s.Direct, s.Cells
	end := uint32(0) // of the last run
	for i := range s.offsets {
		o := &s.offsets[i]
		if key < o.until {
			continue
		}
		middle, lo := key+o.shift, o.lo
		if from := middle - o.back; keys[lo] < from {
			if lo++; keys[lo] < from {
				lo = advance(keys, lo+1, from)
			}
			o.lo = lo
		}
		to := middle + s.reach
		if next := keys[lo]; next > to {
			o.until = emptyUntil(key, to, next)
			continue
		}
		hi := max(o.hi, lo+1)
		if keys[hi] <= to {
			hi = advance(keys, hi+1, to+1)
		}
		o.hi = hi
		cells = append(cells, kernel.Run{Lo: lo, Hi: hi})
		from := start[lo]
		if n := len(runs); n > 0 && end == from {
			end = start[hi]
			runs[n-1].Hi = end
			continue
		}
		end = start[hi]
		runs = append(runs, kernel.Run{Lo: from, Hi: end})
	}
	s.Direct, s.Cells = runs, cells
}

// emptyUntil returns the least key of a cell whose run is not known to be empty,
// given that the run up to the key to of the cell of key is, and which key comes
// next.
func emptyUntil(key, to, next uint64) uint64 {
	if next == math.MaxUint64 {
		return next
	}
	return key + next - to
}

func (s *Sweep) visitPeriodic(key uint64) {
	if row := key / s.last.padded(); row != s.row {
		s.row = row
		s.wrapped = s.wrapped[:0]
		for i := range s.offsets {
			if o := &s.offsets[i]; o.turn != nil && s.usable(o, key) {
				s.wrapped = append(s.wrapped, i)
			}
		}
	}
	for i := range s.offsets {
		if s.offsets[i].turn != nil {
			break
		}
		s.Direct = s.find(&s.offsets[i], key, s.Direct)
	}
	c := key % s.last.padded() // its number, and the padding
	for _, i := range s.wrapped {
		o := &s.offsets[i]
		switch o.turn[len(o.turn)-1] {
		case 1:
			if c >= 2*s.last.reach {
				continue
			}
		case -1:
			if c < s.last.cells {
				continue
			}
		}
		s.Wrapped = s.find(o, key, s.Wrapped)
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

// find appends the run of cells within reach of the row at an offset.
func (s *Sweep) find(o *offset, key uint64, runs []kernel.Run) []kernel.Run {
	keys := s.data.keys
	from, to := s.from(o, key), key+o.shift+s.reach
	lo := o.lo
	if keys[lo] < from {
		lo = advance(keys, lo, from)
		o.lo = lo
	}
	if next := keys[lo]; next > to {
		return runs
	}
	hi := advance(keys, max(o.hi, lo), to+1)
	o.hi = hi
	s.Cells = append(s.Cells, kernel.Run{Lo: lo, Hi: hi})
	run := kernel.Run{Lo: s.data.Start[lo], Hi: s.data.Start[hi]}
	if n := len(runs); n > 0 && runs[n-1].Hi == run.Lo {
		runs[n-1].Hi = run.Hi
		return runs
	}
	return append(runs, run)
}

// from returns the least key of the run at an offset. It is negative only
// when the row turns over the lower edge of a one-dimensional grid.
func (s *Sweep) from(o *offset, key uint64) uint64 {
	return uint64(max(int64(key+o.shift-o.back), 0))
}

// advance returns the first cell from i on whose key is at least key. There is
// one, as the last key is the largest uint64.
func advance(keys []uint64, i uint32, key uint64) uint32 {
	for range 8 {
		if keys[i] >= key {
			return i
		}
		i++
	}
	k, step := int(i), 8
	for k+step < len(keys) && keys[k+step] < key {
		k += step
		step *= 2
	}
	rest := keys[k:min(k+step+1, len(keys))]
	return uint32(k + sort.Search(len(rest), func(i int) bool { return rest[i] >= key }))
}

// rewind sets the pointers back for a key before the last one.
func (s *Sweep) rewind(key uint64) {
	keys := s.data.keys
	for i := range s.offsets {
		o := &s.offsets[i]
		from := s.from(o, key)
		o.lo = uint32(sort.Search(len(keys), func(k int) bool { return keys[k] >= from }))
		o.hi = o.lo
		o.until = 0
	}
}
