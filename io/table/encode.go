package table

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/schema"
	"golang.org/x/sync/errgroup"

	"skyjoin/io/catalog"
)

// A layout is how values of a type are stored.
type layout struct {
	physical parquet.Type
	logical  schema.LogicalType
	arrow    arrow.DataType
	dict     bool // try a dictionary; it is given up when it grows
}

var (
	none      = schema.NoLogicalType{}
	timestamp = schema.NewTimestampLogicalType(true, schema.TimeUnitMicros)
	utc       = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
)

// layouts has the types that can be written. Decimals are floats once read.
var layouts = map[catalog.Type]layout{
	catalog.Float64:   {parquet.Types.Double, none, arrow.PrimitiveTypes.Float64, false},
	catalog.Decimal:   {parquet.Types.Double, none, arrow.PrimitiveTypes.Float64, false},
	catalog.Float32:   {parquet.Types.Float, none, arrow.PrimitiveTypes.Float32, false},
	catalog.Int64:     {parquet.Types.Int64, none, arrow.PrimitiveTypes.Int64, true},
	catalog.Int32:     {parquet.Types.Int32, none, arrow.PrimitiveTypes.Int32, true},
	catalog.Int16:     {parquet.Types.Int32, schema.NewIntLogicalType(16, true), arrow.PrimitiveTypes.Int16, true},
	catalog.Int8:      {parquet.Types.Int32, schema.NewIntLogicalType(8, true), arrow.PrimitiveTypes.Int8, true},
	catalog.Uint64:    {parquet.Types.Int64, schema.NewIntLogicalType(64, false), arrow.PrimitiveTypes.Uint64, true},
	catalog.Uint32:    {parquet.Types.Int32, schema.NewIntLogicalType(32, false), arrow.PrimitiveTypes.Uint32, true},
	catalog.Uint16:    {parquet.Types.Int32, schema.NewIntLogicalType(16, false), arrow.PrimitiveTypes.Uint16, true},
	catalog.Uint8:     {parquet.Types.Int32, schema.NewIntLogicalType(8, false), arrow.PrimitiveTypes.Uint8, true},
	catalog.Bool:      {parquet.Types.Boolean, none, arrow.FixedWidthTypes.Boolean, false},
	catalog.String:    {parquet.Types.ByteArray, schema.StringLogicalType{}, arrow.BinaryTypes.String, true},
	catalog.Timestamp: {parquet.Types.Int64, timestamp, utc, false},
}

// node returns the schema of a column.
func node(f catalog.Field) (*schema.PrimitiveNode, error) {
	l, ok := layouts[f.Type]
	if !ok {
		return nil, requestf("column %q (%s) cannot be written to Parquet", f.Name, f.Text)
	}
	rep := parquet.Repetitions.Required
	if f.Nullable {
		rep = parquet.Repetitions.Optional
	}
	return schema.NewPrimitiveNodeLogical(f.Name, rep, l.logical, l.physical, 0, -1)
}

// An encodedColumn is a column chunk in memory and what a footer says of it.
type encodedColumn struct {
	data  []byte // a Parquet file, of which chunk is the only one
	chunk chunk
}

// newColumnWriter starts a Parquet file of one column.
func newColumnWriter(buf *bytes.Buffer, f catalog.Field) (*file.Writer, error) {
	n, err := node(f)
	if err != nil {
		return nil, err
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{n}, -1)
	if err != nil {
		return nil, err
	}
	return file.NewParquetWriter(buf, root, file.WithWriterProps(parquet.NewWriterProperties(
		parquet.WithVersion(parquet.V2_LATEST),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithDictionaryDefault(layouts[f.Type].dict),
	))), nil
}

// encodeColumn makes one column chunk of a column: a Parquet file with only
// this column is written to memory and its chunk taken.
func encodeColumn(c catalog.Column) (encodedColumn, error) {
	var buf bytes.Buffer
	w, err := newColumnWriter(&buf, c.Field)
	if err != nil {
		return encodedColumn{}, err
	}
	group := w.AppendRowGroup()
	cw, err := group.NextColumn()
	if err == nil {
		err = writeValues(cw, c)
	}
	if err == nil {
		err = cw.Close()
	}
	if err == nil {
		err = group.Close()
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return encodedColumn{}, fmt.Errorf("column %q: %w", c.Field.Name, err)
	}
	return takeChunk(buf.Bytes())
}

