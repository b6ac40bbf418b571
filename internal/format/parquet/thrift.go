package parquet

import (
	"encoding/binary"
	"errors"
)

// Parquet footers are structs of the Thrift compact protocol. They are edited
// here field by field without knowing what most fields mean: a value is kept
// as the bytes it was read from, so fields and types younger than any library
// survive a copy. Format:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

// The kinds of values, as the compact protocol numbers them.
const (
	kindTrue   = 1
	kindFalse  = 2
	kindByte   = 3
	kindI16    = 4
	kindI32    = 5
	kindI64    = 6
	kindDouble = 7
	kindBinary = 8
	kindList   = 9
	kindSet    = 10
	kindMap    = 11
	kindStruct = 12
	kindUUID   = 13
)

// maxThriftDepth bounds nesting, so that a crafted footer cannot exhaust the
// stack. Parquet's own structs nest less than ten deep.
const maxThriftDepth = 64

var errThrift = errors.New("the footer is damaged")

// parseFieldHeader reads a field's header; kind 0 is the end of the struct.
func parseFieldHeader(b []byte, last int16) (field, int, error) {
	if len(b) == 0 {
		return field{}, 0, errThrift
	}
	f := field{kind: b[0] & 15, id: last + int16(b[0]>>4)}
	if f.kind == 0 || b[0]>>4 != 0 {
		return f, 1, nil
	}
	v, n := binary.Varint(b[1:])
	if n <= 0 || v != int64(int16(v)) {
		return field{}, 0, errThrift
	}
	f.id = int16(v)
	return f, 1 + n, nil
}

// skipValue returns the length of the value of this kind at the start of b.
func skipValue(b []byte, kind byte, depth int) (int, error) {
	fixed := 0
	switch kind {
	case kindTrue, kindFalse, kindByte: // a boolean outside a struct takes a byte
		fixed = 1
	case kindDouble:
		fixed = 8
	case kindUUID:
		fixed = 16
	case kindI16, kindI32, kindI64:
		if _, fixed = binary.Uvarint(b); fixed <= 0 {
			return 0, errThrift
		}
	case kindBinary:
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(len(b)-k) {
			return 0, errThrift
		}
		fixed = k + int(n)
	case kindList, kindSet, kindMap, kindStruct:
		if depth == 0 {
			return 0, errThrift
		}
		return skipContainer(b, kind, depth-1)
	default:
		return 0, errThrift
	}
	if fixed > len(b) {
		return 0, errThrift
	}
	return fixed, nil
}

func skipContainer(b []byte, kind byte, depth int) (int, error) {
	at := 0
	skip := func(kinds ...byte) error {
		for _, k := range kinds {
			n, err := skipValue(b[at:], k, depth)
			if err != nil {
				return err
			}
			at += n
		}
		return nil
	}
	switch kind {
	case kindStruct:
		id := int16(0)
		for {
			f, n, err := parseFieldHeader(b[at:], id)
			if err != nil {
				return 0, err
			}
			id, at = f.id, at+n
			if f.kind == 0 {
				return at, nil
			}
			if f.kind == kindTrue || f.kind == kindFalse {
				continue
			}
			if err := skip(f.kind); err != nil {
				return 0, err
			}
		}
	case kindMap:
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(len(b)) {
			return 0, errThrift
		}
		if at = k; n == 0 {
			return at, nil
		}
		if at == len(b) {
			return 0, errThrift
		}
		pair := b[at]
		at++
		for range n {
			if err := skip(pair>>4, pair&15); err != nil {
				return 0, err
			}
		}
	default:
		elem, n, k, err := listHeader(b)
		if err != nil {
			return 0, err
		}
		at = k
		for range n {
			if err := skip(elem); err != nil {
				return 0, err
			}
		}
	}
	return at, nil
}

// listHeader reads the kind and number of a list's elements. A number that
// the bytes left cannot hold is an error, as every element takes a byte.
func listHeader(b []byte) (kind byte, n, size int, err error) {
	if len(b) == 0 {
		return 0, 0, 0, errThrift
	}
	kind, n, size = b[0]&15, int(b[0]>>4), 1
	if n == 15 {
		long, k := binary.Uvarint(b[1:])
		if k <= 0 || long > uint64(len(b)) {
			return 0, 0, 0, errThrift
		}
		n, size = int(long), 1+k
	}
	return kind, n, size, nil
}

// splitList cuts an encoded list into its encoded elements, which must be of
// the given kind (an empty list is of any).
func splitList(b []byte, kind byte) ([][]byte, error) {
	got, n, at, err := listHeader(b)
	if err != nil {
		return nil, err
	}
	if n > 0 && got != kind {
		return nil, errThrift
	}
	items := make([][]byte, n)
	for i := range items {
		k, err := skipValue(b[at:], kind, maxThriftDepth)
		if err != nil {
			return nil, err
		}
		items[i] = b[at : at+k : at+k]
		at += k
	}
	return items, nil
}

// appendList encodes a list of encoded elements.
func appendList(dst []byte, kind byte, items [][]byte) []byte {
	if len(items) < 15 {
		dst = append(dst, byte(len(items))<<4|kind)
	} else {
		dst = binary.AppendUvarint(append(dst, 15<<4|kind), uint64(len(items)))
	}
	for _, it := range items {
		dst = append(dst, it...)
	}
	return dst
}
