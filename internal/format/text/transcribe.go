package text

import (
	"context"
	"fmt"

	"skyjoin/internal/format"
)

// transcribe writes files as CSV whose formats give their values as exact text.
func transcribe(ctx context.Context, out format.Sink, from format.Table, added format.Added, opt format.WriteOptions) error {
	e := newEncoder(out, opt)
	for _, f := range from.Fields {
		e.name(f.Name)
	}
	if err := e.columns(added.Fields()); err != nil {
		return err
	}
	row := int64(0)
	for _, f := range from.Files {
		end := row + f.Rows()
		var visiting error // names the file, if it is of the file
		visit := func(rows int64, cell func([]byte, int) ([]byte, error)) error {
			if rows > end-row {
				return changed(f)
			}
			const block = 1 << 16
			for last := row + rows; row < last; {
				hi := min(row+block, last)
				if err := added.Advance(ctx, row, hi); err != nil {
					return err
				}
				if err := e.transcribed(ctx, f.Path, len(from.Fields), int(hi-row), cell, blocksOf(added, row, hi)); err != nil {
					return err
				}
				row = hi
			}
			opt.Progress(rows)
			return nil
		}
		err := f.Reader.(format.Transcriber).Transcribe(ctx, fieldsIn(f, from.Fields), ',', func(rows int64, cell func([]byte, int) ([]byte, error)) error {
			visiting = visit(rows, cell)
			return visiting
		})
		if err != nil && visiting == nil {
			err = fmt.Errorf("%s: %w", f.Path, err)
		}
		if err == nil && row != end {
			err = changed(f)
		}
		if err != nil {
			return err
		}
	}
	return e.Close(ctx)
}

func changed(f format.File) error {
	return fmt.Errorf("%s: it no longer has the %d rows it had when it was opened", f.Path, f.Rows())
}

// fieldsIn says which field of a file each of a table is, -1 for none.
func fieldsIn(f format.Reader, fields []format.Field) []int {
	at := map[string]int{}
	for i, own := range f.Fields() {
		at[own.Name] = i
	}
	out := make([]int, len(fields))
	for i, want := range fields {
		out[i] = -1
		if k, ok := at[want.Name]; ok {
			out[i] = k
		}
	}
	return out
}

// transcribed writes rows of cells that are text already, and of columns.
func (e *encoder) transcribed(ctx context.Context, path string, texts, rows int, cell func([]byte, int) ([]byte, error), added []format.Column) (err error) {
	for r := range rows {
		for i := range texts {
			if e.buf, err = cell(e.buf, i); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			e.buf = append(e.buf, ',')
		}
		for i := range added {
			e.value(i, &added[i], r)
		}
		if err := e.endRow(ctx); err != nil {
			return err
		}
	}
	return nil
}
