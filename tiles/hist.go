package tiles

import (
	"context"
	"path/filepath"

	"skyjoin/internal/exact"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/stats2b"
)

// The files of a piece of a histogram; see stats2b.Share. Numbers of more than
// 63 bits are kept as the integers of the same bits.
const (
	countsFile = "counts.parquet" // pairs and, with weights, upper and lower: below the first edge, and of each bin
	massesFile = "masses.parquet" // rows, w_upper, w_lower, w2_upper, w2_lower: of the own rows of each set
)

func (h *Hist) bins() (stats2b.Bins, error) {
	b, err := stats2b.EdgeBins(h.Edges...)
	return b.In(h.Per), err
}

// sampleOf returns the rows of a set for which pick is true.
func (p *Plan) sampleOf(set int, r *rows, pick func(own bool) bool) (*stats2b.Sample, error) {
	all, err := r.points()
	if err != nil {
		return nil, err
	}
	s := &stats2b.Sample{Largest: p.Sets[set].Largest}
	var some []uint32
	for i, own := range r.own {
		if pick(own) {
			some = append(some, uint32(i))
		}
	}
	s.Points = all.Subset(some)
	if r.weights != nil {
		s.Weights = make([]float64, len(some))
		for i, row := range some {
			s.Weights[i] = r.weights[row]
		}
	}
	return s, nil
}

// runHist counts the pairs of the own rows of the first set.
func (p *Plan) runHist(ctx context.Context, dir string, sets []*rows, q *Piece, opt *Options) error {
	bins, err := p.Hist.bins()
	if err != nil {
		return err
	}
	own, err := p.sampleOf(0, sets[0], func(own bool) bool { return own })
	if err != nil {
		return err
	}
	last := len(sets) - 1
	near, err := p.sampleOf(last, sets[last], func(own bool) bool { return last > 0 || !own })
	if err != nil {
		return err
	}
	o := stats2b.Options{Joiner: opt.Joiner, Threads: opt.Threads, Memory: opt.Memory}
	if opt.Progress != nil {
		o.Progress = func(done, total int64) { opt.Progress("pairs", done, total) }
	}
	var s *stats2b.Share
	if last == 0 {
		s, err = stats2b.CountShare(ctx, own, near, p.metric(), bins, o)
	} else {
		var ownB *stats2b.Sample
		if ownB, err = p.sampleOf(1, sets[1], func(own bool) bool { return own }); err != nil {
			return err
		}
		s, err = stats2b.CountCrossShare(ctx, own, near, ownB, p.metric(), bins, o)
	}
	if err != nil {
		return err
	}
	for _, n := range s.Pairs[1:] {
		q.Found += int64(n)
	}
	return writeShare(ctx, dir, s)
}

func writeShare(ctx context.Context, dir string, s *stats2b.Share) error {
	var pairs, rows []int64
	var sums, w, w2 words
	for _, n := range s.Pairs {
		pairs = append(pairs, int64(n))
	}
	for _, v := range s.Weights {
		sums.add(v)
	}
	for _, m := range s.Of {
		rows = append(rows, int64(m.Rows))
		w.add(m.W)
		w2.add(m.W2)
	}
	counts := []catalog.Column{integers("pairs", "below the first edge, and in each bin", pairs)}
	if s.Weights != nil {
		counts = append(counts, integers("upper", "sum of the products of weights, upper 64 bits", sums.upper), integers("lower", "lower 64 bits", sums.lower))
	}
	for name, cols := range map[string][]catalog.Column{
		countsFile: counts,
		massesFile: {
			integers("rows", "own rows", rows), integers("w_upper", "sum of their weights", w.upper), integers("w_lower", "", w.lower),
			integers("w2_upper", "sum of the squares of their weights", w2.upper), integers("w2_lower", "", w2.lower),
		},
	} {
		if err := table.Write(ctx, filepath.Join(dir, name), cols, table.Options{Threads: 1}); err != nil {
			return err
		}
	}
	return nil
}

// words are sums in the making of columns.
type words struct{ upper, lower []int64 }

func (w *words) add(s exact.Sum) {
	hi, lo := s.Words()
	w.upper, w.lower = append(w.upper, hi), append(w.lower, int64(lo))
}

func sumOf(hi, lo int64) exact.Sum { return exact.FromWords(hi, uint64(lo)) }

// readShare reads what writeShare has written.
func (p *Plan) readShare(ctx context.Context, tile int, weighted bool) (*stats2b.Share, error) {
	names := []string{"pairs"}
	if weighted {
		names = append(names, "upper", "lower")
	}
	c, err := readTable(ctx, filepath.Join(p.piecePath(tile), countsFile), names...)
	if err != nil {
		return nil, err
	}
	s := &stats2b.Share{}
	for i, n := range c[0].Int64 {
		s.Pairs = append(s.Pairs, uint64(n))
		if weighted {
			s.Weights = append(s.Weights, sumOf(c[1].Int64[i], c[2].Int64[i]))
		}
	}
	if c, err = readTable(ctx, filepath.Join(p.piecePath(tile), massesFile), "rows", "w_upper", "w_lower", "w2_upper", "w2_lower"); err != nil {
		return nil, err
	}
	for i, n := range c[0].Int64 {
		m := stats2b.Mass{Rows: uint64(n), W: sumOf(c[1].Int64[i], c[2].Int64[i]), W2: sumOf(c[3].Int64[i], c[4].Int64[i])}
		if i < len(p.Sets) && p.Sets[i].Weights != "" {
			m.Largest = p.Sets[i].Largest
		}
		s.Of = append(s.Of, m)
	}
	return s, nil
}
