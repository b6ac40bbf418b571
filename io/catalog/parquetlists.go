package catalog

import (
	"context"
	"fmt"
	"io"

	"skyjoin/internal/pages"
)

// readLists implements lister.
func (s *parquetSource) readLists(ctx context.Context, fields []int, dst []listColumn) error {
	f, err := openRegular(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	for i, field := range fields {
		l := &s.leaves[field]
		read := readings[readingKey{l.physical, familyOf(l.kind), l.layout, dst[i].List.Elem.Field.Type.storage()}].lists
		if read == nil {
			return fmt.Errorf("column %s: %s cannot be read as lists of %v", l.name, s.field[field].Text, dst[i].List.Elem.Field.Type)
		}
		for g := range s.groups {
			if err := ctx.Err(); err != nil {
				return err
			}
			err := fenced(func() error {
				c := s.groups[g].chunks[field].Chunk
				return read(f, &c, l, dst[i], s.groups[g].rows)
			})
			if err != nil {
				return cannotRead(l, g, err)
			}
		}
	}
	return nil
}

// readWholeLists appends the lists of n rows.
func readWholeLists[T pages.Value, D any](r *pages.Reader[T], l *leaf, dst listColumn, n int64, convert func(*leaf, []D, []T), slice func(*Column) []D) error {
	var vals [batch]T
	var def, rep [batch]uint8
	elem := &dst.List.Elem
	row, null := int64(0), false // the row in hand, counted from 1
	for {
		slots, _, err := r.Read(vals[:], def[:], rep[:])
		if err == io.EOF {
			if row != n {
				return fmt.Errorf("it has %d rows, the row group has %d", row, n)
			}
			if n > 0 {
				dst.end(null)
			}
			return nil
		}
		if err != nil {
			return err
		}
		value := 0
		for i := range slots {
			switch {
			case rep[i] > 0 && row == 0:
				return fmt.Errorf("it starts within a list")
			case rep[i] == 0 && row == n:
				return fmt.Errorf("it has more rows than the row group")
			case rep[i] == 0:
				if row > 0 {
					dst.end(null)
				}
				row++
				null = def[i]+1 < l.elemDef
			}
			if def[i] < l.elemDef {
				continue // a list without elements
			}
			at := dst.grow(1)
			if def[i] < l.maxDef {
				elem.setNull(at)
				continue
			}
			convert(l, slice(elem)[at:at+1], vals[value:value+1])
			value++
		}
	}
}
