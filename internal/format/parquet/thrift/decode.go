package thrift

import (
	"cmp"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
)

// Decode decodes the structure at the start of b into the struct that v points
// to and returns the number of bytes it takes. Raws refer to b.
func Decode(b []byte, v any) (n int, err error) {
	d := decoder{b: b}
	err = d.structure(reflect.ValueOf(v).Elem())
	return d.at, err
}

// A decoder reads b.
type decoder struct {
	b     []byte
	at    int
	depth int // of what is passed over
}

func (d *decoder) byte() (byte, error) {
	if d.at >= len(d.b) {
		return 0, ErrShort
	}
	d.at++
	return d.b[d.at-1], nil
}

func (d *decoder) uvarint() (uint64, error) {
	v, n := binary.Uvarint(d.b[d.at:])
	if n == 0 {
		return 0, ErrShort
	}
	if n < 0 {
		return 0, ErrDamaged
	}
	d.at += n
	return v, nil
}

func (d *decoder) varint() (int64, error) {
	u, err := d.uvarint()
	return int64(u>>1) ^ -int64(u&1), err
}

// bytes takes n bytes.
func (d *decoder) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(d.b)-d.at) {
		return nil, ErrShort
	}
	at := d.at
	d.at += int(n)
	return d.b[at:d.at:d.at], nil
}

// field reads the header of a field; its kind is stop at the end of a structure.
func (d *decoder) field(last int16) (id int16, kind byte, err error) {
	b, err := d.byte()
	if err != nil {
		return 0, 0, err
	}
	if kind = b & 15; kind == stop || b>>4 != 0 {
		return last + int16(b>>4), kind, nil
	}
	v, err := d.varint()
	if err == nil && v != int64(int16(v)) {
		err = ErrDamaged
	}
	return int16(v), kind, err
}

// list reads the header of a list, of which each element takes a byte at least.
func (d *decoder) list() (kind byte, n int, err error) {
	b, err := d.byte()
	if err != nil || b>>4 != 15 {
		n = int(b >> 4)
	} else {
		var long uint64
		if long, err = d.uvarint(); long > math.MaxInt32 {
			return 0, 0, ErrDamaged
		}
		n = int(long)
	}
	if err == nil && n > len(d.b)-d.at {
		err = ErrShort
	}
	return b & 15, n, err
}

func (d *decoder) structure(v reflect.Value) error {
	p := planOf(v.Type())
	var seen uint64 // of the fields with small numbers
	for id := int16(0); ; {
		next, kind, err := d.field(id)
		if err != nil || kind == stop {
			return err
		}
		if id = next; uint16(id) < 64 {
			if seen&(1<<id) != 0 {
				return ErrDamaged // two values for one field
			}
			seen |= 1 << id
		}
		switch i := p.find(id); {
		case i >= 0:
			err = d.value(v.Field(i), kind)
		case p.rest >= 0:
			f := Field{ID: id}
			if f.Raw, err = d.raw(kind); err == nil {
				rest := append(v.Field(p.rest).Interface().(Rest), f)
				slices.SortFunc(rest, func(a, b Field) int { return cmp.Compare(a.ID, b.ID) })
				v.Field(p.rest).Set(reflect.ValueOf(rest))
			}
		default:
			_, err = d.raw(kind)
		}
		if err != nil {
			return err
		}
	}
}

// value decodes a value of a kind, which must be that of the place.
func (d *decoder) value(v reflect.Value, kind byte) error {
	if v.Type() == rawType {
		r, err := d.raw(kind)
		v.Set(reflect.ValueOf(r))
		return err
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if want := kindOf(v.Type()); kind != want && !(want == True && kind == False) && !(isInteger(want) && isInteger(kind)) {
		return ErrDamaged
	}
	switch kind {
	case True, False:
		v.SetBool(kind == True)
	case Byte:
		b, err := d.byte()
		v.SetInt(int64(int8(b)))
		return err
	case I16, I32, I64:
		x, err := d.varint()
		if err == nil && v.OverflowInt(x) {
			err = ErrDamaged
		}
		v.SetInt(x)
		return err
	case Binary:
		n, err := d.uvarint()
		if err != nil {
			return err
		}
		b, err := d.bytes(n)
		v.SetString(string(b))
		return err
	case Struct:
		return d.structure(v)
	case List:
		elem, n, err := d.list()
		if err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(v.Type(), 0, min(n, 1024))) // of more, what is there
		for range n {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			if err := d.value(v.Index(v.Len()-1), elem); err != nil {
				return err
			}
		}
	}
	return nil
}

func isInteger(kind byte) bool { return I16 <= kind && kind <= I64 }

// kindOf is the kind of values of a type, of booleans True.
func kindOf(t reflect.Type) byte {
	switch t.Kind() {
	case reflect.Bool:
		return True
	case reflect.Int8:
		return Byte
	case reflect.Int16:
		return I16
	case reflect.Int32:
		return I32
	case reflect.Int64:
		return I64
	case reflect.String:
		return Binary
	case reflect.Slice:
		return List
	}
	return Struct
}

func (d *decoder) raw(kind byte) (Raw, error) {
	at := d.at
	if kind != True && kind != False {
		if err := d.skip(kind); err != nil {
			return Raw{}, err
		}
	}
	return Raw{kind, d.b[at:d.at:d.at]}, nil
}

// skip passes over a value: of booleans, one that stands by itself.
func (d *decoder) skip(kind byte) error {
	if d.depth++; d.depth > maxDepth {
		return ErrDamaged
	}
	defer func() { d.depth-- }()
	fixed := map[byte]uint64{True: 1, False: 1, Byte: 1, Double: 8, UUID: 16}[kind]
	switch kind {
	case True, False, Byte, Double, UUID:
	case I16, I32, I64:
		_, err := d.uvarint()
		return err
	case Binary:
		n, err := d.uvarint()
		if err != nil {
			return err
		}
		fixed = n
	case List, Set:
		elem, n, err := d.list()
		return d.skipAll(err, n, elem)
	case Map:
		n, err := d.uvarint()
		if err != nil || n == 0 {
			return err
		}
		pair, err := d.byte()
		if err == nil && n > uint64(len(d.b)-d.at) {
			err = ErrShort
		}
		return d.skipAll(err, int(n), pair>>4, pair&15)
	case Struct:
		var nothing struct{}
		return d.structure(reflect.ValueOf(&nothing).Elem())
	default:
		return ErrDamaged
	}
	_, err := d.bytes(fixed)
	return err
}

// skipAll passes over n elements unless there was an error.
func (d *decoder) skipAll(err error, n int, kinds ...byte) error {
	for range n {
		for _, k := range kinds {
			if err == nil {
				err = d.skip(k)
			}
		}
		if err != nil {
			break
		}
	}
	return err
}
