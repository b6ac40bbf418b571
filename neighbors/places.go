package neighbors

import (
	"slices"
	"unsafe"
)

// places are the rows that an engine is to do, in the order of its index.
type places struct {
	pos  []uint32 // their positions, ascending
	rows []uint32 // the rows there

	sorted []uint32 // room for rows
}

// locate sets pos and rows for rows that are to be done. position gives the
// place of every row in order; it is not asked when rows are a stretch of order
// itself, as those that Plan.Work hands out are.
func (p *places) locate(order []uint32, position func() []uint32, rows []uint32) {
	p.pos = p.pos[:0]
	if at, ok := stretch(order, rows); ok {
		for i := range rows {
			p.pos = append(p.pos, uint32(at+i))
		}
		p.rows = rows
		return
	}
	place := position()
	for _, r := range rows {
		p.pos = append(p.pos, place[r])
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

// stretch returns where part begins if it is memory of whole.
func stretch(whole, part []uint32) (int, bool) {
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
