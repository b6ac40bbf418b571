package table

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
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

// A field is one field of a struct. For booleans, kind is the value and raw
// is empty.
type field struct {
	id   int16
	kind byte
	raw  []byte
}

// A record is a struct: its fields in the order of their ids.
type record []field

// parseRecord reads the struct at the start of b and returns the bytes it
// took. The record refers to b.
func parseRecord(b []byte) (record, int, error) {
	var r record
	id, at := int16(0), 0
	for {
		f, n, err := parseFieldHeader(b[at:], id)
		if err != nil {
			return nil, 0, err
		}
		at += n
		if f.kind == 0 {
			slices.SortFunc(r, func(a, b field) int { return cmp.Compare(a.id, b.id) })
			for i := 1; i < len(r); i++ {
				if r[i].id == r[i-1].id {
					return nil, 0, errThrift // two values for one field
				}
			}
			return r, at, nil
		}
		if f.kind != kindTrue && f.kind != kindFalse {
			n, err := skipValue(b[at:], f.kind, maxThriftDepth)
			if err != nil {
				return nil, 0, err
			}
			f.raw = b[at : at+n : at+n]
			at += n
		}
		id = f.id
		r = append(r, f)
	}
}

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

// encode returns the struct's bytes.
func (r record) encode() []byte {
	var dst []byte
	last := int16(0)
	for _, f := range r {
		if d := f.id - last; d > 0 && d <= 15 {
			dst = append(dst, byte(d)<<4|f.kind)
		} else {
			dst = binary.AppendVarint(append(dst, f.kind), int64(f.id))
		}
		last = f.id
		dst = append(dst, f.raw...)
	}
	return append(dst, 0)
}

// value returns the bytes of a field, which must have the kind, or nil if the
// field is not set.
func (r record) value(id int16, kind byte) ([]byte, error) {
	for _, f := range r {
		if f.id != id {
			continue
		}
		if f.kind != kind {
			return nil, errThrift
		}
		return f.raw, nil
	}
	return nil, nil
}

// integer returns the value of an integer field of any width; ok says
// whether it is set.
func (r record) integer(id int16) (v int64, ok bool, err error) {
	for _, f := range r {
		if f.id != id {
			continue
		}
		if f.kind < kindI16 || f.kind > kindI64 {
			return 0, false, errThrift
		}
		v, n := binary.Varint(f.raw)
		if n <= 0 {
			return 0, false, errThrift
		}
		return v, true, nil
	}
	return 0, false, nil
}

// text returns the value of a string field, "" if it is not set.
func (r record) text(id int16) (string, error) {
	raw, err := r.value(id, kindBinary)
	if raw == nil || err != nil {
		return "", err
	}
	_, k := binary.Uvarint(raw)
	return string(raw[k:]), nil
}

// list returns the elements of a list field, nil if it is not set.
func (r record) list(id int16, kind byte) ([][]byte, error) {
	raw, err := r.value(id, kindList)
	if raw == nil || err != nil {
		return nil, err
	}
	return splitList(raw, kind)
}

// set puts a field in, replacing the one that is there.
func (r *record) set(id int16, kind byte, raw []byte) {
	i, found := slices.BinarySearchFunc(*r, id, func(f field, id int16) int { return int(f.id) - int(id) })
	if found {
		(*r)[i] = field{id, kind, raw}
		return
	}
	*r = slices.Insert(*r, i, field{id, kind, raw})
}

func (r *record) setInteger(id int16, kind byte, v int64) {
	r.set(id, kind, binary.AppendVarint(nil, v))
}

func (r *record) setText(id int16, s string) {
	r.set(id, kindBinary, append(binary.AppendUvarint(nil, uint64(len(s))), s...))
}

// keep drops every field whose id is not named.
func (r *record) keep(ids ...int16) {
	*r = slices.DeleteFunc(*r, func(f field) bool { return !slices.Contains(ids, f.id) })
}

// drop removes a field.
func (r *record) drop(id int16) {
	*r = slices.DeleteFunc(*r, func(f field) bool { return f.id == id })
}
