package grid

import "skyjoin/internal/kernel"

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
