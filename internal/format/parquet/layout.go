package parquet

import (
	"encoding/binary"

	"skyjoin/internal/format"

	"github.com/apache/arrow/go/v15/arrow"
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

// A stored says how values of a type are stored: the physical type, the older
// and the newer name of what it means (-1 and nil for nothing more), and the
// type Arrow libraries give it.
type stored struct {
	physical  int64
	converted int64
	logical   func() record
	arrow     arrow.DataType
}

var utc = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}

// storedAs has the types that can be written. Decimals are floats once read.
var storedAs = map[format.Type]stored{
	format.Float64:   {doubleType, -1, nil, arrow.PrimitiveTypes.Float64},
	format.Decimal:   {doubleType, -1, nil, arrow.PrimitiveTypes.Float64},
	format.Float32:   {floatType, -1, nil, arrow.PrimitiveTypes.Float32},
	format.Int64:     {int64Type, -1, nil, arrow.PrimitiveTypes.Int64},
	format.Int32:     {int32Type, -1, nil, arrow.PrimitiveTypes.Int32},
	format.Int16:     {int32Type, 16, integer(16, kindTrue), arrow.PrimitiveTypes.Int16},
	format.Int8:      {int32Type, 15, integer(8, kindTrue), arrow.PrimitiveTypes.Int8},
	format.Uint64:    {int64Type, 14, integer(64, kindFalse), arrow.PrimitiveTypes.Uint64},
	format.Uint32:    {int32Type, 13, integer(32, kindFalse), arrow.PrimitiveTypes.Uint32},
	format.Uint16:    {int32Type, 12, integer(16, kindFalse), arrow.PrimitiveTypes.Uint16},
	format.Uint8:     {int32Type, 11, integer(8, kindFalse), arrow.PrimitiveTypes.Uint8},
	format.Bool:      {boolType, -1, nil, arrow.FixedWidthTypes.Boolean},
	format.String:    {bytesType, 0, text, arrow.BinaryTypes.String},
	format.Timestamp: {int64Type, 10, timestamp, utc},
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
func elements(f format.Field) ([]record, error) {
	if f.Type != format.List {
		e, err := element(f)
		return []record{e}, err
	}
	leaf := *f.Elem
	leaf.Name, leaf.Nullable = elementName, true
	e, err := element(leaf)
	if err != nil {
		return nil, format.Requestf("column %q (list of %s) cannot be written to Parquet", f.Name, f.Elem.Text)
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
func leafType(f format.Field) format.Type {
	if f.Type == format.List {
		return f.Elem.Type
	}
	return f.Type
}

// element returns the schema element of a column that holds no lists.
func element(f format.Field) (record, error) {
	l, ok := storedAs[f.Type]
	if !ok {
		return nil, format.Requestf("column %q (%s) cannot be written to Parquet", f.Name, f.Text)
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
