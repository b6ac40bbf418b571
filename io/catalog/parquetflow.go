package catalog

import "context"

// flow implements source: all columns side by side, a page of each at a time.
func (s *parquetSource) flow(ctx context.Context, w flow) error {
	openers := make([]chunkOpener, len(w.refs))
	for i, r := range w.refs {
		var err error
		if openers[i], err = s.opener(r, w.fields[i]); err != nil {
			return err
		}
	}
	f, err := s.open()
	if err != nil {
		return err
	}
	defer f.Close()
	chunks := make([]chunkRows, len(w.refs))
	for g := range s.groups {
		group := &s.groups[g]
		if w.skip != nil && w.skip(group.first, group.rows) {
			if err := w.visit(group.rows, nil); err != nil {
				return err
			}
			continue
		}
		for i, r := range w.refs {
			c := group.chunks[r.field].Chunk
			chunks[i] = openers[i](f, &c, &s.leaves[r.field])
		}
		// each calls do for all columns, several at once.
		each := func(do func(i int) error) error {
			return w.pool.run(ctx, len(w.refs), func(i int) error {
				err := fenced(func() error { return do(i) })
				if err != nil {
					return cannotRead(&s.leaves[w.refs[i].field], g, err)
				}
				return nil
			})
		}
		block := s.flowRows(group, w)
		for lo := int64(0); lo < group.rows; lo += block {
			n := min(block, group.rows-lo)
			cols := w.columns(n)
			err := each(func(i int) error { return w.refs[i].read(chunks[i], &cols[i], 0, n) })
			if err == nil {
				err = w.visit(n, cols)
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

// flowRows returns how many rows of a group make a block: fewer where lists are
// long.
func (s *parquetSource) flowRows(g *rowGroup, w flow) int64 {
	rows := int64(flowRows)
	for i, r := range w.refs {
		if w.fields[i].Type == List {
			perRow := g.chunks[r.field].Values/max(1, g.rows) + 1
			rows = min(rows, max(1, flowElements/perRow))
		}
	}
	return rows
}
