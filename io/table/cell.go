package table

import (
	"math"
	"strconv"
	"strings"
	"time"

	"skyjoin/io/catalog"
)

// A cellFunc appends the text of a value that is not null.
type cellFunc func(dst []byte, c *catalog.Column, row int) []byte

// cellOf returns how values of a column are written in text. Numbers are the
// shortest decimal that reads back as the same bits.
func cellOf(f catalog.Field, comma byte) (cellFunc, error) {
	switch f.Type {
	case catalog.Float64, catalog.Decimal:
		return func(dst []byte, c *catalog.Column, row int) []byte { return appendFloat(dst, c.Float64[row], 64) }, nil
	case catalog.Float32:
		return func(dst []byte, c *catalog.Column, row int) []byte {
			return appendFloat(dst, float64(c.Float32[row]), 32)
		}, nil
	case catalog.Int64, catalog.Int32, catalog.Int16, catalog.Int8:
		return func(dst []byte, c *catalog.Column, row int) []byte { return strconv.AppendInt(dst, c.Int64[row], 10) }, nil
	case catalog.Uint64, catalog.Uint32, catalog.Uint16, catalog.Uint8:
		return func(dst []byte, c *catalog.Column, row int) []byte { return strconv.AppendUint(dst, c.Uint64[row], 10) }, nil
	case catalog.Bool:
		return func(dst []byte, c *catalog.Column, row int) []byte { return strconv.AppendBool(dst, c.Bool[row]) }, nil
	case catalog.String:
		return func(dst []byte, c *catalog.Column, row int) []byte { return appendText(dst, c.String[row], comma) }, nil
	case catalog.Timestamp:
		return func(dst []byte, c *catalog.Column, row int) []byte { return appendTime(dst, c.Float64[row]) }, nil
	case catalog.List:
		return listCell(f, comma)
	}
	return nil, requestf("column %q (%s) cannot be written as text", f.Name, f.Text)
}

// appendFloat writes a float; what is no number is nan, inf or -inf, as
// numpy and the Gaia archive have it.
func appendFloat(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "nan"...)
	case math.IsInf(v, 0):
		if v < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "inf"...)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, bits)
}

// appendTime writes Unix seconds as ISO 8601 in UTC, to the microsecond.
func appendTime(dst []byte, s float64) []byte {
	if math.IsNaN(s) || math.Abs(s) > 1e11 { // beyond the year 5138
		return appendFloat(dst, s, 64)
	}
	return time.UnixMicro(int64(math.Round(s*1e6))).UTC().AppendFormat(dst, "2006-01-02T15:04:05.999999Z")
}

// appendText writes a string, in quotes where it would be read as something
// else without.
func appendText(dst []byte, s string, comma byte) []byte {
	if !needsQuotes(s, comma) {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(s, `"`, `""`)...)
	return append(dst, '"')
}

func needsQuotes(s string, comma byte) bool {
	if s == "" || s[0] == '#' || isBlank(s[0]) || isBlank(s[len(s)-1]) || strings.EqualFold(s, "null") {
		return true
	}
	return strings.IndexByte(s, comma) >= 0 || strings.ContainsAny(s, "\"\r\n\ufeff")
}

// isBlank reports whether c does not count at the ends of a cell without
// quotes.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }
