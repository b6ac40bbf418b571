package catalog

import (
	"context"
	"fmt"

	"skyjoin/internal/expr"
	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// Read decodes the named columns of all rows and returns them in the order of
// names; other columns are not read. Sentinel values become null. progress may be
// nil; it is called from several goroutines with the number of rows done since the
// last call.
func (c *Catalog) Read(ctx context.Context, names []string, progress func(rows int64)) ([]Column, error) {
	cols, err := c.load(ctx, names, nil, progress)
	if err != nil {
		return nil, err
	}
	return publicColumns(cols), nil
}

// load is Read, except that rows for which skip returns true may keep the zero
// value.
func (c *Catalog) load(ctx context.Context, names []string, skip func(first, n int64) bool, progress func(rows int64)) ([]format.Column, error) {
	out := make([]format.Column, len(names))
	var stored []string
	var at []int
	for i, name := range names {
		if _, _, err := c.column(name); err != nil {
			return nil, err
		}
		if c.program(name) == nil {
			stored, at = append(stored, name), append(at, i)
		}
	}
	if len(stored) > 0 || len(names) == 0 {
		cols, err := c.loadStored(ctx, stored, skip, progress)
		if err != nil {
			return nil, err
		}
		for i, k := range at {
			out[k] = cols[i]
		}
		progress = nil // the rows count once
	}
	for i, name := range names {
		p := c.program(name)
		if p == nil {
			continue
		}
		var err error
		if out[i], err = c.evaluate(ctx, name, p, skip, progress); err != nil {
			return nil, err
		}
		progress = nil
	}
	return out, nil
}

// loadStored is load for columns that are in files.
func (c *Catalog) loadStored(ctx context.Context, names []string, skip func(first, n int64) bool, progress func(rows int64)) ([]format.Column, error) {
	refs := make([]format.Ref, len(names))
	cols := make([]format.Column, len(names))
	dst := make([]*format.Column, len(names))
	for i, name := range names {
		f, r, err := c.column(name)
		if err == nil {
			err = c.check(name, r)
		}
		if err != nil {
			return nil, err
		}
		refs[i], dst[i], cols[i].Field = r, &cols[i], f.raw()
	}
	for i := range cols { // once all are known to be there
		cols[i] = format.MakeColumn(cols[i].Field, c.rows, cols[i].Field.Nullable)
		if len(c.opt.Null) > 0 {
			cols[i].Sentinels = make([]bool, c.rows)
		}
	}
	if progress == nil {
		progress = func(int64) {}
	}
	if err := c.loadInto(ctx, refs, dst, skip, progress); err != nil {
		return nil, err
	}
	return cols, c.pool.Run(ctx, len(cols), func(i int) error {
		cols[i].Null = anyNull(cols[i].Null)
		applySentinels(&cols[i], c.opt.Null)
		return nil
	})
}

// loadInto reads all files, several at once. Their units of work share the
// pool, so it must not hold the goroutines that hand them out.
func (c *Catalog) loadInto(ctx context.Context, refs []format.Ref, dst []*format.Column, skip func(first, n int64) bool, progress func(rows int64)) error {
	files := par.NewPool(par.Threads(c.opt.Threads))
	return files.Run(ctx, len(c.sources), func(file int) error {
		j := format.Job{Refs: c.inFileAll(file, refs), Dst: dst, At: c.first[file], Add: progress, Pool: c.pool}
		if skip != nil {
			j.Skip = func(first, n int64) bool { return skip(c.first[file]+first, n) }
		}
		// A file that is a small part of the rows is one unit of work: to share
		// it would cost more than it gains.
		if c.files[file].Rows*int64(4*cap(c.pool)) <= c.rows {
			if !c.pool.Enter(ctx) {
				return context.Cause(ctx)
			}
			defer c.pool.Leave()
			j.Pool = nil
		}
		if err := c.sources[file].Read(ctx, j); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%s: %w", c.files[file].Path, err)
		}
		return nil
	})
}

// evaluate computes a derived column. Rows for which skip returns true keep the
// zero value.
func (c *Catalog) evaluate(ctx context.Context, name string, p *expr.Program, skip func(first, n int64) bool, progress func(rows int64)) (format.Column, error) {
	inputs, err := c.load(ctx, p.Columns(), skip, progress)
	if err != nil {
		return format.Column{}, err
	}
	out := format.MakeColumn(c.fields[c.index[name]].raw(), c.rows, true)
	err = c.inParts(ctx, skip, func(lo, hi int64) error {
		values, err := c.derivedColumn(name, p, c.vectors(inputs, lo, hi), lo, hi-lo)
		part := out.Slice(int(lo), int(hi))
		part.Copy(&values)
		return err
	})
	out.Null = anyNull(out.Null)
	return out, err
}

// derivedColumn evaluates a definition for n rows from the catalog's row first
// on.
func (c *Catalog) derivedColumn(name string, p *expr.Program, inputs []expr.Vector, first, n int64) (format.Column, error) {
	f := c.fields[c.index[name]]
	v, err := p.Eval(inputs, first, int(n))
	if err != nil {
		return format.Column{}, &ExpressionError{name, f.Description, err}
	}
	out := format.Column{Field: f.raw(), Float64: v.Float64, Int64: v.Int64, Uint64: v.Uint64, Bool: v.Bool, String: v.String, Null: v.Null}
	for i, null := range out.Null {
		if null {
			out.SetNull(i)
		}
	}
	return out, nil
}

// inParts calls do for ranges of rows, several at once, except those for which
// skip returns true.
func (c *Catalog) inParts(ctx context.Context, skip func(first, n int64) bool, do func(lo, hi int64) error) error {
	const part = 1 << 16
	return c.pool.Run(ctx, int((c.rows+part-1)/part), func(i int) error {
		lo := int64(i) * part
		hi := min(lo+part, c.rows)
		if skip != nil && skip(lo, hi-lo) {
			return nil
		}
		return do(lo, hi)
	})
}
