//go:build cuda && linux

package gpu

import (
	"math"
	"slices"

	"skyjoin/internal/exact"
	"skyjoin/internal/pairfunc"
)

const (
	// sumRows bounds the rows of a launch with a sum of 568 bytes for each row.
	sumRows = 1 << 16
	// functionColumns bounds the columns of a side: tiles of them are in shared
	// memory, and those of a query in registers.
	functionColumns = 24
)

// A functionRun is a function of two rows, evaluated for all pairs on the lanes of
// cards.
type functionRun struct {
	job       *pairfunc.Job
	cfg       Pairs
	method    pairfunc.Method // as cfg has it
	a, b      [][]float64
	edges     []float64 // those of the bins and +Inf
	p         pairsParams
	partPairs [][]partPair // to be done together
	r         *pairfunc.Result
	sum       exact.Accumulator
	totals
}

// histogramTables sets up the bins: for even bins the index is guessed.
func (s *functionRun) histogramTables() {
	e := s.job.Edges
	if s.job.Reduction != pairfunc.Histogram {
		return
	}
	n := len(e) - 1
	s.edges = append(slices.Clone(e), math.Inf(1))
	s.p.Bins = uint32(n + 1)
	if low, inverse, ok := s.job.EvenBins(); ok {
		s.p.ValueLow, s.p.ValueInverse = low, inverse
	}
}

// rowResults allocates the results of each row, initially those of no pairs.
func (s *functionRun) rowResults() {
	n := s.job.A.Rows
	switch s.job.Reduction {
	case pairfunc.Count:
		s.r.Counts = make([]uint64, n)
	case pairfunc.Sum:
		s.r.Row = make([]float64, n)
	default:
		s.r.Row, s.r.Other = make([]float64, n), make([]int64, n)
		for i := range n {
			s.r.Row[i], s.r.Other[i] = math.NaN(), -1
		}
	}
}

// cut lists the pairs of parts, together those of one query part where results are
// of each row.
func (s *functionRun) cut(cards []*Joiner) [][]partPair {
	j, cfg := s.job, s.cfg
	perPoint := 8 * (len(s.a) + len(s.b)) * len(cards[0].lanes)
	size := partSize(cfg, j.A.Rows, j.B.Rows, len(cards), partRoom(cards), perPoint)
	if cfg.points == 0 {
		size = min(size, partPoints)
	}
	if !j.PerRow {
		var all [][]partPair
		for _, p := range partPairs(j.A.Rows, j.B.Rows, size, j.Self, j.Ordered) {
			all = append(all, []partPair{p})
		}
		return all
	}
	rows := min(size, sumRows)
	for len(cards) > 1 && j.A.Rows/rows < 4*len(cards) && rows > 1<<12 {
		rows /= 2
	}
	var all [][]partPair
	for q := 0; q < j.A.Rows; q += rows {
		var one []partPair
		for d := 0; d < j.B.Rows; d += size {
			p := partPair{q, min(q+rows, j.A.Rows), d, min(d+size, j.B.Rows), pairsCross}
			if j.Self {
				p.mode = pairsOrdered // the kernel compares rows
			}
			one = append(one, p)
		}
		all = append(all, one)
	}
	return all
}

// result combines what the lanes have found.
func (s *functionRun) result(visit func(a, b []uint32) error) (*pairfunc.Result, error) {
	r, j := s.r, s.job
	switch {
	case j.PerRow:
		for _, n := range r.Counts {
			r.Count += n
		}
	case j.Reduction == pairfunc.Sum:
		r.Sum = s.sum.Float()
	case j.Reduction == pairfunc.Count:
		r.Count = s.counts[1]
	case j.Reduction == pairfunc.Histogram:
		n := int(s.p.Bins)
		r.SetHistogram(s.counts[:n+1], s.counts[n+1])
	case j.Reduction == pairfunc.Pairs:
		slices.Sort(s.pairs)
		r.Count = uint64(len(s.pairs))
		const portion = 1 << 16
		a, b := make([]uint32, 0, portion), make([]uint32, 0, portion)
		for lo := 0; lo < len(s.pairs); lo += portion {
			a, b = a[:0], b[:0]
			for _, v := range s.pairs[lo:min(lo+portion, len(s.pairs))] {
				a, b = append(a, uint32(v>>32)), append(b, uint32(v))
			}
			if err := visit(a, b); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}
