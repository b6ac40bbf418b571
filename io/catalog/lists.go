package catalog

import (
	"context"
	"fmt"
)

// A listColumn is a column of lists while it is read.
type listColumn struct{ *Column }

// newListColumn returns an empty column of lists.
func newListColumn(f Field) listColumn {
	elem := makeColumn(*f.Elem, 0, true)
	elem.Null = []bool{}
	return listColumn{&Column{Field: f, Null: []bool{}, List: &Lists{Offset: []int64{0}, Elem: elem}}}
}

// grow adds n null elements to the list in the making, and returns where the
// first of them is in Elem.
func (l listColumn) grow(n int) int {
	e := &l.List.Elem
	at := len(e.Null)
	e.Null = append(e.Null, make([]bool, n)...)
	switch e.Field.Type.storage() {
	case inFloat64:
		e.Float64 = append(e.Float64, make([]float64, n)...)
	case inFloat32:
		e.Float32 = append(e.Float32, make([]float32, n)...)
	case inInt64:
		e.Int64 = append(e.Int64, make([]int64, n)...)
	case inUint64:
		e.Uint64 = append(e.Uint64, make([]uint64, n)...)
	case inBool:
		e.Bool = append(e.Bool, make([]bool, n)...)
	case inString:
		e.String = append(e.String, make([]string, n)...)
	}
	return at
}

// end ends a list, or adds a null.
func (l listColumn) end(null bool) {
	l.List.Offset = append(l.List.Offset, int64(len(l.List.Elem.Null)))
	l.Null = append(l.Null, null)
}

// ReadAll is [Catalog.Read] for columns of any type that can be read: columns
// of lists are returned whole, in Column.List.
func (c *Catalog) ReadAll(ctx context.Context, names []string, progress func(rows int64)) ([]Column, error) {
	out := make([]Column, len(names))
	var plain []string
	var plainAt []int
	var lists []int // of names
	var fields []int
	for i, name := range names {
		f, r, err := c.lookup(name)
		if err != nil {
			return nil, err
		}
		if f.Type != List {
			plain, plainAt = append(plain, name), append(plainAt, i)
			continue
		}
		if err := c.check(name, r); err != nil {
			return nil, err
		}
		lists, fields = append(lists, i), append(fields, r.field)
	}
	cols, err := c.Read(ctx, plain, progress)
	if err != nil {
		return nil, err
	}
	for i, at := range plainAt {
		out[at] = cols[i]
	}
	dst := make([]listColumn, len(lists))
	for i, at := range lists {
		dst[i] = newListColumn(c.fields[fields[i]])
		out[at].Field = dst[i].Field
	}
	if err := c.readLists(ctx, fields, dst); err != nil {
		return nil, err
	}
	for i, at := range lists {
		out[at] = *dst[i].Column
		out[at].List.Elem.Null = anyNull(out[at].List.Elem.Null)
		out[at].Null = anyNull(out[at].Null)
	}
	return out, nil
}

// readLists reads columns of lists, file by file.
func (c *Catalog) readLists(ctx context.Context, fields []int, dst []listColumn) error {
	if len(fields) == 0 {
		return nil
	}
	for file, s := range c.sources {
		l, ok := s.(lister)
		if !ok {
			return fmt.Errorf("%s: column %s: lists of %s cannot be read whole; name elements of it",
				c.files[file].Path, c.fields[fields[0]].Name, c.files[file].Format)
		}
		own := make([]int, len(fields))
		for i, f := range fields {
			own[i] = c.inFile(file, ref{f, -1}).field
		}
		if err := l.readLists(ctx, own, dst); err != nil {
			return fmt.Errorf("%s: %w", c.files[file].Path, err)
		}
		for _, d := range dst {
			if int64(len(d.Null)) != c.first[file]+c.files[file].Rows {
				return fmt.Errorf("%s: %w", c.files[file].Path, errChanged)
			}
		}
	}
	return nil
}

// anyNull returns null marks, nil if there are none.
func anyNull(null []bool) []bool {
	for _, is := range null {
		if is {
			return null
		}
	}
	return nil
}
