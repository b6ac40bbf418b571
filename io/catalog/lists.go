package catalog

import (
	"context"

	"skyjoin/internal/format"
)

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
		out[i] = publicColumn(*format.NewListColumn(f.raw()).Column)
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
