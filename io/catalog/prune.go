package catalog

import (
	"skyjoin/internal/expr"
	"skyjoin/internal/format"
)

// spans are ranges of rows, in order and not touching.
type spans []struct{ lo, hi int64 }

// add appends rows that follow all others.
func (s *spans) add(first, n int64) {
	if last := len(*s) - 1; last >= 0 && (*s)[last].hi == first {
		(*s)[last].hi += n
		return
	}
	*s = append(*s, struct{ lo, hi int64 }{first, first + n})
}

// covers reports whether all of the n rows from first on are in s.
func (s spans) covers(first, n int64) bool {
	for _, r := range s {
		if r.lo <= first && first+n <= r.hi {
			return true
		}
	}
	return false
}

// excluded returns the rows that cannot pass the filter according to the
// statistics of the files. Statistics exclude rows only where they bound every
// value: those of floats never rule out NaN, and they do not count sentinels as
// nulls.
func (c *Catalog) excluded(e *expr.Expr) spans {
	var out spans
	for file, s := range c.sources {
		st, ok := s.(format.Statistician)
		if !ok {
			continue
		}
		st.Bounds(func(first, n int64, of func(r format.Ref) (format.Bounds, bool)) {
			can := e.CanPass(func(name string) (expr.Bounds, bool) {
				f, r, err := c.lookup(name)
				if err != nil || r.Elem >= 0 || f.Type == String && c.isCoordinate(f) {
					return expr.Bounds{}, false
				}
				at := c.inFile(file, r)
				if at.Field < 0 {
					return expr.Bounds{}, false
				}
				b, ok := of(at)
				return expr.Bounds{
					Min: valueOf(b.Min), Max: valueOf(b.Max),
					Null:    b.Nulls != 0 || len(c.opt.Null) > 0,
					NaN:     b.NaN,
					AllNull: b.AllNull,
				}, ok
			})
			if !can {
				out.add(c.first[file]+first, n)
			}
		})
	}
	return out
}

// valueOf returns the number in the form in which expressions compare it.
func valueOf(n format.Number) expr.Value {
	switch n.Store {
	case format.InInt64:
		return expr.IntValue(n.I)
	case format.InUint64:
		return expr.UintValue(n.U)
	case format.InFloat64:
		return expr.FloatValue(n.F)
	}
	return expr.Value{}
}
