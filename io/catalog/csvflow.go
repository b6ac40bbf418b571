package catalog

import (
	"context"
	"io"
)

// flow implements source: blocks of the text are decoded by several threads.
func (s *textSource) flow(ctx context.Context, w flow) error {
	r, err := openText(s.path, s.dataAt)
	if err != nil {
		return err
	}
	defer r.Close()
	in := newBlockReader(r, s.dialect)
	type block struct {
		index int
		text  []byte
	}
	type decoded struct {
		rows int64
		cols []Column
	}
	return inOrder(ctx, w.pool, func() (b block, ok bool, err error) {
		if err := ctx.Err(); err != nil {
			return b, false, context.Cause(ctx)
		}
		b.text, b.index, err = in.next(nil)
		if err == io.EOF {
			return b, false, nil
		}
		if err == nil && b.index >= len(s.blocks) {
			err = errChanged
		}
		return b, err == nil, err
	}, func(b block) (decoded, error) {
		rows := s.blocks[b.index]
		d := decoded{rows: rows.n}
		if w.skip != nil && w.skip(rows.first, rows.n) {
			return d, nil
		}
		d.cols = w.columns(rows.n)
		j := job{refs: w.refs, at: -rows.first}
		for i := range d.cols {
			j.dst = append(j.dst, &d.cols[i])
		}
		return d, s.readBlock(b.text, rows, &j)
	}, func(d decoded) error { return w.visit(d.rows, d.cols) })
}
