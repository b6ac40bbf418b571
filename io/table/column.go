package table

import "skyjoin/internal/format"

// A Column is a result to add to a catalog as a column. Exactly one of its
// value slices is set (all may be empty for no rows). Rows maps its i-th
// value to a row of the catalog; nil means that value i is row i. Rows of the
// catalog that are not named are null.
type Column struct {
	Name    string
	Int32   []int32
	Int64   []int64
	Bool    []bool
	Float64 []float64
	String  []string

	Unit        string
	Description string
	Rows        []uint32
}

// len returns the number of values.
func (c *Column) len() int {
	return max(len(c.Int32), len(c.Int64), len(c.Bool), len(c.Float64), len(c.String))
}

func (c *Column) typ() format.Type {
	switch {
	case c.Int32 != nil:
		return format.Int32
	case c.Int64 != nil:
		return format.Int64
	case c.Bool != nil:
		return format.Bool
	case c.String != nil:
		return format.String
	}
	return format.Float64
}
