package parquet

import (
	"context"
	"fmt"
	"io"

	"skyjoin/internal/format"

	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"
)

// Transcribe implements format.Transcriber, row group by row group: memory holds
// a page of each column. Lists, and what lies deeper, are cells in the notation
// of JSON.
func (s *reader) Transcribe(ctx context.Context, fields []int, comma byte, visit func(rows int64, cell func(dst []byte, i int) ([]byte, error)) error) error {
	p, err := openParquet(s.path)
	if err != nil {
		return err
	}
	defer p.f.Close()
	sch, err := p.arrowSchema()
	if err != nil {
		return err
	}
	if sch.NumColumns() != len(s.field) {
		return format.ErrChanged
	}
	texts := make([]leafText, len(fields))
	for i, leaf := range fields {
		if leaf < 0 {
			continue // this file lacks the column
		}
		if texts[i], err = newLeafText(sch.Column(leaf), comma); err != nil {
			return err
		}
	}
	for g := range p.groups {
		group, err := p.group(g)
		if err != nil {
			return err
		}
		failed := func(i int, err error) error {
			return fmt.Errorf("column %s: row group %d: %w", s.field[fields[i]].Name, g, err)
		}
		for i, t := range texts {
			if t == nil {
				continue
			}
			c, err := newChunk(sch.Column(fields[i]), &group.chunks[fields[i]])
			if err != nil {
				return failed(i, err)
			}
			t.open(p.f, c)
		}
		err = visit(group.rows, func(dst []byte, i int) ([]byte, error) {
			if texts[i] == nil {
				return dst, nil
			}
			dst, err := texts[i].cell(dst)
			if err != nil {
				err = failed(i, err)
			}
			return dst, err
		})
		if err != nil {
			return err
		}
		for i, t := range texts {
			if t == nil {
				continue
			}
			if err := t.done(); err != nil {
				return failed(i, err)
			}
		}
	}
	return nil
}

// Reserved implements format.Reserver: structs have names beside those of their
// leaves.
func (s *reader) Reserved() (names []string) {
	return s.tops
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
