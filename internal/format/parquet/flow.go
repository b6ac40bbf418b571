package parquet

import (
	"context"

	"skyjoin/internal/format"
)

// Flow implements format.Reader: all columns side by side, a page of each at a
// time.
func (s *reader) Flow(ctx context.Context, w format.Flow) error {
	columns, err := s.columns(w.Refs, func(i int) format.Field { return w.Fields[i] })
	if err != nil {
		return err
	}
	defer columns.f.Close()
	chunks := make([]chunkRows, len(w.Refs))
	for g := range s.groups {
		group := &s.groups[g]
		if w.Skip != nil && w.Skip(group.first, group.rows) {
			if err := w.Visit(group.rows, nil); err != nil {
				return err
			}
			continue
		}
		for i := range chunks {
			chunks[i] = columns.rows(i, g)
		}
		// each calls do for all columns, several at once.
		each := func(do func(i int) error) error {
			return w.Pool.Run(ctx, len(w.Refs), func(i int) error {
				return columns.about(i, g, func() error { return do(i) })
			})
		}
		block := s.flowRows(group, w)
		for lo := int64(0); lo < group.rows; lo += block {
			n := min(block, group.rows-lo)
			cols := w.Columns(n)
			err := each(func(i int) error { return readRef(w.Refs[i], chunks[i], &cols[i], 0, n) })
			if err == nil {
				err = w.Visit(n, cols)
			}
			if err != nil {
				return err
			}
		}
		if err := each(func(i int) error { return chunks[i].end() }); err != nil {
			return err
		}
	}
	return nil
}

// flowRows returns how many rows of a group make a block: fewer where rows are
// wide or lists long.
func (s *reader) flowRows(g *rowGroup, w format.Flow) int64 {
	rows, width := int64(format.FlowRows), int64(0)
	for i, r := range w.Refs {
		chunk, perRow := &g.chunks[r.Field], int64(1)
		if w.Fields[i].Type == format.List {
			perRow = chunk.Values/max(1, g.rows) + 1
			rows = min(rows, max(1, format.FlowElements/perRow))
		}
		width += perRow * w.Fields[i].Type.Bytes()
		if w.Fields[i].Type == format.String {
			width += chunk.Plain / max(1, chunk.Values)
		}
	}
	return max(1, min(rows, format.FlowBytes/max(1, width)))
}
