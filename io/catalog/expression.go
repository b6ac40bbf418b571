package catalog

import (
	"skyjoin/internal/each"
	"skyjoin/internal/expr"
	"skyjoin/internal/format"
)

// exprTypes translates where values are to the types of expressions.
var exprTypes = map[format.Storage]expr.Type{
	format.InFloat64: expr.Float64, format.InFloat32: expr.Float32, format.InInt64: expr.Int64,
	format.InUint64: expr.Uint64, format.InBool: expr.Bool, format.InString: expr.String,
}

// parseFilter reads an expression that is true or false.
func (c *Catalog) parseFilter(src string) (*expr.Expr, *expr.Program, error) {
	e, err := c.parse(src)
	if err != nil {
		return nil, nil, whereError(src, err)
	}
	p, err := e.CompileFilter(c.exprType)
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
		if c.isCoordinate(f) {
			return "deg"
		}
		return f.Unit
	})
}

func whereError(src string, err error) error { return &ExpressionError{Expression: src, Err: err} }

// vector returns rows [lo, hi) as expressions take them.
func vector(c *format.Column, lo, hi int64) expr.Vector {
	v := expr.Vector{}
	switch c.Field.Type.Storage() {
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

// vectors returns rows [lo, hi) of all columns.
func (c *Catalog) vectors(cols []format.Column, lo, hi int64) []expr.Vector {
	return each.To(len(cols), func(i int) expr.Vector { return c.vector(&cols[i], lo, hi) })
}
