package catalog

import (
	"context"
	"io"

	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// flow implements source: blocks of the text are decoded by several threads.
func (s *textSource) Flow(ctx context.Context, w format.Flow) error {
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
		cols []format.Column
	}
	return par.InOrder(ctx, w.Pool, func() (b block, ok bool, err error) {
		if err := ctx.Err(); err != nil {
			return b, false, context.Cause(ctx)
		}
		b.text, b.index, err = in.next(nil)
		if err == io.EOF {
			return b, false, nil
		}
		if err == nil && b.index >= len(s.blocks) {
			err = format.ErrChanged
		}
		return b, err == nil, err
	}, func(b block) (decoded, error) {
		rows := s.blocks[b.index]
		d := decoded{rows: rows.n}
		if w.Skip != nil && w.Skip(rows.first, rows.n) {
			return d, nil
		}
		d.cols = w.Columns(rows.n)
		j := format.Job{Refs: w.Refs, At: -rows.first}
		for i := range d.cols {
			j.Dst = append(j.Dst, &d.cols[i])
		}
		return d, s.readBlock(b.text, rows, &j)
	}, func(d decoded) error { return w.Visit(d.rows, d.cols) })
}
