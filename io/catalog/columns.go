package catalog

// Slice returns rows [lo, hi) of the column. It shares its memory.
func (c *Column) Slice(lo, hi int) Column {
	s := *c
	s.Float64, s.Float32, s.Int64, s.Uint64 = cut(c.Float64, lo, hi), cut(c.Float32, lo, hi), cut(c.Int64, lo, hi), cut(c.Uint64, lo, hi)
	s.Bool, s.String = cut(c.Bool, lo, hi), cut(c.String, lo, hi)
	s.Null, s.sentinels = cut(c.Null, lo, hi), cut(c.sentinels, lo, hi)
	if c.List != nil {
		s.List = &Lists{Offset: c.List.Offset[lo : hi+1 : hi+1], Elem: c.List.Elem}
	}
	return s
}

// cut is v[lo:hi], to which nothing can be appended in place.
func cut[T any](v []T, lo, hi int) []T {
	if v == nil {
		return nil
	}
	return v[lo:hi:hi]
}

// append adds the rows of another column of the same type.
func (c *Column) append(more *Column) {
	have, n := c.Len(), more.Len()
	c.Null, c.sentinels = appendMarks(c.Null, have, more.Null, n), appendMarks(c.sentinels, have, more.sentinels, n)
	c.Float64, c.Float32 = append(c.Float64, more.Float64...), append(c.Float32, more.Float32...)
	c.Int64, c.Uint64 = append(c.Int64, more.Int64...), append(c.Uint64, more.Uint64...)
	c.Bool, c.String = append(c.Bool, more.Bool...), append(c.String, more.String...)
	if c.List != nil {
		c.List = c.List.joined(more.List)
	}
}

// appendMarks appends the marks of n rows to those of the have rows before; nil
// marks none.
func appendMarks(marks []bool, have int, more []bool, n int) []bool {
	switch {
	case marks == nil && more == nil:
		return nil
	case marks == nil:
		return append(make([]bool, have, have+n), more...)
	case more == nil:
		return append(marks, make([]bool, n)...)
	}
	return append(marks, more...)
}

// joined returns the lists of both, l first. l grows in place if nothing else
// is in its memory.
func (l *Lists) joined(more *Lists) *Lists {
	if lo, hi := l.span(); lo != 0 || hi != int64(l.Elem.Len()) {
		elems := l.Elem.Slice(int(lo), int(hi))
		own := &Lists{Elem: Column{Field: l.Elem.Field}}
		own.Elem.append(&elems)
		for _, o := range l.Offset {
			own.Offset = append(own.Offset, o-lo)
		}
		l = own
	}
	lo, hi := more.span()
	elems, base := more.Elem.Slice(int(lo), int(hi)), int64(l.Elem.Len())-lo
	l.Elem.append(&elems)
	for _, o := range more.Offset[1:] {
		l.Offset = append(l.Offset, o+base)
	}
	return l
}

// span is the elements of all lists.
func (l *Lists) span() (lo, hi int64) { return l.Offset[0], l.Offset[len(l.Offset)-1] }
