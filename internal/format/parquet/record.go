package parquet

import (
	"cmp"
	"encoding/binary"
	"slices"
)

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
