package catalog

import (
	"context"
	"slices"

	"skyjoin/internal/expr"
	"skyjoin/internal/format"
)

// A filter is the rows that a --where expression keeps, and what it read.
type filter struct {
	keep []bool // nil without an expression
	cols []Column
}

// take returns the column of the name, once, if the filter has read it.
func (f *filter) take(name string) (Column, bool) {
	i := slices.IndexFunc(f.cols, func(c Column) bool { return c.Field.Name == name })
	if i < 0 {
		return Column{}, false
	}
	c := f.cols[i]
	f.cols = slices.Delete(f.cols, i, i+1)
	return c, true
}

// skip returns a function that holds for rows none of which is kept.
func (f *filter) skip() func(first, n int64) bool {
	if f.keep == nil {
		return nil
	}
	return func(first, n int64) bool { return !slices.Contains(f.keep[first:first+n], true) }
}

// exprTypes translates where values are to the types of expressions.
var exprTypes = map[format.Storage]expr.Type{
	format.InFloat64: expr.Float64, format.InFloat32: expr.Float32, format.InInt64: expr.Int64,
	format.InUint64: expr.Uint64, format.InBool: expr.Bool, format.InString: expr.String,
}

// where evaluates an expression over all rows. Parts of the files that cannot
// have a row that passes, by their statistics, are not read; their rows are
// not kept.
func (c *Catalog) where(ctx context.Context, src string, prune bool, progress func(rows int64)) (*filter, error) {
	if src == "" {
		return &filter{}, nil
	}
	e, p, err := c.parseFilter(src)
	if err != nil {
		return nil, err
	}
	var excluded spans
	if prune {
		excluded = c.excluded(e)
	}
	cols, err := c.loadMarked(ctx, p.Columns(), excluded.covers, progress)
	if err != nil {
		return nil, err
	}
	f := &filter{keep: make([]bool, c.rows), cols: cols}
	const part = 1 << 16
	err = c.pool.Run(ctx, int((c.rows+part-1)/part), func(i int) error {
		lo := int64(i) * part
		hi := min(lo+part, c.rows)
		if excluded.covers(lo, hi-lo) {
			return nil
		}
		vectors := make([]expr.Vector, len(cols))
		for i := range cols {
			vectors[i] = cols[i].vector(lo, hi)
		}
		if err := p.Filter(vectors, lo, f.keep[lo:hi]); err != nil {
			return whereError(src, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, s := range excluded {
		clear(f.keep[s.lo:s.hi])
	}
	return f, nil
}

// parseFilter reads an expression that is true or false.
func (c *Catalog) parseFilter(src string) (*expr.Expr, *expr.Program, error) {
	e, err := c.parse(src)
	if err != nil {
		return nil, nil, whereError(src, err)
	}
	p, err := e.CompileFilter(func(name string) (expr.Type, error) {
		f, _, err := c.column(name)
		return exprTypes[f.Type.storage()], err
	})
	if err != nil {
		return nil, nil, whereError(src, err)
	}
	return e, p, nil
}

// parse reads an expression, with its constants in the units of the columns.
func (c *Catalog) parse(src string) (*expr.Expr, error) {
	e, err := expr.Parse(src)
	if err != nil {
		return nil, err
	}
	return e.WithUnits(func(name string) string {
		f, _, err := c.lookup(name)
		if err != nil {
			return "" // compiling says so
		}
		return f.Unit
	})
}

func whereError(src string, err error) error { return &ExpressionError{Expression: src, Err: err} }

// vector returns rows [lo, hi) as expressions take them.
func (c *Column) vector(lo, hi int64) expr.Vector {
	v := expr.Vector{}
	switch c.Field.Type.storage() {
	case format.InFloat64:
		v.Float64 = c.Float64[lo:hi]
	case format.InFloat32:
		v.Float32 = c.Float32[lo:hi]
	case format.InInt64:
		v.Int64 = c.Int64[lo:hi]
	case format.InUint64:
		v.Uint64 = c.Uint64[lo:hi]
	case format.InBool:
		v.Bool = c.Bool[lo:hi]
	case format.InString:
		v.String = c.String[lo:hi]
	}
	if c.Null != nil {
		v.Null = c.Null[lo:hi]
	}
	return v
}
