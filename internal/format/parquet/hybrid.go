package parquet

import "encoding/binary"

// appendHybrid encodes numbers below 2^width in Parquet's hybrid of run
// lengths and bit packing: eight or more equal numbers become a run, others
// are packed in groups of eight. The last group is filled up with zeros.
func appendHybrid(dst []byte, v []uint32, width int) []byte {
	literal := 0 // start of the numbers that wait to be packed
	for i := 0; i < len(v); {
		run := 1
		for i+run < len(v) && v[i+run] == v[i] {
			run++
		}
		if run < 8 {
			i = min(i+8, len(v))
			continue
		}
		dst = appendPacked(dst, v[literal:i], width)
		dst = binary.AppendUvarint(dst, uint64(run)<<1)
		for shift := 0; shift < width; shift += 8 {
			dst = append(dst, byte(v[i]>>shift))
		}
		i += run
		literal = i
	}
	return appendPacked(dst, v[literal:], width)
}

// appendPacked packs numbers into bits, the lowest first.
func appendPacked(dst []byte, v []uint32, width int) []byte {
	if len(v) == 0 {
		return dst
	}
	groups := (len(v) + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	end := len(dst) + groups*width
	var acc uint64
	bits := 0
	for _, x := range v {
		acc |= uint64(x) << bits
		for bits += width; bits >= 8; bits -= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
		}
	}
	if bits > 0 {
		dst = append(dst, byte(acc))
	}
	for len(dst) < end {
		dst = append(dst, 0)
	}
	return dst
}
