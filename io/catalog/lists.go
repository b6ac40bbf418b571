package catalog

import "context"

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
	var plain, lists []string
	var plainAt, listsAt []int
	for i, name := range names {
		f, _, err := c.lookup(name)
		if err != nil {
			return nil, err
		}
		if f.Type == List {
			lists, listsAt = append(lists, name), append(listsAt, i)
		} else {
			plain, plainAt = append(plain, name), append(plainAt, i)
		}
	}
	cols, err := c.Read(ctx, plain, progress)
	if err != nil {
		return nil, err
	}
	for i, at := range plainAt {
		out[at] = cols[i]
	}
	if len(lists) > 0 {
		if cols, err = c.readLists(ctx, lists); err != nil {
			return nil, err
		}
	}
	for i, at := range listsAt {
		out[at] = cols[i]
	}
	return out, nil
}

// readLists reads columns of lists.
func (c *Catalog) readLists(ctx context.Context, names []string) ([]Column, error) {
	out := make([]Column, len(names))
	for i, name := range names {
		f, _, err := c.lookup(name)
		if err != nil {
			return nil, err
		}
		out[i] = *newListColumn(f).Column
		out[i].Null, out[i].List.Elem.Null = nil, nil
	}
	for b, err := range c.Scan(ctx, Scan{Columns: names}) {
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i].append(&b.Columns[i])
		}
	}
	return out, nil
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
