package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A network sorts 64-bit keys without branches. They lie in 2, 4 or 8
// registers, and end up in ascending order down the registers of lane 0, then
// of lane 1 and so on: most steps compare whole registers then, and only
// merging lanes moves keys across them.
type network struct {
	*asm
	r       []reg.VecPhysical // the keys
	free    []reg.VecPhysical // at least 3
	reverse reg.VecPhysical   // the lanes 7, 6, … 0
}

// upper masks the lanes in whose number the bit of a distance is set.
var upper = map[int]reg.OpmaskPhysical{1: reg.K5, 2: reg.K6, 4: reg.K7}

// prepare sets the masks and reverse.
func (s *network) prepare() {
	bits := s.GP64()
	for _, m := range []struct{ distance, mask int }{{1, 0xaa}, {2, 0xcc}, {4, 0xf0}} {
		s.MOVL(operand.U32(m.mask), bits.As32())
		s.KMOVB(bits.As32(), upper[m.distance])
	}
	s.VMOVDQU64(s.lanes("reverse", 8, func(i int) uint64 { return uint64(7 - i) }), s.reverse)
}

// lanes is a constant of n quad words.
func (a *asm) lanes(name string, n int, value func(i int) uint64) operand.Mem {
	return a.constant(name, func() {
		for i := range n {
			a.AppendDatum(operand.U64(value(i)))
		}
	})
}

// columns are the comparisons that sort 2, 4 and 8 registers lane by lane.
var columns = map[int][][2]int{
	2: {{0, 1}},
	4: {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {1, 2}},
	8: {
		{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {1, 2}, {5, 6},
		{0, 4}, {1, 5}, {2, 6}, {3, 7}, {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6},
	},
}

// exchange sorts the keys.
func (s *network) exchange() {
	for _, c := range columns[len(s.r)] {
		s.compare(c[0], c[1])
	}
	for _, merged := range []int{2, 4, 8} { // lanes in order
		s.flip(merged)
		for d := merged / 4; d > 0; d /= 2 {
			s.across(d)
		}
		for d := len(s.r) / 2; d > 0; d /= 2 {
			for i := range s.r {
				if i&d == 0 {
					s.compare(i, i+d)
				}
			}
		}
	}
}

// compare puts the lesser keys of two registers, lane by lane, in register i
// and the others in j.
func (s *network) compare(i, j int) {
	least := s.take()
	s.VPMINUQ(s.r[i], s.r[j], least)
	s.VPMAXUQ(s.r[i], s.r[j], s.r[j])
	s.put(s.r[i])
	s.r[i] = least
}

// flip compares two runs of merged/2 lanes each, the second one backwards:
// what is less is then all in the lanes of the first, and either half can be
// sorted by halving.
func (s *network) flip(merged int) {
	for i := range len(s.r) / 2 {
		j := len(s.r) - 1 - i
		a, b := s.move(merged-1, s.r[j]), s.move(merged-1, s.r[i])
		s.keep(i, a, merged/2)
		s.keep(j, b, merged/2)
	}
}

// across compares lanes at a distance of d.
func (s *network) across(d int) {
	for i := range s.r {
		s.keep(i, s.move(d, s.r[i]), d)
	}
}

// keep puts in register i the lesser of it and other, and in the lanes with
// the bit of d the greater. other is lost.
func (s *network) keep(i int, other reg.VecPhysical, d int) {
	kept := s.take()
	s.VPMINUQ(s.r[i], other, kept)
	s.VPMAXUQ(s.r[i], other, upper[d], kept)
	s.put(s.r[i], other)
	s.r[i] = kept
}

// move returns a register with lane i of v in lane i^x.
func (s *network) move(x int, v reg.VecPhysical) reg.VecPhysical {
	to := s.take()
	switch x {
	case 1:
		s.VPSHUFD(operand.U8(0x4e), v, to)
	case 2:
		s.VPERMQ(operand.U8(0x4e), v, to)
	case 3:
		s.VPERMQ(operand.U8(0x1b), v, to)
	case 7:
		s.VPERMQ(v, s.reverse, to)
	default:
		panic("no such move")
	}
	return to
}

func (s *network) take() reg.VecPhysical {
	v := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return v
}

func (s *network) put(v ...reg.VecPhysical) { s.free = append(s.free, v...) }