// encodeColumns encodes columns side by side.
func encodeColumns(ctx context.Context, cols []catalog.Column, threads int) ([]encodedColumn, error) {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	out := make([]encodedColumn, len(cols))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(threads)
	for i := range cols {
		g.Go(func() (err error) {
			if err = ctx.Err(); err == nil {
				out[i], err = encodeColumn(cols[i])
			}
			return err
		})
	}
	return out, g.Wait()
}

// element returns the schema element of a column: that of a file without rows.
func element(f catalog.Field) (record, error) {
	var buf bytes.Buffer
	w, err := newColumnWriter(&buf, f)
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	p, _, err := parseMemory(buf.Bytes())
	if err != nil {
		return nil, err
	}
	return p.elements[1], nil
}

// parseMemory reads the footer of a file in memory and tells where it starts.
func parseMemory(data []byte) (*parquetFile, int64, error) {
	footer, end, err := footerBytes(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, 0, err
	}
	p := new(parquetFile)
	return p, end, p.parse(footer)
}

// takeChunk finds the only chunk of a file in memory.
func takeChunk(data []byte) (encodedColumn, error) {
	p, end, err := parseMemory(data)
	if err != nil {
		return encodedColumn{}, err
	}
	g, err := parseGroup(p.groups[0], 1, end)
	if err != nil {
		return encodedColumn{}, err
	}
	e := encodedColumn{data, g.chunks[0]}
	// The library lists page counts in the random order of a map.
	if stats, err := e.chunk.meta.list(metaEncodingStat, kindStruct); err == nil && stats != nil {
		slices.SortFunc(stats, bytes.Compare)
		e.chunk.meta.set(metaEncodingStat, kindList, appendList(nil, kindStruct, stats))
	}
	return e, nil
}

// writeValues writes a whole column to its chunk.
func writeValues(cw file.ColumnChunkWriter, c catalog.Column) error {
	switch w := cw.(type) {
	case *file.Float64ColumnChunkWriter:
		return put(w.WriteBatch, c, c.Float64, func(v float64) float64 { return v })
	case *file.Float32ColumnChunkWriter:
		return put(w.WriteBatch, c, c.Float32, func(v float32) float32 { return v })
	case *file.BooleanColumnChunkWriter:
		return put(w.WriteBatch, c, c.Bool, func(v bool) bool { return v })
	case *file.ByteArrayColumnChunkWriter:
		return put(w.WriteBatch, c, c.String, func(v string) parquet.ByteArray { return parquet.ByteArray(v) })
	case *file.Int32ColumnChunkWriter:
		if c.Uint64 != nil {
			return put(w.WriteBatch, c, c.Uint64, func(v uint64) int32 { return int32(uint32(v)) })
		}
		return put(w.WriteBatch, c, c.Int64, func(v int64) int32 { return int32(v) })
	case *file.Int64ColumnChunkWriter:
		switch {
		case c.Field.Type == catalog.Timestamp:
			return put(w.WriteBatch, c, c.Float64, func(s float64) int64 { return int64(math.Round(s * 1e6)) })
		case c.Uint64 != nil:
			return put(w.WriteBatch, c, c.Uint64, func(v uint64) int64 { return int64(v) })
		}
		return put(w.WriteBatch, c, c.Int64, func(v int64) int64 { return v })
	}
	return fmt.Errorf("no writer for %T", cw) // layouts names none other
}

// put writes src, converted and without its nulls, block by block.
func put[S, D any](write func([]D, []int16, []int16) (int64, error), c catalog.Column, src []S, convert func(S) D) error {
	const block = 1 << 14
	values, levels := make([]D, 0, block), make([]int16, 0, block)
	for lo := 0; lo < len(src); lo += block {
		values, levels = values[:0], levels[:0]
		for i := lo; i < min(lo+block, len(src)); i++ {
			if c.Null != nil && c.Null[i] {
				levels = append(levels, 0)
				continue
			}
			levels = append(levels, 1)
			values = append(values, convert(src[i]))
		}
		defined := levels
		if !c.Field.Nullable {
			if len(values) < len(levels) {
				return fmt.Errorf("has a null in rows %d to %d, but is not nullable", lo, lo+len(levels)-1)
			}
			defined = nil
		}
		if _, err := write(values, defined, nil); err != nil {
			return err
		}
	}
	return nil
}
