package catalog

import (
	"fmt"
	"slices"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/expr"
	"skyjoin/internal/format"
)

// Complete adds the definitions of those named columns that the catalog lacks,
// and of the columns that they are derived from, as Options.Let would.
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

// Define defines a column with a unit and returns its name: the given one, with
// the first free suffix _1, _2, … if another column has it. If a column of that
// name has the same definition, or the same description because the catalog is
// a copy that contains it, nothing is added.
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

// Definitions returns the definitions of the derived columns, in order. A catalog
// opened with them as Options.Define has the same derived columns.
func (c *Catalog) Definitions() []Definition {
	return each.Of(c.Derived(), func(f Field) Definition { return Definition{f.Name, f.Description, f.Unit} })
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
	p, err := e.Compile(c.exprType)
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

// Stored returns the columns that are in the files, and Derived those that
// are defined; Fields has both, in this order.
func (c *Catalog) Stored() []Field { return c.fields[:c.stored] }

// Derived returns the columns that are defined.
func (c *Catalog) Derived() []Field { return c.fields[c.stored+c.hidden:] }
