package columns

import (
	"math"
	"strconv"

	"skyjoin/io/catalog"
)

// Text is a value as a class, the same for a whole number of any type. The row is not
// null.
func Text(c *catalog.Column, row int) string {
	switch {
	case c.String != nil:
		return c.String[row]
	case c.Bool != nil:
		return strconv.FormatBool(c.Bool[row])
	case c.Int64 != nil:
		return strconv.FormatInt(c.Int64[row], 10)
	case c.Uint64 != nil:
		return strconv.FormatUint(c.Uint64[row], 10)
	}
	v, bits := 0.0, 64
	if c.Float32 != nil {
		v, bits = float64(c.Float32[row]), 32
	} else {
		v = c.Float64[row]
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}
