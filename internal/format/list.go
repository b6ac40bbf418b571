package format

// A ListColumn is a column of lists while it is read.
type ListColumn struct{ *Column }

// NewListColumn returns an empty column of lists.
func NewListColumn(f Field) ListColumn {
	elem := MakeColumn(*f.Elem, 0, true)
	elem.Null = []bool{}
	return ListColumn{&Column{Field: f, Null: []bool{}, List: &Lists{Offset: []int64{0}, Elem: elem}}}
}

// Grow adds n null elements to the list in the making, and returns where the
// first of them is in Elem.
func (l ListColumn) Grow(n int) int {
	e := &l.List.Elem
	at := len(e.Null)
	e.Null = append(e.Null, make([]bool, n)...)
	switch e.Field.Type.Storage() {
	case InFloat64:
		e.Float64 = append(e.Float64, make([]float64, n)...)
	case InFloat32:
		e.Float32 = append(e.Float32, make([]float32, n)...)
	case InInt64:
		e.Int64 = append(e.Int64, make([]int64, n)...)
	case InUint64:
		e.Uint64 = append(e.Uint64, make([]uint64, n)...)
	case InBool:
		e.Bool = append(e.Bool, make([]bool, n)...)
	case InString:
		e.String = append(e.String, make([]string, n)...)
	}
	return at
}

// End ends a list, or adds a null.
func (l ListColumn) End(null bool) {
	l.List.Offset = append(l.List.Offset, int64(len(l.List.Elem.Null)))
	l.Null = append(l.Null, null)
}
