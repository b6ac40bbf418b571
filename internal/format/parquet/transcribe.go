package parquet

import (
	"context"
	"fmt"
)

// Transcribe implements format.Transcriber, row group by row group: memory holds
// a page of each column. Lists, and what lies deeper, are cells in the notation
// of JSON.
func (s *reader) Transcribe(ctx context.Context, fields []int, comma byte, visit func(rows int64, cell func(dst []byte, i int) ([]byte, error)) error) error {
	f, err := s.open()
	if err != nil {
		return err
	}
	defer f.Close()
	texts := make([]cellReader, len(fields))
	for number := range s.groups {
		group := &s.groups[number]
		failed := func(i int, err error) error {
			return fmt.Errorf("column %s: row group %d: %w", s.leaves[fields[i]].name, number, err)
		}
		for i, leaf := range fields {
			if leaf < 0 {
				continue // this file lacks the column
			}
			c := group.chunks[leaf].Chunk
			err := c.Check(s.size)
			if err == nil && !c.Codec.Supported() {
				err = c.Codec.unsupported()
			}
			if err == nil {
				texts[i], err = s.leaves[leaf].cells(f, &c, comma)
			}
			if err != nil {
				return failed(i, err)
			}
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
			if err := t.end(); err != nil {
				return failed(i, err)
			}
		}
	}
	return ctx.Err()
}

// Reserved implements format.Reserver: structs have names beside those of their
// leaves.
func (s *reader) Reserved() []string { return s.tops }
