package arrow

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"skyjoin/internal/format"
)

// types are those of values.
var types = map[arrow.Type]format.Type{
	arrow.BOOL: format.Bool, arrow.INT8: format.Int8, arrow.INT16: format.Int16, arrow.INT32: format.Int32, arrow.INT64: format.Int64,
	arrow.UINT8: format.Uint8, arrow.UINT16: format.Uint16, arrow.UINT32: format.Uint32, arrow.UINT64: format.Uint64,
	arrow.FLOAT16: format.Float32, arrow.FLOAT32: format.Float32, arrow.FLOAT64: format.Float64, arrow.DECIMAL128: format.Decimal,
	arrow.STRING: format.String, arrow.LARGE_STRING: format.String, arrow.BINARY: format.String, arrow.LARGE_BINARY: format.String, arrow.FIXED_SIZE_BINARY: format.String,
	arrow.TIMESTAMP: format.Timestamp, arrow.DATE32: format.Timestamp, arrow.DATE64: format.Timestamp,
}

// fieldOf describes a field; values in a dictionary are what the dictionary has.
func fieldOf(f arrow.Field) format.Field {
	out := format.Field{Name: f.Name, Text: f.Type.String(), Nullable: f.Nullable}
	switch t := f.Type.(type) {
	case *arrow.DictionaryType:
		out.Type = types[t.ValueType.ID()]
	case arrow.ListLikeType:
		if e := fieldOf(arrow.Field{Name: f.Name, Type: t.Elem(), Nullable: true}); t.ID() != arrow.MAP && e.Type != format.Unsupported && e.Type != format.List {
			out.Type, out.Elem = format.List, &e
		}
	default:
		out.Type = types[t.ID()]
	}
	return out
}

// decode puts the values of n rows into columns.
func decode(rows arrow.Record, n int, refs []format.Ref, cols []format.Column) error {
	for k, r := range refs {
		var text format.Texts
		values, from := rows.Column(r.Field), 0 // of a row
		put := func(to *format.Column, row, i int) bool { return put(to, row, values, from+i, &text) }
		whole := values
		lists, isList := whole.(array.ListLike)
		for row := range n {
			count := 1
			if from = row; whole.IsNull(row) {
				if err := format.PutNull(&cols[k], row); err != nil {
					return err
				}
				continue
			}
			if isList {
				lo, hi := lists.ValueOffsets(row)
				values, from, count = lists.ListValues(), int(lo), int(hi-lo)
			}
			if err := format.PutCell(&cols[k], row, max(0, r.Elem), count, put); err != nil {
				return err
			}
		}
		if f := fieldOf(rows.Schema().Field(r.Field)); f.Leaf() == format.String {
			text.Flush(&cols[k])
		}
	}
	return nil
}

// Leaf types are put into rows by put; it returns false for a null.
func put(to *format.Column, row int, values arrow.Array, i int, text *format.Texts) bool {
	if values.IsNull(i) {
		return false
	}
	switch v := values.(type) {
	case *array.Dictionary:
		return put(to, row, v.Dictionary(), v.GetValueIndex(i), text)
	case *array.Boolean:
		to.Bool[row] = v.Value(i)
	case *array.Int8:
		number(to, row, v.Value(i))
	case *array.Int16:
		number(to, row, v.Value(i))
	case *array.Int32:
		number(to, row, v.Value(i))
	case *array.Int64:
		number(to, row, v.Value(i))
	case *array.Uint8:
		number(to, row, v.Value(i))
	case *array.Uint16:
		number(to, row, v.Value(i))
	case *array.Uint32:
		number(to, row, v.Value(i))
	case *array.Uint64:
		number(to, row, v.Value(i))
	case *array.Float16:
		number(to, row, v.Value(i).Float32())
	case *array.Float32:
		number(to, row, v.Value(i))
	case *array.Float64:
		number(to, row, v.Value(i))
	case *array.Decimal128:
		number(to, row, v.Value(i).ToFloat64(v.DataType().(*arrow.Decimal128Type).Scale))
	case *array.Timestamp:
		at := v.Value(i).ToTime(v.DataType().(*arrow.TimestampType).Unit)
		number(to, row, float64(at.Unix())+float64(at.Nanosecond())/1e9)
	case *array.Date32:
		number(to, row, 86400*float64(v.Value(i)))
	case *array.Date64:
		number(to, row, float64(v.Value(i))/1e3)
	case *array.String:
		text.Add([]byte(v.Value(i)), row)
	case *array.LargeString:
		text.Add([]byte(v.Value(i)), row)
	case *array.Binary:
		text.Add(v.Value(i), row)
	case *array.LargeBinary:
		text.Add(v.Value(i), row)
	case *array.FixedSizeBinary:
		text.Add(v.Value(i), row)
	}
	return true
}

// number puts a number into a column, whose type may be wider.
func number[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](to *format.Column, row int, v T) {
	switch {
	case to.Float64 != nil:
		to.Float64[row] = float64(v)
	case to.Float32 != nil:
		to.Float32[row] = float32(v)
	case to.Int64 != nil:
		to.Int64[row] = int64(v)
	case to.Uint64 != nil:
		to.Uint64[row] = uint64(v)
	}
}
