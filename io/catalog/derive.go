package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"skyjoin/internal/expr"
	"skyjoin/internal/format"
)

// Complete defines, of columns that names lists, those that the catalog lacks,
// and what they in turn are derived from, as Options.Let would.
func (c *Catalog) Complete(definitions, names []string) error {
	need := map[string]bool{}
	for _, n := range names {
		need[n] = true
	}
	var missing []string
	for _, text := range slices.Backward(definitions) {
		name, src, ok := cutDefinition(text)
		if _, taken := c.index[name]; !ok || taken || !need[name] {
			continue
		}
		missing = append(missing, text)
		if e, err := expr.Parse(src); err == nil {
			for _, input := range e.Columns() {
				need[input] = true
			}
		}
	}
	slices.Reverse(missing)
	return c.derive(missing)
}

// Define defines a column in a unit and returns its name: the given one, with
// the first free suffix _1, _2, … if another column has it. A column that is
// defined by the same expression, or was in the catalog that this one is a copy
// of, is not defined again.
func (c *Catalog) Define(name, src, unit string) (string, error) {
	free := name
	for i := 1; ; i++ {
		at, taken := c.index[free]
		if !taken {
			break
		}
		if c.fields[at].Description == src {
			return free, nil
		}
		free = fmt.Sprintf("%s_%d", name, i)
	}
	return free, c.define(Definition{Name: free, Expression: src, Unit: unit})
}

// A Definition is a derived column.
type Definition struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
	Unit       string `json:"unit,omitempty"`
}

// Definitions are those of the derived columns, in order. A catalog that is
// opened with them as Options.Define has the same columns.
func (c *Catalog) Definitions() []Definition {
	var all []Definition
	for _, f := range c.Derived() {
		all = append(all, Definition{f.Name, f.Description, f.Unit})
	}
	return all
}

// derive adds the columns that Options.Let defines.
func (c *Catalog) derive(definitions []string) error {
	for _, text := range definitions {
		name, src, ok := cutDefinition(text)
		if !ok {
			return format.Requestf("%q defines no column; write it as in \"bp_rp = phot_bp_mean_mag - phot_rp_mean_mag\"", format.Clip(text))
		}
		if _, taken := c.index[name]; taken {
			return format.Requestf("%q: there is a column %s; give the new one another name", format.Clip(text), name)
		}
		if err := c.define(Definition{Name: name, Expression: src}); err != nil {
			return err
		}
	}
	return nil
}

// define adds a column of a new name. It may use the columns of the files and
// those defined before it.
func (c *Catalog) define(d Definition) error {
	d.Expression = strings.TrimSpace(d.Expression)
	e, err := c.parse(d.Expression)
	if err != nil {
		return &ExpressionError{d.Name, d.Expression, err}
	}
	p, err := e.Compile(func(name string) (expr.Type, error) {
		f, _, err := c.column(name)
		return exprTypes[f.Type.storage()], err
	})
	if err != nil {
		return &ExpressionError{d.Name, d.Expression, err}
	}
	t := derivedTypes[p.Type()]
	c.index[d.Name] = len(c.fields)
	c.fields = append(c.fields, Field{Name: d.Name, Type: t, Text: t.String(), Nullable: true, Unit: d.Unit, Description: d.Expression})
	c.derived = append(c.derived, p)
	return nil
}

// derivedTypes are the types of the values of expressions.
var derivedTypes = map[expr.Type]Type{expr.Float64: Float64, expr.Int64: Int64, expr.Uint64: Uint64, expr.Bool: Bool, expr.String: String}

// cutDefinition splits "name = expression"; the name may be in double quotes.
func cutDefinition(text string) (name, src string, ok bool) {
	text = strings.TrimSpace(text)
	if rest, quoted := strings.CutPrefix(text, `"`); quoted {
		if name, rest, ok = strings.Cut(rest, `"`); !ok {
			return "", "", false
		}
		src, ok = strings.CutPrefix(strings.TrimSpace(rest), "=")
	} else {
		name, src, ok = strings.Cut(text, "=")
		name = strings.TrimSpace(name)
	}
	return name, src, ok && name != "" && strings.TrimSpace(src) != "" && src[0] != '='
}

// Stored returns the columns that are in the files, and Derived those that
// are defined; Fields has both, in this order.
func (c *Catalog) Stored() []Field { return c.fields[:c.stored] }

// Derived returns the columns that are defined.
func (c *Catalog) Derived() []Field { return c.fields[c.stored:] }

// program returns the definition of a column, nil of one that is in the files.
func (c *Catalog) program(name string) *expr.Program {
	if i, ok := c.index[name]; ok && i >= c.stored {
		return c.derived[i-c.stored]
	}
	return nil
}

// definitionError is an error of the values of a derived column.
func (c *Catalog) definitionError(name string, err error) error {
	return &ExpressionError{name, c.fields[c.index[name]].Description, err}
}

// evaluate makes a column by its definition. Rows for which skip holds are
// evaluated as what they were left at.
func (c *Catalog) evaluate(ctx context.Context, name string, p *expr.Program, skip func(first, n int64) bool, progress func(rows int64)) (Column, error) {
	inputs, err := c.loadMarked(ctx, p.Columns(), skip, progress)
	if err != nil {
		return Column{}, err
	}
	out := makeColumn(c.fields[c.index[name]], c.rows, true)
	const part = 1 << 16
	err = c.pool.Run(ctx, int((c.rows+part-1)/part), func(i int) error {
		lo := int64(i) * part
		hi := min(lo+part, c.rows)
		if skip != nil && skip(lo, hi-lo) {
			return nil
		}
		vectors := make([]expr.Vector, len(inputs))
		for i := range inputs {
			vectors[i] = inputs[i].vector(lo, hi)
		}
		v, err := p.Eval(vectors, lo, int(hi-lo))
		if err != nil {
			return c.definitionError(name, err)
		}
		copy(out.Null[lo:], v.Null)
		switch {
		case out.Float64 != nil:
			copy(out.Float64[lo:], v.Float64)
		case out.Int64 != nil:
			copy(out.Int64[lo:], v.Int64)
		case out.Uint64 != nil:
			copy(out.Uint64[lo:], v.Uint64)
		case out.Bool != nil:
			copy(out.Bool[lo:], v.Bool)
		case out.String != nil:
			copy(out.String[lo:], v.String)
		}
		for k, null := range v.Null {
			if null {
				out.setNull(int(lo) + k)
			}
		}
		return nil
	})
	return out, err
}
