package format

import "skyjoin/internal/par"

// A Flow is what a Reader is asked to pass on in order, a block of rows after
// the other, so that memory does not grow with the file.
type Flow struct {
	Refs   []Ref
	Fields []Field // as the values are wanted, one for each of Refs; Lists whole
	Pool   par.Pool

	Sentinels bool // some values are sentinels, which texts know

	// Skip reports that none of the n rows from row first of the file is
	// wanted. nil skips none.
	Skip func(first, n int64) bool

	// Visit takes the next n rows, with their columns, which are its own then;
	// nil for rows that Skip holds for.
	Visit func(n int64, cols []Column) error
}

const (
	FlowRows     = 1 << 16 // of a block, if its rows are not large
	FlowElements = 1 << 20 // of the lists of a block, about
	FlowBytes    = 2 << 20 // of the values of a block, about
)

// Columns returns columns for the values of n rows: lists without any yet.
func (w *Flow) Columns(n int64) []Column {
	cols := make([]Column, len(w.Fields))
	for i, f := range w.Fields {
		if f.Type == List {
			cols[i] = *NewListColumn(f).Column
		} else {
			cols[i] = MakeColumn(f, n, f.Nullable)
			if w.Sentinels {
				cols[i].Sentinels = make([]bool, n)
			}
		}
	}
	return cols
}
