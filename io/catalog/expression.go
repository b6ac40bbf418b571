package catalog

import (
	"skyjoin/internal/each"
	"skyjoin/internal/expr"
	"skyjoin/internal/format"
)

// exprTypes maps the storage of values to the types of expressions.
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

// vector returns rows [lo, hi) in the form that expressions take.
func vector(c *format.Column, lo, hi int64) expr.Vector {
	s := c.Slice(int(lo), int(hi))
	return expr.Vector{Float64: s.Float64, Float32: s.Float32, Int64: s.Int64, Uint64: s.Uint64, Bool: s.Bool, String: s.String, Null: s.Null}
}

// vectors returns rows [lo, hi) of all columns.
func (c *Catalog) vectors(cols []format.Column, lo, hi int64) []expr.Vector {
	return each.To(len(cols), func(i int) expr.Vector { return c.vector(&cols[i], lo, hi) })
}
