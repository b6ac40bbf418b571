package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"

	"skyjoin/internal/format"
	"skyjoin/internal/format/parquet/thrift"
)

// A stored says how values of a type are stored: the physical type, the older
// and the newer name of what it means, nil for nothing more, and the type Arrow
// libraries give it.
type stored struct {
	physical  Physical
	converted *int32
	logical   logicalType
	arrow     arrow.DataType
}

// meaning is a stored with an older name, by its number, and the newer one.
func meaning(physical Physical, number int32, typ arrow.DataType) stored {
	return stored{physical, &number, converted[number], typ}
}

// storedAs has the types that can be written. Decimals are floats once read.
var storedAs = map[format.Type]stored{
	format.Float64:   {physical: Double, arrow: arrow.PrimitiveTypes.Float64},
	format.Decimal:   {physical: Double, arrow: arrow.PrimitiveTypes.Float64},
	format.Float32:   {physical: Float, arrow: arrow.PrimitiveTypes.Float32},
	format.Int64:     {physical: Int64, arrow: arrow.PrimitiveTypes.Int64},
	format.Int32:     {physical: Int32, arrow: arrow.PrimitiveTypes.Int32},
	format.Int16:     meaning(Int32, 16, arrow.PrimitiveTypes.Int16),
	format.Int8:      meaning(Int32, 15, arrow.PrimitiveTypes.Int8),
	format.Uint64:    meaning(Int64, 14, arrow.PrimitiveTypes.Uint64),
	format.Uint32:    meaning(Int32, 13, arrow.PrimitiveTypes.Uint32),
	format.Uint16:    meaning(Int32, 12, arrow.PrimitiveTypes.Uint16),
	format.Uint8:     meaning(Int32, 11, arrow.PrimitiveTypes.Uint8),
	format.Bool:      {physical: Boolean, arrow: arrow.FixedWidthTypes.Boolean},
	format.String:    meaning(ByteArray, 0, arrow.BinaryTypes.String),
	format.Timestamp: meaning(Int64, 10, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}),
}

// Names of what is in a list.
const (
	listName    = "list"
	elementName = "element"
)

// addColumn adds a column at the end of the schema: one element, or of lists the
// three levels that the format prescribes.
func (f *fileMeta) addColumn(c format.Field) error {
	if c.Type != format.List {
		e, err := elementOf(c)
		f.Schema = append(f.Schema, e)
		f.Schema[0].Children = ptr(or(f.Schema[0].Children) + 1)
		return err
	}
	leaf := *c.Elem
	leaf.Name, leaf.Nullable = elementName, true
	e, err := elementOf(leaf)
	if err != nil {
		return format.Requestf("column %q (list of %s) cannot be written to Parquet", c.Name, c.Elem.Text)
	}
	f.Schema = append(f.Schema,
		schemaElement{
			Repetition: ptr(int32(optional)), Name: c.Name, Children: ptr(int32(1)),
			Converted: ptr(int32(convertedList)), Logical: thrift.RawOf(converted[convertedList]),
		},
		schemaElement{Repetition: ptr(int32(repeated)), Name: listName, Children: ptr(int32(1))}, e)
	f.Schema[0].Children = ptr(or(f.Schema[0].Children) + 1)
	return nil
}

// elementOf returns the schema element of a column that holds no lists.
func elementOf(f format.Field) (schemaElement, error) {
	l, ok := storedAs[f.Type]
	if !ok {
		return schemaElement{}, format.Requestf("column %q (%s) cannot be written to Parquet", f.Name, f.Text)
	}
	e := schemaElement{Physical: ptr(int32(l.physical)), Repetition: ptr(int32(required)), Name: f.Name, Converted: l.converted}
	if f.Nullable {
		*e.Repetition = optional
	}
	if l.converted != nil {
		e.Logical = thrift.RawOf(l.logical)
	}
	return e, nil
}
