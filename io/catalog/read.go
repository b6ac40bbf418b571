package catalog

import (
	"context"
	"fmt"

	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// Read decodes the named columns of all rows, in the order of names; no others
// are touched. Sentinel values are null. progress, which may be nil and is
// called from several goroutines, receives how many more rows are done.
func (c *Catalog) Read(ctx context.Context, names []string, progress func(rows int64)) ([]Column, error) {
	return c.loadMarked(ctx, names, nil, progress)
}

// loadMarked is load with sentinels made null.
func (c *Catalog) loadMarked(ctx context.Context, names []string, skip func(first, n int64) bool, progress func(rows int64)) ([]Column, error) {
	cols, err := c.load(ctx, names, skip, progress)
	if err != nil {
		return nil, err
	}
	return cols, c.pool.Run(ctx, len(cols), func(i int) error {
		if c.program(names[i]) == nil { // else sentinels of its inputs are null
			cols[i].applySentinels(c.null)
		}
		return nil
	})
}

// load is Read without sentinels. Rows for which skip holds in whole parts of
// the files may be left at the zero value.
func (c *Catalog) load(ctx context.Context, names []string, skip func(first, n int64) bool, progress func(rows int64)) ([]Column, error) {
	out := make([]Column, len(names))
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
	return out, c.dropEmptyNulls(ctx, out)
}

// loadStored is load for columns that are in files.
func (c *Catalog) loadStored(ctx context.Context, names []string, skip func(first, n int64) bool, progress func(rows int64)) ([]Column, error) {
	fields := make([]Field, len(names))
	refs := make([]format.Ref, len(names))
	for i, name := range names {
		var err error
		if fields[i], refs[i], err = c.column(name); err != nil {
			return nil, err
		}
		if err := c.check(name, refs[i]); err != nil {
			return nil, err
		}
	}
	cols := make([]format.Column, len(names))
	dst := make([]*format.Column, len(names))
	for i, f := range fields {
		cols[i] = format.MakeColumn(f.raw(), c.rows, f.Nullable)
		if len(c.null) > 0 {
			cols[i].Sentinels = make([]bool, c.rows)
		}
		dst[i] = &cols[i]
	}
	if progress == nil {
		progress = func(int64) {}
	}
	if err := c.loadInto(ctx, refs, dst, skip, progress); err != nil {
		return nil, err
	}
	return publicColumns(cols), nil
}

// check reports whether every file has the column and can read it.
func (c *Catalog) check(name string, r format.Ref) error {
	for file, s := range c.sources {
		at := c.inFile(file, r)
		if at.Field < 0 {
			return format.Requestf("%s: there is no column %q, which other files of the catalog have", c.files[file].Path, name)
		}
		if err := s.Check(at); err != nil {
			return fmt.Errorf("%s: %w", c.files[file].Path, err)
		}
	}
	return nil
}

// inFile translates a reference to a field of the catalog into one to a field
// of the file, -1 where the file lacks it.
func (c *Catalog) inFile(file int, r format.Ref) format.Ref {
	if r.Field >= len(c.refs[file]) {
		return format.Ref{Field: -1, Elem: r.Elem}
	}
	return format.Ref{Field: c.refs[file][r.Field], Elem: r.Elem}
}

// loadInto reads all files, several at once. Their units of work share the
// pool, so it must not hold the goroutines that hand them out.
func (c *Catalog) loadInto(ctx context.Context, refs []format.Ref, dst []*format.Column, skip func(first, n int64) bool, progress func(rows int64)) error {
	files := par.NewPool(c.opt.threads())
	return files.Run(ctx, len(c.sources), func(file int) error {
		j := format.Job{
			Refs: make([]format.Ref, len(refs)),
			Dst:  dst,
			At:   c.first[file],
			Add:  progress,
			Pool: c.pool,
		}
		for i, r := range refs {
			j.Refs[i] = c.inFile(file, r)
		}
		if skip != nil {
			j.Skip = func(first, n int64) bool { return skip(c.first[file]+first, n) }
		}
		// A file that is a small part of the rows is one unit of work: to share
		// it would cost more than it gains.
		if c.files[file].Rows*int64(4*cap(c.pool)) <= c.rows {
			if !c.pool.Enter(ctx) {
				return context.Cause(ctx)
			}
			defer func() { <-c.pool }()
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

// dropEmptyNulls sets Null to nil where no row is null.
func (c *Catalog) dropEmptyNulls(ctx context.Context, cols []Column) error {
	return c.pool.Run(ctx, len(cols), func(i int) error {
		for _, null := range cols[i].Null {
			if null {
				return nil
			}
		}
		cols[i].Null, cols[i].sentinels = nil, nil
		return nil
	})
}
