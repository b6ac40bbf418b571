package pages

import (
	"errors"
	"fmt"
	"math"
)

// errShort says that a structure needs more bytes than there are.
var errShort = errors.New("it ends too early")

// thrift reads the compact protocol of Apache Thrift from b. The first error
// stays and all later results are zero.
type thrift struct {
	b   []byte
	at  int
	err error
}

// The type codes of the compact protocol.
const (
	thriftStop = iota
	thriftTrue
	thriftFalse
	thriftByte
	thriftI16
	thriftI32
	thriftI64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// maxDepth bounds the nesting of structures; the format needs less than 10.
const maxDepth = 32

func (t *thrift) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

func (t *thrift) byte() byte {
	if t.err != nil || t.at >= len(t.b) {
		t.fail(errShort)
		return 0
	}
	t.at++
	return t.b[t.at-1]
}

func (t *thrift) uvarint() uint64 {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		b := t.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	t.fail(errors.New("a number has more than 64 bits"))
	return 0
}

// int returns a signed number that must fit an int32, the type of all sizes
// and counts of pages.
func (t *thrift) int() int {
	u := t.uvarint()
	v := int64(u>>1) ^ -int64(u&1)
	if v != int64(int32(v)) {
		t.fail(fmt.Errorf("number %d is out of range", v))
		return 0
	}
	return int(v)
}

// size returns the number of things that follow, each at least unit bytes.
func (t *thrift) size(n uint64, unit int) int {
	if n > math.MaxInt32 || int(n)*unit > len(t.b)-t.at {
		t.fail(errShort)
		return 0
	}
	return int(n)
}

// fields calls field for each field of a structure until its end. field must
// consume the value, with skip if it has no use for it.
func (t *thrift) fields(field func(id, code int)) {
	id := 0
	for t.err == nil {
		b := t.byte()
		if b == thriftStop {
			return
		}
		if delta := int(b >> 4); delta != 0 {
			id += delta
		} else {
			id = t.int()
		}
		field(id, int(b&0xf))
	}
}

// skip passes over a value.
func (t *thrift) skip(code, depth int) {
	if depth > maxDepth {
		t.fail(errors.New("it is nested too deeply"))
		return
	}
	switch code {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.byte()
	case thriftI16, thriftI32, thriftI64:
		t.uvarint()
	case thriftDouble:
		t.at += t.size(8, 1)
	case thriftBinary:
		t.at += t.size(t.uvarint(), 1)
	case thriftList, thriftSet:
		b := t.byte()
		n, elem := uint64(b>>4), int(b&0xf)
		if n == 15 {
			n = t.uvarint()
		}
		t.skipAll(t.size(n, 1), depth, elem)
	case thriftMap:
		if n := t.size(t.uvarint(), 2); n > 0 {
			b := t.byte()
			t.skipAll(n, depth, int(b>>4), int(b&0xf))
		}
	case thriftStruct:
		t.fields(func(_, code int) { t.skip(code, depth+1) })
	default:
		t.fail(fmt.Errorf("unknown type %d", code))
	}
}

// skipAll passes over n elements of a list, set or map, where a boolean is a
// byte of its own.
func (t *thrift) skipAll(n, depth int, codes ...int) {
	for range n {
		for _, code := range codes {
			if code == thriftTrue || code == thriftFalse {
				code = thriftByte
			}
			t.skip(code, depth+1)
		}
		if t.err != nil {
			return
		}
	}
}

// CheckThrift reports whether b is one whole structure in the compact
// protocol, of sane nesting and with all sizes within b: whoever decodes it
// can then not be made to allocate more than a multiple of len(b).
func CheckThrift(b []byte) error {
	t := thrift{b: b}
	t.skip(thriftStruct, 0)
	return t.err
}

// CheckFooter is CheckThrift for the metadata of a file, and checks that the
// schema does not claim more children than it has elements.
func CheckFooter(b []byte) error {
	if err := CheckThrift(b); err != nil {
		return err
	}
	t := thrift{b: b}
	t.fields(func(id, code int) {
		if id != 2 || code != thriftList {
			t.skip(code, 0)
			return
		}
		head := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = t.uvarint()
		}
		children := uint64(0)
		for range t.size(n, 1) {
			t.fields(func(id, code int) {
				if id != 5 || code != thriftI32 {
					t.skip(code, 0)
					return
				}
				c := t.int()
				if children += uint64(c); c < 0 || children >= n {
					t.fail(fmt.Errorf("the schema has %d elements, one of them claims %d children", n, c))
				}
			})
			if t.err != nil {
				return
			}
		}
	})
	return t.err
}
