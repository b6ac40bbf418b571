// Package cell writes values as text: the cells of CSV, and what stands in text
// columns of other formats.
package cell

import (
	"math"
	"strconv"
	"strings"
	"time"

	"skyjoin/internal/format"
)

// A Func appends the text of a value that is not null.
type Func func(dst []byte, c *format.Column, row int) []byte

// Of returns how values of a column are written in text. Numbers are the
// shortest decimal that reads back as the same bits.
func Of(f format.Field, comma byte) (Func, error) {
	switch f.Type {
	case format.Float64, format.Decimal:
		return func(dst []byte, c *format.Column, row int) []byte { return AppendFloat(dst, c.Float64[row], 64) }, nil
	case format.Float32:
		return func(dst []byte, c *format.Column, row int) []byte {
			return AppendFloat(dst, float64(c.Float32[row]), 32)
		}, nil
	case format.Int64, format.Int32, format.Int16, format.Int8:
		return func(dst []byte, c *format.Column, row int) []byte { return strconv.AppendInt(dst, c.Int64[row], 10) }, nil
	case format.Uint64, format.Uint32, format.Uint16, format.Uint8:
		return func(dst []byte, c *format.Column, row int) []byte { return strconv.AppendUint(dst, c.Uint64[row], 10) }, nil
	case format.Bool:
		return func(dst []byte, c *format.Column, row int) []byte { return strconv.AppendBool(dst, c.Bool[row]) }, nil
	case format.String:
		return func(dst []byte, c *format.Column, row int) []byte { return AppendText(dst, c.String[row], comma) }, nil
	case format.Timestamp:
		return func(dst []byte, c *format.Column, row int) []byte { return AppendTime(dst, c.Float64[row]) }, nil
	case format.List:
		return listCell(f, comma)
	}
	return nil, format.Requestf("column %q (%s) cannot be written as text", f.Name, f.Text)
}

// AppendFloat writes a float; NaN and the infinities are nan, inf and -inf, as in
// numpy and the Gaia archive.
func AppendFloat(dst []byte, v float64, bits int) []byte {
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

// AppendTime writes Unix seconds as ISO 8601 in UTC, to the microsecond.
func AppendTime(dst []byte, s float64) []byte {
	if math.IsNaN(s) || math.Abs(s) > 1e11 { // beyond the year 5138
		return AppendFloat(dst, s, 64)
	}
	return time.UnixMicro(int64(math.Round(s*1e6))).UTC().AppendFormat(dst, "2006-01-02T15:04:05.999999Z")
}

// AppendText writes a string, in quotes if it could not be read back without.
func AppendText(dst []byte, s string, comma byte) []byte {
	if !needsQuotes(s, comma) {
		return append(dst, s...)
	}
	return AppendQuoted(dst, s)
}

// AppendQuoted writes a string in quotes.
func AppendQuoted(dst []byte, s string) []byte {
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

// isBlank reports whether c is ignored at the ends of a cell without quotes.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }
