package neighbors

import (
	"slices"
	"unsafe"
)

// queryRows are the query rows of a call to an engine, in the order of its index.
type queryRows struct {
	pos  []uint32 // their positions, ascending
	rows []uint32 // the rows at these positions

	sorted []uint32 // memory for rows
}

// locate sets pos and rows for the given query rows. position returns the position
// of every row in order; it is not called when rows is a subslice of order, as what
// Plan.Work hands out is.
func (p *queryRows) locate(order []uint32, position func() []uint32, rows []uint32) {
	p.pos = p.pos[:0]
	if at, ok := indexIn(order, rows); ok {
		for i := range rows {
			p.pos = append(p.pos, uint32(at+i))
		}
		p.rows = rows
		return
	}
	positions := position()
	for _, r := range rows {
		p.pos = append(p.pos, positions[r])
	}
	if !slices.IsSorted(p.pos) {
		slices.Sort(p.pos)
	}
	p.sorted = p.sorted[:0]
	for _, i := range p.pos {
		p.sorted = append(p.sorted, order[i])
	}
	p.rows = p.sorted
}

// indexIn returns the index in whole of the first element of part, if part is a
// subslice of whole.
func indexIn(whole, part []uint32) (int, bool) {
	if len(whole) == 0 || len(part) == 0 {
		return 0, false
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(whole)))
	at := (uintptr(unsafe.Pointer(unsafe.SliceData(part))) - from) / unsafe.Sizeof(part[0])
	if at > uintptr(len(whole)-len(part)) || &whole[at] != &part[0] {
		return 0, false
	}
	return int(at), true
}
