package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
)

// magic is what .npy files start with.
const magic = "\x93NUMPY"

// maxHeader bounds the header of an array, which takes some bytes a field.
const maxHeader = 4 << 20

// A shape is what the header of an array says.
type shape struct {
	data    int64 // offset of the first value
	axes    []int64
	fortran bool    // the first axis varies fastest
	record  int64   // bytes of an element
	fields  []field // of an element, one without a name if it is no record
	bytes   int64   // of all elements

	structured bool // elements are records
}

// A field is a column of a structured array.
type field struct {
	name  string
	dtype dtype
	at    int64 // in the record
	count int64 // values, of an array in the record
	list  bool
}

// readShape reads the header of an array.
func readShape(r io.Reader) (*shape, error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:10]); err != nil || string(head[:6]) != magic {
		return nil, errors.New("it does not start as an array of numpy")
	}
	length, fixed := int64(binary.LittleEndian.Uint16(head[8:])), int64(10)
	if head[6] > 1 {
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return nil, errEnds
		}
		length, fixed = int64(binary.LittleEndian.Uint32(head[8:])), 12
	}
	if length > maxHeader {
		return nil, fmt.Errorf("its header claims %d bytes", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, errEnds
	}
	if head[6] < 3 {
		text = format.FromLatin1(text)
	}
	v, err := parseLiteral(string(text))
	if err != nil {
		return nil, err
	}
	s := &shape{data: fixed + length}
	return s, s.read(v)
}

var errEnds = errors.New("the file is truncated")

// read takes the values of the header.
func (s *shape) read(v literal) error {
	keys, _ := v.(map[string]any)
	axes, ok := keys["shape"].([]any)
	if s.fortran, _ = keys["fortran_order"].(bool); !ok || keys["descr"] == nil {
		return errors.New("its header has no shape or no descr")
	}
	var err error
	if s.axes, err = axesOf(axes); err != nil {
		return err
	}
	if text, ok := keys["descr"].(string); ok {
		t, err := parseType(text)
		if s.fields, s.record = []field{{dtype: t, count: 1}}, t.size; err != nil {
			return err
		}
	} else if s.fields, s.record, err = structure(keys["descr"], "", 0); err != nil {
		return err
	} else {
		s.structured = true
	}
	s.bytes, err = product(append(slices.Clone(s.axes), s.record))
	return err
}

// shapeText is the shape as numpy writes it.
func (s *shape) shapeText() string {
	return "(" + strings.Join(each.Of(s.axes, func(n int64) string { return strconv.FormatInt(n, 10) }), ", ") + ")"
}

func axesOf(list []any) ([]int64, error) {
	axes := make([]int64, len(list))
	for i, a := range list {
		n, ok := a.(int64)
		if !ok || n < 0 {
			return nil, fmt.Errorf("its header has the shape %v", list)
		}
		axes[i] = n
	}
	return axes, nil
}

// structure reads the fields of a record that begins at a place of another, and
// returns their length. Those of a record in the record have its name before theirs.
func structure(descr literal, prefix string, at int64) (fields []field, size int64, err error) {
	list, ok := descr.([]any)
	if !ok {
		return nil, 0, fmt.Errorf("its header has the type %.40v", descr)
	}
	for _, d := range list {
		f := field{at: at + size}
		typ, err := f.describe(d)
		if err != nil {
			return nil, 0, err
		}
		padding := f.name == ""
		f.name = prefix + f.name
		var one int64
		if text, ok := typ.(string); ok {
			f.dtype, err = parseType(text)
			one, padding = f.dtype.size, padding && f.dtype.kind == 'V'
			if !padding {
				fields = append(fields, f)
			}
		} else {
			var inner []field
			inner, one, err = structure(typ, f.name+".", f.at)
			if f.list {
				f.dtype = dtype{kind: 'V', size: one, text: "records"}
				inner = []field{f}
			}
			fields = append(fields, inner...)
		}
		if err != nil {
			return nil, 0, err
		}
		if f.count > (maxSize-size)/max(1, one) {
			return nil, 0, fmt.Errorf("its header claims records of more than %d bytes", int64(maxSize))
		}
		size += f.count * one
		if err := format.FewColumns(len(fields)); err != nil {
			return nil, 0, err
		}
	}
	return fields, size, nil
}

// describe reads the name of a field and how many values it has, and returns its type.
func (f *field) describe(d literal) (typ literal, err error) {
	parts, _ := d.([]any)
	if len(parts) < 2 || len(parts) > 3 {
		return nil, fmt.Errorf("its header has the field %.40v", d)
	}
	name := parts[0]
	if both, _ := name.([]any); len(both) == 2 { // a title and a name
		name = both[1]
	}
	f.name, _ = name.(string)
	f.count = 1
	if len(parts) == 3 {
		axes, ok := parts[2].([]any)
		if !ok {
			axes = parts[2:]
		}
		lengths, err := axesOf(axes)
		if err != nil {
			return nil, err
		}
		if f.count, err = product(lengths); err != nil {
			return nil, err
		}
		f.list = true
	}
	return parts[1], nil
}

// product multiplies the lengths of axes.
func product(axes []int64) (int64, error) {
	n := int64(1)
	for _, a := range axes {
		if a > 0 && n > math.MaxInt64/a {
			return 0, errors.New("its header claims more values than any file has")
		}
		n *= a
	}
	return n, nil
}
