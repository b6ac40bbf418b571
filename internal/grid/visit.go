package grid

import "skyjoin/internal/kernel"

// visitDirect sets Direct and Cells to what does not wrap.
func (s *Sweep) visitDirect(cell int) {
	a := &s.ahead
	i := cell - a.first
	if uint(i) >= uint(a.n) {
		s.look(cell)
		i = 0
	}
	lo := uint32(0)
	if i > 0 {
		lo = a.end[i-1]
	}
	hi := a.end[i]
	s.Cells = a.ranges[lo:hi:hi]
	start, runs, end := s.data.Start, s.Direct, kernel.None
	for _, c := range s.Cells {
		from := start[c.Lo]
		if from == end {
			end = start[c.Hi]
			runs[len(runs)-1].Hi = end
			continue
		}
		end = start[c.Hi]
		runs = append(runs, kernel.Run{Lo: from, Hi: end})
	}
	s.Direct = runs
}

// look finds the candidates of cells from cell on.
func (s *Sweep) look(cell int) {
	a, windows := &s.ahead, s.windows[:s.direct]
	if a.end == nil {
		n := max(1, min(aheadCells, aheadRanges/len(windows)))
		a.end = make([]uint32, n)
		a.ranges = make([]kernel.Run, n*len(windows)+1)
	}
	n := 1
	switch {
	case cell < a.first:
		for i := range windows {
			s.rewind(&windows[i], s.query.keys[cell])
		}
	case cell == a.first+a.n:
		n = min(2*max(1, a.n), len(a.end), s.query.Cells()-cell)
	}
	a.first, a.n = cell, n
	s.fn.Windows(s.data.keys, s.query.keys[cell:cell+n], windows, a.ranges, a.end)
}

// Alone returns how many cells from cell on, of a grid over itself without
// periodic axes, hold one point each that has no candidates but itself: those
// that are easily told, of which there can be more.
func (s *Sweep) Alone(cell int) int {
	if s.last == nil || s.data.Geometry.wraps {
		return 0
	}
	a := &s.ahead
	i := cell - a.first
	if uint(i) >= uint(a.n) {
		s.look(cell)
		i = 0
	}
	start, before := s.data.Start, uint32(0)
	if i > 0 {
		before = a.end[i-1]
	}
	n := 0
	for _, end := range a.end[i:a.n] {
		// The one range can be of its own row only.
		if r := a.ranges[before]; end != before+1 || start[r.Hi]-start[r.Lo] != 1 {
			break
		}
		before = end
		n++
	}
	return n
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
	s.visitDirect(cell)
	if s.data.Geometry.wraps {
		s.visitWrapped(s.query.keys[cell])
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
	if key < s.ownAt {
		s.rewind(&s.ownRow, key)
	}
	s.ownAt = key
	lo, hi := s.window(&s.ownRow, key)
	run := kernel.Run{Lo: s.data.Start[lo], Hi: s.data.Start[hi]}
	s.Direct = append(s.Direct[:0], run)
	s.ownCells[0] = kernel.Run{Lo: lo, Hi: hi}
	s.Cells = s.ownCells[:]
	return run
}
