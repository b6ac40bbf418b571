package tiles

import (
	"context"
	"fmt"
	"path/filepath"

	"skyjoin/internal/exact"
	"skyjoin/internal/piece"
	"skyjoin/io/catalog"
	"skyjoin/stats2b"
)

// The files of the pairs that a tile has counted: a name, such as dd, and these
// endings; see piece.Pairs. Unsigned numbers are stored as the signed integers of
// the same bits.
const (
	countsFile  = ".pairs.parquet"   // slot, pairs; with weights upper and lower, with mean separations r_upper and r_lower: where there are pairs
	squaresFile = ".squares.parquet" // upper, middle, lower: with weights, by slot of all patches together
	massesFile  = ".masses.parquet"  // set, rows, w_upper, w_lower, w2_upper, w2_middle, w2_lower: of the own rows by patch
)

// writePairs writes the pairs that a tile has counted, under a name.
func writePairs(ctx context.Context, dir, name string, s *piece.Pairs) error {
	var slot, pairs, set, rows []int64
	var sums, far, w words
	var upper, middle, lower []int64 // of sums of squares
	for i, n := range s.Pairs {
		if n == 0 {
			continue
		}
		slot, pairs = append(slot, int64(i)), append(pairs, int64(n))
		if s.Weights != nil {
			sums.add(s.Weights[i])
		}
		if s.Separations != nil {
			far.add(s.Separations[i])
		}
	}
	for k, masses := range s.Of {
		for _, m := range masses {
			set, rows = append(set, int64(k)), append(rows, int64(m.Rows))
			w.add(m.W)
			hi, mid, lo := m.W2.Words()
			upper, middle, lower = append(upper, int64(hi)), append(middle, int64(mid)), append(lower, int64(lo))
		}
	}
	counts := []catalog.Column{integers("slot", "patches and bin", slot), integers("pairs", "number of pairs", pairs)}
	if s.Weights != nil {
		counts = append(counts, integers("upper", "sum of the products of weights, upper 64 bits", sums.upper), integers("lower", "lower 64 bits", sums.lower))
	}
	if s.Separations != nil {
		counts = append(counts, integers("r_upper", "sum of the distances, upper 64 bits", far.upper), integers("r_lower", "lower 64 bits", far.lower))
	}
	tables := map[string][]catalog.Column{
		name + countsFile: counts,
		name + massesFile: {
			int32s("set", "catalog", set), integers("rows", "own rows", rows), integers("w_upper", "sum of their weights", w.upper), integers("w_lower", "", w.lower),
			integers("w2_upper", "sum of the squares of their weights, upper 64 bits", upper), integers("w2_middle", "", middle), integers("w2_lower", "", lower),
		},
	}
	if s.Weights != nil {
		var q [3][]int64
		for _, sum := range s.Squares {
			hi, mid, lo := sum.Words()
			q[0], q[1], q[2] = append(q[0], int64(hi)), append(q[1], int64(mid)), append(q[2], int64(lo))
		}
		tables[name+squaresFile] = []catalog.Column{integers("upper", "sum of the squares of the weights of pairs, upper 64 bits", q[0]), integers("middle", "", q[1]), integers("lower", "", q[2])}
	}
	return writeTables(ctx, dir, 1, tables)
}

// words collects sums for two columns.
type words struct{ upper, lower []int64 }

func (w *words) add(s exact.Sum) {
	hi, lo := s.Words()
	w.upper, w.lower = append(w.upper, hi), append(w.lower, int64(lo))
}

func sumOf(hi, lo int64) exact.Sum { return exact.FromWords(hi, uint64(lo)) }

func squaresOf(hi, mid, lo int64) exact.Squares {
	return exact.SquaresFromWords(uint64(hi), uint64(mid), uint64(lo))
}

// A pairLayout says what the counts of pairs in a file refer to: the bins, the
// patches and the catalogs.
type pairLayout struct {
	binning stats2b.Binning
	patches int
	of      []piece.Whole
}

// pairLayout returns the layout of the pairs of the given sets.
func (p *Plan) pairLayout(b *Binning, patches int, sets ...int) (s pairLayout, err error) {
	s.patches = patches
	for _, k := range sets {
		s.of = append(s.of, piece.Whole{Weighted: p.Sets[k].Weights != "", Largest: p.Sets[k].Largest})
	}
	s.binning, err = b.Binning()
	return s, err
}

func (s *pairLayout) weighted() bool {
	any := false
	for _, w := range s.of {
		any = any || w.Weighted
	}
	return any
}

// readPairs reads what writePairs wrote.
func readPairs(ctx context.Context, path string, s *pairLayout) (*piece.Pairs, error) {
	groups := max(s.patches, 1)
	out := &piece.Pairs{Pairs: make([]uint64, groups*groups*(s.binning.Cells()+1)), Of: make([][]piece.Mass, len(s.of))}
	names := []string{"slot", "pairs"}
	var sums [][]exact.Sum // each takes two columns
	if s.weighted() {
		out.Weights = make([]exact.Sum, len(out.Pairs))
		sums, names = append(sums, out.Weights), append(names, "upper", "lower")
	}
	if s.binning.Means {
		out.Separations = make([]exact.Sum, len(out.Pairs))
		sums, names = append(sums, out.Separations), append(names, "r_upper", "r_lower")
	}
	c, err := readTable(ctx, path+countsFile, names...)
	if err != nil {
		return nil, err
	}
	for i, slot := range c[0].Int64 {
		if slot < 0 || slot >= int64(len(out.Pairs)) {
			return nil, piece.ErrDiffer
		}
		out.Pairs[slot] = uint64(c[1].Int64[i])
		for k, of := range sums {
			of[slot] = sumOf(c[2+2*k].Int64[i], c[3+2*k].Int64[i])
		}
	}
	if s.weighted() {
		if c, err = readTable(ctx, path+squaresFile, "upper", "middle", "lower"); err != nil {
			return nil, err
		}
		for i := range c[0].Int64 {
			out.Squares = append(out.Squares, squaresOf(c[0].Int64[i], c[1].Int64[i], c[2].Int64[i]))
		}
		if len(out.Squares) != s.binning.Cells()+1 {
			return nil, piece.ErrDiffer
		}
	}
	if c, err = readTable(ctx, path+massesFile, "set", "rows", "w_upper", "w_lower", "w2_upper", "w2_middle", "w2_lower"); err != nil {
		return nil, err
	}
	for i, set := range c[0].Int64 {
		if set < 0 || set >= int64(len(out.Of)) {
			return nil, piece.ErrDiffer
		}
		out.Of[set] = append(out.Of[set], piece.Mass{Rows: uint64(c[1].Int64[i]), W: sumOf(c[2].Int64[i], c[3].Int64[i]), W2: squaresOf(c[4].Int64[i], c[5].Int64[i], c[6].Int64[i])})
	}
	return out, nil
}

// mergePairs adds the pairs that all tiles have counted under a name.
func (p *Plan) mergePairs(ctx context.Context, name string, s *pairLayout) (*stats2b.Tally, error) {
	var sum *piece.Pairs
	for i := range p.Tiles {
		pairs, err := readPairs(ctx, filepath.Join(p.piecePath(i), name), s)
		if err == nil {
			if sum == nil {
				sum = pairs
			} else {
				err = sum.Add(pairs)
			}
		}
		if err != nil {
			return nil, planf("%s is damaged; run tile %d again with --force: %w", p.piecePath(i), i, err)
		}
	}
	t, err := tallyOf(sum, s.binning, s.patches, s.of)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(p.dir, tilesDir), err)
	}
	return t, nil
}
