package tiles

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// rows are the rows of one set that a tile reads, ascending.
type rows struct {
	row     []int64 // of the catalog
	own     []bool
	shared  []bool // own rows in the halo of another tile, for matches; else nil
	cols    []neighbors.Column
	weights []float64 // nil without
}

// newRows returns rows of a set with room for n.
func newRows(s *Set, n int64) *rows {
	r := &rows{row: make([]int64, 0, n), own: make([]bool, 0, n), cols: make([]neighbors.Column, len(s.Columns))}
	for j, narrow := range s.Narrow {
		if narrow {
			r.cols[j].Float32 = make([]float32, 0, n)
		} else {
			r.cols[j].Float64 = make([]float64, 0, n)
		}
	}
	if s.Weights != "" {
		r.weights = make([]float64, 0, n)
	}
	return r
}

// points returns the rows as points.
func (r *rows) points() (*neighbors.Points, error) { return neighbors.NewPoints(r.cols...) }

// A block is the usable rows among consecutive rows of a part.
type block struct {
	sel   *catalog.Selection
	part  int   // of the set
	first int64 // row of the catalog that the block begins with
}

// blockRows is how many rows of a part are read at a time; tests make it small. The
// hashes of content.go are of blocks of so many rows.
var blockRows = 1 << 17

// row returns the row of the catalog of a point.
func (b *block) row(i int) int64 {
	if b.sel.Rows != nil {
		return b.first + int64(b.sel.Rows[i])
	}
	return b.first + int64(i)
}

// add appends a row of a block.
func (r *rows) add(b *block, i int, own bool) {
	r.row, r.own = append(r.row, b.row(i)), append(r.own, own)
	for j := range r.cols {
		c := b.sel.Points.Column(j)
		if r.cols[j].Float32 != nil {
			r.cols[j].Float32 = append(r.cols[j].Float32, c.Float32[i])
		} else {
			r.cols[j].Float64 = append(r.cols[j].Float64, c.Float64[i])
		}
	}
	if r.weights != nil {
		r.weights = append(r.weights, b.sel.Weights[i])
	}
}

// eachBlock reads parts of a set block by block, in the order of rows. It opens only the
// files that are needed, so that damaged files elsewhere do no harm.
func (p *Plan) eachBlock(ctx context.Context, set int, parts []int, threads int, do func(b *block) error) error {
	s := &p.Sets[set]
	req := p.request(set)
	for i := 0; i < len(parts); {
		file := p.parts[set][parts[i]].File
		end := i
		for end < len(parts) && p.parts[set][parts[end]].File == file {
			end++
		}
		f := &s.Files[file]
		if err := f.unchanged(); err != nil {
			return err
		}
		cat, err := s.open(ctx, file, threads)
		if err != nil {
			return err
		}
		there := cat.Parts(partRows)
		for _, k := range parts[i:end] {
			q := p.parts[set][k]
			first := q.First
			q.File, q.First = 0, q.First-s.firstOf(file)
			if !slices.Contains(there, q) {
				cat.Close()
				return planf("%s is damaged: %s has no such rows; make the plan anew", filepath.Join(p.dir, partsFile), f.Path)
			}
			q.First = 0
			for b, err := range cat.Part(q).SelectBlocks(ctx, req, nil, blockRows) {
				if err == nil {
					err = s.fits(b.Selection, f.Path)
				}
				if err == nil {
					err = do(&block{b.Selection, k, first + b.First})
				}
				if err != nil {
					cat.Close()
					return err
				}
			}
		}
		cat.Close()
		i = end
	}
	return nil
}

// firstOf returns the row of the catalog that a file begins with.
func (s *Set) firstOf(file int) (row int64) {
	for _, f := range s.Files[:file] {
		row += f.Rows
	}
	return row
}

// fits gives the columns of a selection the types of the whole catalog: a single
// file may have narrower ones, or other units.
func (s *Set) fits(sel *catalog.Selection, path string) error {
	cols := make([]neighbors.Column, len(s.Columns))
	changed := false
	for j := range cols {
		cols[j] = sel.Points.Column(j)
		if unit := sel.Fields[j].Unit; unit != s.Units[j] {
			return fmt.Errorf("%s: column %s is in %q, elsewhere in the catalog in %q; the units must be the same", path, s.Columns[j], unit, s.Units[j])
		}
		switch {
		case s.Narrow[j] && cols[j].Float32 == nil:
			return fmt.Errorf("%s: column %s is no longer of 32-bit floats", path, s.Columns[j])
		case !s.Narrow[j] && cols[j].Float64 == nil:
			wide := each.Of(cols[j].Float32, func(v float32) float64 { return float64(v) })
			cols[j], changed = neighbors.Float64s(wide), true
		}
	}
	var err error
	if changed {
		sel.Points, err = neighbors.NewPoints(cols...)
	}
	return err
}
