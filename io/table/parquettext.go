package table

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"skyjoin/io/catalog"
)

// parquetToCSV writes Parquet files as CSV with columns added, row group by
// row group: memory holds a page of each column. Lists, and what lies deeper,
// are cells in the notation of JSON.
func parquetToCSV(ctx context.Context, out *output, cat *catalog.Catalog, adds []addition, opt Options) error {
	e := newCSVLines(out, opt)
	for _, f := range cat.Stored() {
		e.name(f.Name)
	}
	if err := e.columns(addedFields(adds)); err != nil {
		return err
	}
	row := int64(0)
	for _, f := range cat.Files() {
		var err error
		if row, err = e.file(ctx, f, cat.Stored(), adds, row, opt); err != nil {
			return err
		}
	}
	return e.close(ctx)
}

func addedFields(adds []addition) (fields []catalog.Field) {
	for _, a := range adds {
		fields = append(fields, a.field)
	}
	return fields
}

// file writes the rows of a file, which are those of the catalog from row on,
// and returns the row after them.
func (e *csvEncoder) file(ctx context.Context, f catalog.File, fields []catalog.Field, adds []addition, row int64, opt Options) (int64, error) {
	p, err := openParquet(f.Path)
	if err != nil {
		return row, err
	}
	defer p.f.Close()
	s, err := p.arrowSchema()
	if err != nil {
		return row, err
	}
	leaves, err := leavesOf(ctx, f.Path, fields, s.NumColumns())
	if err != nil {
		return row, err
	}
	texts := make([]leafText, len(leaves))
	for i, leaf := range leaves {
		if leaf < 0 {
			continue // this file lacks the column
		}
		if texts[i], err = newLeafText(s.Column(leaf), ','); err != nil {
			return row, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	start := row
	for i := range p.groups {
		g, err := p.group(i)
		if err != nil {
			return row, err
		}
		for j, leaf := range leaves {
			if leaf < 0 {
				continue
			}
			c, err := newChunk(s.Column(leaf), &g.chunks[leaf])
			if err != nil {
				return row, fmt.Errorf("%s: column %s: row group %d: %w", f.Path, fields[j].Name, i, err)
			}
			texts[j].open(p.f, c)
		}
		if g.rows > f.Rows-(row-start) {
			return row, changed(f.Path, f.Rows)
		}
		if err := e.group(ctx, texts, g.rows, adds, row); err != nil {
			if bad := (*columnError)(nil); errors.As(err, &bad) {
				err = fmt.Errorf("%s: column %s: row group %d: %w", f.Path, fields[bad.column].Name, i, bad.error)
			}
			return row, err
		}
		row += g.rows
		opt.progress(g.rows)
	}
	if row-start != f.Rows {
		return row, changed(f.Path, f.Rows)
	}
	return row, nil
}

// A columnError is an error of one of the columns read.
type columnError struct {
	column int
	error
}

// group writes rows of a row group.
func (e *csvEncoder) group(ctx context.Context, texts []leafText, rows int64, adds []addition, row int64) error {
	const block = 1 << 16
	for lo := int64(0); lo < rows; lo += block {
		hi := min(lo+block, rows)
		if err := advance(ctx, adds, row+lo, row+hi); err != nil {
			return err
		}
		added := blocks(adds, row+lo, row+hi)
		for r := range int(hi - lo) {
			for i, t := range texts {
				if t != nil {
					var err error
					if e.buf, err = t.cell(e.buf); err != nil {
						return &columnError{i, err}
					}
				}
				e.buf = append(e.buf, ',')
			}
			for i := range added {
				e.value(i, &added[i], r)
			}
			if err := e.endRow(ctx); err != nil {
				return err
			}
		}
	}
	for i, t := range texts {
		if t == nil {
			continue
		}
		if err := t.done(); err != nil {
			return &columnError{i, err}
		}
	}
	return nil
}

// arrowSchema returns the schema as the Arrow library sees it.
func (p *parquetFile) arrowSchema() (s *schema.Schema, err error) {
	defer func() { // the library trusts footers
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %w: %v", p.path, errThrift, r)
		}
	}()
	b := make([]byte, p.length)
	if _, err := p.f.ReadAt(b, p.dataEnd); err != nil && err != io.EOF {
		return nil, err
	}
	md, err := metadata.NewFileMetaData(b, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	return md.Schema, nil
}

// leavesOf says which leaf of a file each field of the catalog is, -1 for
// none. Names are those the catalog gives the leaves of the file alone.
func leavesOf(ctx context.Context, path string, fields []catalog.Field, leaves int) ([]int, error) {
	alone, err := catalog.Open(ctx, []string{path}, catalog.Options{})
	if err != nil {
		return nil, err
	}
	defer alone.Close()
	if len(alone.Fields()) != leaves {
		return nil, fmt.Errorf("%s: %d columns, the schema has %d; it changed while it was read", path, len(alone.Fields()), leaves)
	}
	at := make(map[string]int)
	for i, f := range alone.Fields() {
		at[f.Name] = i
	}
	out := make([]int, len(fields))
	for i, f := range fields {
		leaf, ok := at[f.Name]
		if !ok {
			leaf = -1
		}
		out[i] = leaf
	}
	return out, nil
}
