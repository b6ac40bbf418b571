package table

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"

	"skyjoin/io/catalog"
)

// Physical types, from parquet.thrift.
const (
	boolType   = 0
	int32Type  = 1
	int64Type  = 2
	floatType  = 4
	doubleType = 5
	bytesType  = 6
)

// A layout is how values of a type are stored: the physical type, the older
// and the newer name of what it means (-1 and nil for nothing more), and the
// type Arrow libraries give it.
type layout struct {
	physical  int64
	converted int64
	logical   func() record
	arrow     arrow.DataType
}

var utc = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}

// layouts has the types that can be written. Decimals are floats once read.
var layouts = map[catalog.Type]layout{
	catalog.Float64:   {doubleType, -1, nil, arrow.PrimitiveTypes.Float64},
	catalog.Decimal:   {doubleType, -1, nil, arrow.PrimitiveTypes.Float64},
	catalog.Float32:   {floatType, -1, nil, arrow.PrimitiveTypes.Float32},
	catalog.Int64:     {int64Type, -1, nil, arrow.PrimitiveTypes.Int64},
	catalog.Int32:     {int32Type, -1, nil, arrow.PrimitiveTypes.Int32},
	catalog.Int16:     {int32Type, 16, integer(16, kindTrue), arrow.PrimitiveTypes.Int16},
	catalog.Int8:      {int32Type, 15, integer(8, kindTrue), arrow.PrimitiveTypes.Int8},
	catalog.Uint64:    {int64Type, 14, integer(64, kindFalse), arrow.PrimitiveTypes.Uint64},
	catalog.Uint32:    {int32Type, 13, integer(32, kindFalse), arrow.PrimitiveTypes.Uint32},
	catalog.Uint16:    {int32Type, 12, integer(16, kindFalse), arrow.PrimitiveTypes.Uint16},
	catalog.Uint8:     {int32Type, 11, integer(8, kindFalse), arrow.PrimitiveTypes.Uint8},
	catalog.Bool:      {boolType, -1, nil, arrow.FixedWidthTypes.Boolean},
	catalog.String:    {bytesType, 0, text, arrow.BinaryTypes.String},
	catalog.Timestamp: {int64Type, 10, timestamp, utc},
}

// integer is the logical type of an integer of so many bits.
func integer(width byte, signed byte) func() record {
	return func() record {
		var i, r record
		i.set(1, kindByte, []byte{width})
		i.set(2, signed, nil)
		r.set(10, kindStruct, i.encode())
		return r
	}
}

// text is the logical type of strings in UTF-8.
func text() (r record) {
	r.set(1, kindStruct, record{}.encode())
	return r
}

// timestamp is the logical type of microseconds since 1970, UTC.
func timestamp() (r record) {
	var unit, stamp record
	unit.set(2, kindStruct, record{}.encode())
	stamp.set(1, kindTrue, nil)
	stamp.set(2, kindStruct, unit.encode())
	r.set(8, kindStruct, stamp.encode())
	return r
}

// elements returns the schema elements of a column, depth first: one, or of
// lists the three levels that the format prescribes.
func elements(f catalog.Field) ([]record, error) {
	if f.Type != catalog.List {
		e, err := element(f)
		return []record{e}, err
	}
	leaf := *f.Elem
	leaf.Name, leaf.Nullable = elementName, true
	e, err := element(leaf)
	if err != nil {
		return nil, requestf("column %q (list of %s) cannot be written to Parquet", f.Name, f.Elem.Text)
	}
	var outer, list record
	outer.setInteger(elemRepetition, kindI32, 1) // optional
	outer.setText(elemName, f.Name)
	outer.setInteger(elemChildren, kindI32, 1)
	outer.setInteger(elemConverted, kindI32, 3) // LIST
	var logical record
	logical.set(3, kindStruct, record{}.encode())
	outer.set(elemLogical, kindStruct, logical.encode())
	list.setInteger(elemRepetition, kindI32, 2) // repeated
	list.setText(elemName, listName)
	list.setInteger(elemChildren, kindI32, 1)
	return []record{outer, list, e}, nil
}

// Names of what is in a list.
const (
	listName    = "list"
	elementName = "element"
)

// leafType returns the type of the values of a column, or of its lists.
func leafType(f catalog.Field) catalog.Type {
	if f.Type == catalog.List {
		return f.Elem.Type
	}
	return f.Type
}

// element returns the schema element of a column that holds no lists.
func element(f catalog.Field) (record, error) {
	l, ok := layouts[f.Type]
	if !ok {
		return nil, requestf("column %q (%s) cannot be written to Parquet", f.Name, f.Text)
	}
	var e record
	e.set(elemType, kindI32, binary.AppendVarint(nil, l.physical))
	repetition := int64(0) // required
	if f.Nullable {
		repetition = 1 // optional
	}
	e.setInteger(elemRepetition, kindI32, repetition)
	e.setText(elemName, f.Name)
	if l.converted >= 0 {
		e.setInteger(elemConverted, kindI32, l.converted)
	}
	if l.logical != nil {
		e.set(elemLogical, kindStruct, l.logical().encode())
	}
	return e, nil
}
