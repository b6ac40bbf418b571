package format

import (
	"math"
	"strconv"
	"time"
)

// Text returns the value of row i as info and error messages print it: the
// shortest text that reads back as the same value, and "" for null.
func (c *Column) Text(i int) string {
	switch {
	case c.IsNull(i):
		return ""
	case c.Float64 != nil:
		return floatText(c.Field.Type, c.Float64[i])
	case c.Float32 != nil:
		return floatText(Float32, float64(c.Float32[i]))
	case c.Int64 != nil:
		return strconv.FormatInt(c.Int64[i], 10)
	case c.Uint64 != nil:
		return strconv.FormatUint(c.Uint64[i], 10)
	case c.Bool != nil:
		return strconv.FormatBool(c.Bool[i])
	}
	return c.String[i]
}

// floatText is text for a value of a type that is held in floats.
func floatText(t Type, v float64) string {
	switch {
	case t == Float32:
		return strconv.FormatFloat(v, 'g', -1, 32)
	case t == Timestamp && math.Abs(v) < 1e11: // years 0 to 9999, and some
		whole := math.Floor(v)
		return time.Unix(int64(whole), int64((v-whole)*1e9)).UTC().Format("2006-01-02T15:04:05.999999Z")
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Text is the same for a bound of a column of type t.
func (a Number) Text(t Type) string {
	switch a.Store {
	case InInt64:
		return strconv.FormatInt(a.I, 10)
	case InUint64:
		return strconv.FormatUint(a.U, 10)
	case InFloat64:
		return floatText(t, a.F+0) // statistics say -0 for either zero
	}
	return ""
}
