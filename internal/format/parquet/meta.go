package parquet

import (
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
