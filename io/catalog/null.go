package catalog

import (
	"math"
	"strconv"
	"strings"
)

// A sentinel is a value that stands for null. It is compared in the type of
// the column: 99.9 is the float32 nearest to it in a float32 column, and
// nothing in a column of integers.
type sentinel struct {
	text     string
	number   bool
	float    float64
	float32  float32
	signed   bool // integer holds it as an int64
	unsigned bool // and positive as a uint64
	int64    int64
	uint64   uint64
}

func parseSentinels(texts []string) []sentinel {
	var out []sentinel
	for _, t := range texts {
		s := sentinel{text: t}
		trimmed := strings.TrimSpace(t)
		if v, err := strconv.ParseFloat(trimmed, 64); err == nil {
			s.number, s.float = true, v
			f, _ := strconv.ParseFloat(trimmed, 32)
			s.float32 = float32(f)
			s.setInteger(trimmed)
		}
		out = append(out, s)
	}
	return out
}

// setInteger finds the integers equal to the number, written as such or, as
// -999.0, as a float.
func (s *sentinel) setInteger(text string) {
	var err error
	if s.int64, err = strconv.ParseInt(text, 10, 64); err == nil {
		s.signed = true
	}
	if s.uint64, err = strconv.ParseUint(text, 10, 64); err == nil {
		s.unsigned = true
	}
	if s.signed || s.unsigned || s.float != math.Trunc(s.float) || math.Abs(s.float) > 1<<53 {
		return
	}
	s.int64, s.signed = int64(s.float), true
	s.uint64, s.unsigned = uint64(max(s.float, 0)), s.float >= 0
}

// applySentinels makes rows with one of the values null. Those that were not
// null before, and what a text source has found already, are sentinels.
func (c *Column) applySentinels(list []sentinel) {
	for _, s := range list {
		switch {
		case c.String != nil:
			c.nullWhere(equals(c.String, s.text))
		case !s.number:
		case c.Float64 != nil:
			c.nullWhere(equals(c.Float64, s.float))
		case c.Float32 != nil:
			c.nullWhere(equals(c.Float32, s.float32))
		case c.Int64 != nil && s.signed:
			c.nullWhere(equals(c.Int64, s.int64))
		case c.Uint64 != nil && s.unsigned:
			c.nullWhere(equals(c.Uint64, s.uint64))
		}
	}
	c.sentinels = anyNull(c.sentinels)
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
func (c *Column) nullWhere(rows func(yield func(int) bool)) {
	for i := range rows {
		if c.Null == nil {
			c.Null = make([]bool, c.Len())
		}
		if c.Null[i] {
			continue
		}
		if c.sentinels == nil {
			c.sentinels = make([]bool, c.Len())
		}
		c.setNull(i)
		c.sentinels[i] = true
	}
}
