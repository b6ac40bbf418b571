package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"

	"skyjoin/internal/format"
	"skyjoin/internal/format/parquet/thrift"
)

// The structures of a footer, from parquet.thrift
// (https://github.com/apache/parquet-format). What is only copied is not decoded.

type fileMeta struct {
	Version    int32           `thrift:"1"`
	Schema     []schemaElement `thrift:"2"`
	Rows       int64           `thrift:"3"`
	Groups     []groupMeta     `thrift:"4"`
	KeyValues  []keyValue      `thrift:"5"`
	CreatedBy  string          `thrift:"6"`
	Orders     []columnOrder   `thrift:"7"`
	Encryption thrift.Raw      `thrift:"8"`
}

// An element is a node of the schema, which lists its nodes depth first.
type schemaElement struct {
	Physical   *int32     `thrift:"1"` // of a leaf
	Length     *int32     `thrift:"2"`
	Repetition *int32     `thrift:"3"` // not of the root
	Name       string     `thrift:"4"`
	Children   *int32     `thrift:"5"`
	Converted  *int32     `thrift:"6"` // the older name of what it means
	Scale      *int32     `thrift:"7"`
	Precision  *int32     `thrift:"8"`
	Logical    thrift.Raw `thrift:"10"` // a logicalType
	Rest       thrift.Rest
}

// The repetitions.
const (
	required = iota
	optional
	repeated
)

// A logicalType is what an element means: one of these.
type logicalType struct {
	String    *struct{}    `thrift:"1"`
	List      *struct{}    `thrift:"3"`
	Enum      *struct{}    `thrift:"4"`
	Decimal   *decimalType `thrift:"5"`
	Date      *struct{}    `thrift:"6"`
	Time      *timeType    `thrift:"7"`
	Timestamp *timeType    `thrift:"8"`
	Integer   *integerType `thrift:"10"`
	JSON      *struct{}    `thrift:"12"`
	UUID      *struct{}    `thrift:"14"`
	Float16   *struct{}    `thrift:"15"`

	Interval *struct{} `thrift:"-1"` // has an older name only
}

type decimalType struct {
	Scale     int32 `thrift:"1"`
	Precision int32 `thrift:"2"`
}

// A timeType is a time of day, or a time stamp, in units of which one is set.
type timeType struct {
	UTC  bool     `thrift:"1"`
	Unit timeUnit `thrift:"2"`
}

type timeUnit struct {
	Millis *struct{} `thrift:"1"`
	Micros *struct{} `thrift:"2"`
	Nanos  *struct{} `thrift:"3"`
}

type integerType struct {
	Width  int8 `thrift:"1"`
	Signed bool `thrift:"2"`
}

// A groupMeta is a row group.
type groupMeta struct {
	Columns    []columnMeta `thrift:"1"`
	Bytes      int64        `thrift:"2"` // uncompressed
	Rows       int64        `thrift:"3"`
	Sorting    thrift.Raw   `thrift:"4"`
	Offset     *int64       `thrift:"5"`
	Compressed *int64       `thrift:"6"`
	Ordinal    *int16       `thrift:"7"`
}

// A columnMeta is a column chunk; page indexes and Bloom filters, to which it can
// point, are not read.
type columnMeta struct {
	Path   *string    `thrift:"1"` // of the file, if it is another
	Offset int64      `thrift:"2"`
	Meta   *chunkMeta `thrift:"3"`
	Crypto thrift.Raw `thrift:"8"`
}

type chunkMeta struct {
	Physical     int32      `thrift:"1"`
	Encodings    []int32    `thrift:"2"`
	Path         []string   `thrift:"3"`
	Codec        int32      `thrift:"4"`
	Values       int64      `thrift:"5"`
	Uncompressed int64      `thrift:"6"`
	Compressed   int64      `thrift:"7"`
	KeyValues    thrift.Raw `thrift:"8"`
	DataPage     int64      `thrift:"9"`
	Dictionary   *int64     `thrift:"11"` // old writers say 0 for none
	Statistics   thrift.Raw `thrift:"12"` // a chunkStatistics
	PageCounts   thrift.Raw `thrift:"13"`
	Sizes        thrift.Raw `thrift:"16"`
	Geography    thrift.Raw `thrift:"17"`
}

// start returns where the pages of the chunk begin.
func (m *chunkMeta) start() int64 {
	if m.Dictionary != nil && *m.Dictionary > 0 && *m.Dictionary < m.DataPage {
		return *m.Dictionary
	}
	return m.DataPage
}

// A chunkStatistics is what is known of the values; the older bounds are in the
// order of signed numbers, whatever the type.
type chunkStatistics struct {
	OldMax *string `thrift:"1"`
	OldMin *string `thrift:"2"`
	Nulls  *int64  `thrift:"3"`
	Max    *string `thrift:"5"`
	Min    *string `thrift:"6"`
}

type keyValue struct {
	Key   string  `thrift:"1"`
	Value *string `thrift:"2"`
}

// A columnOrder says how minima and maxima are ordered.
type columnOrder struct {
	ByType *struct{} `thrift:"1"`
	Rest   thrift.Rest
}

// decoded decodes a raw structure.
func decoded[T any](r thrift.Raw) (v T, err error) {
	if r.Kind == thrift.Struct {
		_, err = thrift.Decode(r.Bytes, &v)
	}
	return v, err
}

// ptr is for what can be absent.
func ptr[T any](v T) *T { return &v }

// or returns what p points to, or the zero value.
func or[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Older names of what a column means, by their numbers.
const (
	convertedList    = 3
	convertedDecimal = 5 // whose scale and precision stand beside it
)

var present = &struct{}{}

// converted are the meanings of the older names, by their numbers. Times are in
// UTC.
var converted = map[int32]logicalType{
	0: {String: present}, convertedList: {List: present}, 4: {Enum: present}, 6: {Date: present},
	7:  {Time: &timeType{true, timeUnit{Millis: present}}},
	8:  {Time: &timeType{true, timeUnit{Micros: present}}},
	9:  {Timestamp: &timeType{true, timeUnit{Millis: present}}},
	10: {Timestamp: &timeType{true, timeUnit{Micros: present}}},
	11: {Integer: &integerType{8, false}}, 12: {Integer: &integerType{16, false}},
	13: {Integer: &integerType{32, false}}, 14: {Integer: &integerType{64, false}},
	15: {Integer: &integerType{8, true}}, 16: {Integer: &integerType{16, true}},
	17: {Integer: &integerType{32, true}}, 18: {Integer: &integerType{64, true}},
	19: {JSON: present}, 21: {Interval: present},
}

// means returns what an element means, by its newer or its older name.
func (e *schemaElement) means() logicalType {
	if m, err := decoded[logicalType](e.Logical); err == nil && m != (logicalType{}) {
		return m
	}
	if e.Converted == nil {
		return logicalType{}
	}
	if *e.Converted == convertedDecimal {
		return logicalType{Decimal: &decimalType{or(e.Scale), or(e.Precision)}}
	}
	return converted[*e.Converted]
}

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
