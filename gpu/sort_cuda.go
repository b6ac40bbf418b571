//go:build cuda && linux

package gpu

import "skyjoin/internal/cuda"

// As in sort.cu.
const (
	sortThreads = 256
	sortTile    = sortThreads * 16 // elements of a block
	sortDigits  = 256              // of the values of a digit, which a pass sorts by
	scanThreads = 256
	scanTile    = scanThreads * 16
)

// sorter holds the scratch memory of sorts and scans of up to n elements.
type sorter struct {
	n         int
	histogram cuda.Buffer[uint32]
	sums      cuda.Buffer[uint64]
}

func newSorter(m *memory, n int) (*sorter, error) {
	tiles := ceilDiv(max(n, 1), sortTile)
	s := &sorter{n: n}
	var err error
	if s.histogram, err = alloc[uint32](m, sortDigits*tiles); err != nil {
		return nil, err
	}
	s.sums, err = alloc[uint64](m, ceilDiv(max(n, sortDigits*tiles), scanTile)+1)
	return s, err
}

// sort orders pairs by the low bits of their keys, stably. It swaps between
// the two buffers of each kind and returns where the result is. With positions
// the values need not be filled: they become 0, 1, 2, ….
func (s *sorter) sort(st *cuda.Stream, keys, keys2 cuda.Buffer[uint64], values, values2 cuda.Buffer[uint32], n, bits int, positions bool) (cuda.Buffer[uint64], cuda.Buffer[uint32], error) {
	tiles := ceilDiv(n, sortTile)
	p := sortParams{Histogram: s.histogram.Ptr, N: uint32(n), Tiles: uint32(tiles)}
	for shift := 0; shift < max(bits, 1); shift += 8 {
		p.KeysIn, p.KeysOut = keys.Ptr, keys2.Ptr
		p.ValuesIn, p.ValuesOut = values.Ptr, values2.Ptr
		if shift == 0 && positions {
			p.ValuesIn = 0
		}
		p.Shift = int32(shift)
		if err := cuda.Launch(st, "sort_histogram", tiles, sortThreads, 0, &p); err != nil {
			return keys, values, err
		}
		h := s.histogram.Slice(0, sortDigits*tiles)
		if err := s.scan(st, h, h, cuda.Buffer[uint64]{}); err != nil {
			return keys, values, err
		}
		if err := cuda.Launch(st, "sort_scatter", tiles, sortThreads, 0, &p); err != nil {
			return keys, values, err
		}
		keys, keys2 = keys2, keys
		values, values2 = values2, values
	}
	return keys, values, nil
}

// scan writes the exclusive prefix sums of in to out32, or to out64, which
// then has one element more for the total. The total is also the last of
// s.sums that is in use.
func (s *sorter) scan(st *cuda.Stream, in, out32 cuda.Buffer[uint32], out64 cuda.Buffer[uint64]) error {
	tiles := ceilDiv(in.N, scanTile)
	p := scanParams{In: in.Ptr, Out32: out32.Ptr, Out64: out64.Ptr, Sums: s.sums.Ptr, N: uint32(in.N), Tiles: uint32(tiles)}
	if err := s.scanSums(st, in); err != nil {
		return err
	}
	return cuda.Launch(st, "scan_finish", tiles, scanThreads, 0, &p)
}

// scanSums is the part of scan that finds the sum of all.
func (s *sorter) scanSums(st *cuda.Stream, in cuda.Buffer[uint32]) error {
	tiles := ceilDiv(in.N, scanTile)
	p := scanParams{In: in.Ptr, Sums: s.sums.Ptr, N: uint32(in.N), Tiles: uint32(tiles)}
	if err := cuda.Launch(st, "scan_sums", tiles, scanThreads, 0, &p); err != nil {
		return err
	}
	return cuda.Launch(st, "scan_tiles", 1, 1024, 0, &p)
}

// total is where scan of n elements leaves the sum of all.
func (s *sorter) total(n int) cuda.Buffer[uint64] {
	t := ceilDiv(n, scanTile)
	return s.sums.Slice(t, t+1)
}
