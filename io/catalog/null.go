package catalog

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// applySentinels makes rows with one of the values null. Values are compared in
// the type of the column: 99.9 is the float32 nearest to it in a float32 column,
// and nothing in a column of integers. Rows that were not null before are marked
// as sentinels, besides those that a text format has marked.
func applySentinels(c *format.Column, values []string) {
	for _, text := range values {
		if c.String != nil {
			nullWhere(c, equals(c.String, text))
			continue
		}
		text = strings.TrimSpace(text)
		float, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue
		}
		switch {
		case c.Float64 != nil:
			nullWhere(c, equals(c.Float64, float))
		case c.Float32 != nil:
			float, _ := strconv.ParseFloat(text, 32)
			nullWhere(c, equals(c.Float32, float32(float)))
		case c.Int64 != nil:
			if v, ok := integer(text, float, strconv.ParseInt); ok {
				nullWhere(c, equals(c.Int64, v))
			}
		case c.Uint64 != nil:
			if v, ok := integer(text, float, strconv.ParseUint); ok {
				nullWhere(c, equals(c.Uint64, v))
			}
		}
	}
	c.Sentinels = anyNull(c.Sentinels)
}

// integer returns the integer equal to a number, written as such or, as -999.0, as
// a float that is exact.
func integer[T int64 | uint64](text string, float float64, parse func(string, int, int) (T, error)) (T, bool) {
	if v, err := parse(text, 10, 64); err == nil {
		return v, true
	}
	const exact = 1 << 53
	v := T(float)
	return v, math.Abs(float) <= exact && float64(v) == float
}

// equals yields the rows that have the value.
func equals[T comparable](v []T, x T) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range v {
			if v[i] == x && !yield(i) {
				return
			}
		}
	}
}

// nullWhere makes the rows null that are not yet, as sentinels.
func nullWhere(c *format.Column, rows func(yield func(int) bool)) {
	for i := range rows {
		if c.Null == nil {
			c.Null = make([]bool, c.Len())
		}
		if c.Null[i] {
			continue
		}
		if c.Sentinels == nil {
			c.Sentinels = make([]bool, c.Len())
		}
		c.SetNull(i)
		c.Sentinels[i] = true
	}
}

// anyNull returns the null marks, nil if no row is null.
func anyNull(null []bool) []bool {
	if slices.Contains(null, true) {
		return null
	}
	return nil
}
