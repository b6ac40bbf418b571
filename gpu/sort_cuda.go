//go:build cuda && linux

package gpu

import "skyjoin/internal/cuda"

// As in sort.cu.
const (
	sortThreads = 256
	sortTile    = sortThreads * 16 // elements of a block
	sortDigits  = 256              // values of a digit; a pass sorts by one digit
	scanThreads = 256
	scanTile    = scanThreads * 16
)

// A sorter sorts and sums up to n elements in a sequence, whose memory it uses.
type sorter struct {
	*sequence
	histogram cuda.Buffer[uint32]
	sums      cuda.Buffer[uint64]
}

func newSorter(q *sequence, n int) *sorter {
	tiles := ceilDiv(max(n, 1), sortTile)
	return &sorter{q, temp[uint32](q, sortDigits*tiles), temp[uint64](q, ceilDiv(max(n, sortDigits*tiles), scanTile)+1)}
}

// A sortable is keys and values, with as much memory again to sort them in.
type sortable struct {
	keys, spareKeys     cuda.Buffer[uint64]
	values, spareValues cuda.Buffer[uint32]
}

// newSortable allocates n keys and values for the time of a sequence.
func newSortable(q *sequence, n int) *sortable {
	return &sortable{temp[uint64](q, n), temp[uint64](q, n), temp[uint32](q, n), temp[uint32](q, n)}
}

// sort orders the first n keys, with their values, by their low bits, stably.
// With positions the values need not be filled in: they become 0, 1, 2, ….
func (s *sorter) sort(v *sortable, n, bits int, positions bool) {
	tiles := ceilDiv(n, sortTile)
	p := sortParams{Histogram: s.histogram.Ptr, N: uint32(n), Tiles: uint32(tiles)}
	for shift := 0; shift < max(bits, 1) && s.err == nil; shift += 8 {
		p.KeysIn, p.KeysOut = v.keys.Ptr, v.spareKeys.Ptr
		p.ValuesIn, p.ValuesOut = v.values.Ptr, v.spareValues.Ptr
		if shift == 0 && positions {
			p.ValuesIn = 0
		}
		p.Shift = int32(shift)
		h := s.histogram.Slice(0, sortDigits*tiles)
		launch(s.sequence, "sort_histogram", tiles, sortThreads, 0, &p)
		s.scan(h, h, cuda.Buffer[uint64]{})
		launch(s.sequence, "sort_scatter", tiles, sortThreads, 0, &p)
		v.keys, v.spareKeys = v.spareKeys, v.keys
		v.values, v.spareValues = v.spareValues, v.values
	}
}

// scan writes the exclusive prefix sums of in to out32, or to out64, which then
// has one element more for the total.
func (s *sorter) scan(in, out32 cuda.Buffer[uint32], out64 cuda.Buffer[uint64]) {
	s.sum(in)
	tiles := ceilDiv(in.N, scanTile)
	p := scanParams{In: in.Ptr, Out32: out32.Ptr, Out64: out64.Ptr, Sums: s.sums.Ptr, N: uint32(in.N), Tiles: uint32(tiles)}
	launch(s.sequence, "scan_finish", tiles, scanThreads, 0, &p)
}

// sum is the part of scan that finds the total.
func (s *sorter) sum(in cuda.Buffer[uint32]) {
	tiles := ceilDiv(in.N, scanTile)
	p := scanParams{In: in.Ptr, Sums: s.sums.Ptr, N: uint32(in.N), Tiles: uint32(tiles)}
	launch(s.sequence, "scan_sums", tiles, scanThreads, 0, &p)
	launch(s.sequence, "scan_tiles", 1, 1024, 0, &p)
}

// total waits for what scan or sum found to be the total of n elements.
func (s *sorter) total(n int) uint64 {
	if s.err != nil {
		return 0
	}
	t := ceilDiv(n, scanTile)
	return first(s.sequence, s.sums.Slice(t, t+1))
}
