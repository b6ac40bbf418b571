package columns

import (
	"math"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/catalog"
)

// NumbersOf returns the values of a column at the points of a selection, null
// ones NaN.
func NumbersOf(c *catalog.Column, sel *catalog.Selection) ([]float64, error) {
	if !c.Field.Type.IsNumber() {
		return nil, exit.Usagef("column %s is %s; numbers are needed", c.Field.Name, c.Field.Text)
	}
	out := make([]float64, sel.Points.Len())
	for i := range out {
		row := int(job.CatalogRow(sel, uint32(i)))
		switch {
		case c.IsNull(row):
			out[i] = math.NaN()
		case c.Float32 != nil:
			out[i] = float64(c.Float32[row])
		case c.Int64 != nil:
			out[i] = float64(c.Int64[row])
		case c.Uint64 != nil:
			out[i] = float64(c.Uint64[row])
		default:
			out[i] = c.Float64[row]
		}
	}
	return out, nil
}
