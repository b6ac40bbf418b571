// Package thrift decodes and encodes structures in the compact protocol of
// Apache Thrift, in which Parquet files describe themselves.
//
// A structure is a Go struct whose fields have tags with their numbers:
//
//	type keyValue struct {
//		Key   string  `thrift:"1"`
//		Value *string `thrift:"2"`
//	}
//
// Fields are booleans, integers, strings, structs, pointers to those, slices of
// integers, strings and structs, and [Raw], whose value is kept as it is. What is
// absent leaves nil pointers, nil slices and zero Raws, which are not encoded. A
// field of type [Rest] keeps all fields that have no place, so that what is
// younger than this program survives a copy; without one they are passed over.
//
// Nothing is believed of the bytes: every size is checked against those that are
// there, and nesting is bounded.
//
// The format: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
package thrift

import (
	"errors"
	"reflect"
	"strconv"
	"sync"
)

// The kinds of values, as the protocol numbers them. A boolean is its kind.
const (
	stop   = 0
	True   = 1
	False  = 2
	Byte   = 3
	I16    = 4
	I32    = 5
	I64    = 6
	Double = 7
	Binary = 8
	List   = 9
	Set    = 10
	Map    = 11
	Struct = 12
	UUID   = 13
)

// maxDepth bounds nesting; Parquet's own structures nest less than ten deep.
const maxDepth = 64

var (
	// ErrShort says that a structure needs more bytes than there are.
	ErrShort = errors.New("it ends too early")

	// ErrDamaged is any other fault.
	ErrDamaged = errors.New("it is no structure of Thrift")
)

// A Raw is a value that is not decoded.
type Raw struct {
	Kind  byte // 0 if there is none
	Bytes []byte
}

// Rest are the fields of a structure that have no place, in the order of their
// numbers.
type Rest []Field

// A Field is a numbered value.
type Field struct {
	ID int16
	Raw
}

var (
	rawType  = reflect.TypeFor[Raw]()
	restType = reflect.TypeFor[Rest]()
)

// A plan is where the fields of a struct type are.
type plan struct {
	ids   []int16 // ascending
	index []int   // of each in the struct
	rest  int     // of the Rest, -1 if there is none
}

var plans sync.Map // of reflect.Type

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{rest: -1}
	for i := range t.NumField() {
		if t.Field(i).Type == restType {
			p.rest = i
			continue
		}
		id, err := strconv.ParseInt(t.Field(i).Tag.Get("thrift"), 10, 16)
		if err != nil {
			panic(err) // a tag of this program's
		}
		p.ids, p.index = append(p.ids, int16(id)), append(p.index, i)
	}
	plans.Store(t, p)
	return p
}

// find returns the index of a field in the struct, -1 if it has none.
func (p *plan) find(id int16) int {
	for i, have := range p.ids {
		if have == id {
			return p.index[i]
		}
	}
	return -1
}
