package thrift

import (
	"encoding/binary"
	"reflect"
)

// Append encodes the struct v.
func Append(dst []byte, v any) []byte { return appendStruct(dst, reflect.ValueOf(v)) }

// RawOf returns the struct v as a value that is encoded.
func RawOf(v any) Raw { return Raw{Struct, Append(nil, v)} }

func appendStruct(dst []byte, v reflect.Value) []byte {
	p := planOf(v.Type())
	var rest Rest
	if p.rest >= 0 {
		rest = v.Field(p.rest).Interface().(Rest)
	}
	last := int16(0)
	head := func(id int16, kind byte) {
		if by := id - last; by > 0 && by <= 15 {
			dst = append(dst, byte(by)<<4|kind)
		} else {
			dst = binary.AppendVarint(append(dst, kind), int64(id))
		}
		last = id
	}
	before := func(id int) { // what has no place
		for ; len(rest) > 0 && int(rest[0].ID) < id; rest = rest[1:] {
			head(rest[0].ID, rest[0].Kind)
			dst = append(dst, rest[0].Bytes...)
		}
	}
	for i, id := range p.ids {
		before(int(id))
		f := v.Field(p.index[i])
		if (f.Kind() == reflect.Pointer || f.Kind() == reflect.Slice) && f.IsNil() {
			continue
		}
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		switch kind := kindOf(f.Type()); {
		case f.Type() == rawType:
			if r := f.Interface().(Raw); r.Kind != stop {
				head(id, r.Kind)
				dst = append(dst, r.Bytes...)
			}
		case kind == True:
			if !f.Bool() {
				kind = False
			}
			head(id, kind)
		default:
			head(id, kind)
			dst = appendValue(dst, f)
		}
	}
	before(1 << 16)
	return append(dst, stop)
}

// appendValue encodes a value that is no boolean.
func appendValue(dst []byte, v reflect.Value) []byte {
	switch kindOf(v.Type()) {
	case Byte:
		return append(dst, byte(v.Int()))
	case I16, I32, I64:
		return binary.AppendVarint(dst, v.Int())
	case Binary:
		return append(binary.AppendUvarint(dst, uint64(v.Len())), v.String()...)
	case List:
		kind, n := kindOf(v.Type().Elem()), v.Len()
		if n < 15 {
			dst = append(dst, byte(n)<<4|kind)
		} else {
			dst = binary.AppendUvarint(append(dst, 15<<4|kind), uint64(n))
		}
		for i := range n {
			dst = appendValue(dst, v.Index(i))
		}
		return dst
	}
	return appendStruct(dst, v)
}
