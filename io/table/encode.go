package table

import (
	"context"
	"encoding/binary"
	"runtime"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"golang.org/x/sync/errgroup"

	"skyjoin/io/catalog"
)

// Numbers of encodings, codecs and page types, from parquet.thrift.
const (
	encodingPlain      = 0
	encodingRLE        = 3
	encodingDictionary = 8
	codecZstd          = 6

	pageData       = 0
	pageDictionary = 2
)

// pageRows is the number of rows of a data page.
const pageRows = 1 << 17

// A columnSource is a column to encode: its values come in blocks, each asked
// for as often as it is needed, so that they need not all be in memory.
type columnSource struct {
	field catalog.Field
	rows  int
	block func(lo, hi int) catalog.Column
}

// An encodedColumn is a column chunk in memory, and what the footer says of
// it for a chunk that starts at offset 0.
type encodedColumn struct {
	data  []byte
	chunk chunk
}

// encodeColumns encodes columns side by side.
func encodeColumns(ctx context.Context, cols []columnSource, threads int) ([]encodedColumn, error) {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	out := make([]encodedColumn, len(cols))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(threads)
	for i := range cols {
		g.Go(func() (err error) {
			out[i], err = encodeColumn(ctx, cols[i])
			return err
		})
	}
	return out, g.Wait()
}

// encodeColumn makes a column chunk: data pages (version 1, as every reader
// knows them) of plain values, or of numbers into a dictionary where few
// values repeat, compressed with zstd. A nullable column has definition
// levels, its nulls no values.
//
// The Arrow library could write the chunk, but copies the levels of a page
// anew for every eight rows, which takes seconds where nulls are scattered
// over millions, and orders the footer's page counts at random.
func encodeColumn(ctx context.Context, c columnSource) (encodedColumn, error) {
	e := &chunkEncoder{columnSource: c}
	path := [][]byte{appendBinary(nil, c.field.Name)}
	if c.field.Type == catalog.List {
		path = append(path, appendBinary(nil, listName), appendBinary(nil, elementName))
	}
	e.meta.setInteger(metaType, kindI32, int64(layouts[leafType(c.field)].physical))
	e.meta.set(metaPath, kindList, appendList(nil, kindBinary, path))
	e.meta.setInteger(metaCodec, kindI32, codecZstd)
	if err := encoders[leafType(c.field)](ctx, e); err != nil {
		return encodedColumn{}, err
	}
	e.meta.setInteger(metaValues, kindI64, e.slots)
	e.meta.setInteger(metaUncompressed, kindI64, e.plainSize)
	e.meta.setInteger(metaCompressed, kindI64, int64(len(e.out)))
	return encodedColumn{e.out, chunk{meta: e.meta, size: int64(len(e.out)), plain: e.plainSize}}, nil
}

// A chunkEncoder holds a chunk in the making.
type chunkEncoder struct {
	columnSource
	meta      record
	out       []byte
	plainSize int64           // of the pages so far, headers included, uncompressed
	slots     int64           // values, nulls and empty lists of the pages so far
	lists     *catalog.Column // of the page in hand, if they are lists
}

// pages calls f with the values of each page: of lists, with their elements.
func (e *chunkEncoder) pages(ctx context.Context, f func(c *catalog.Column)) error {
	step := pageRows
	if e.field.Type == catalog.List {
		step = listPageRows(e.block(0, e.rows), e.rows)
	}
	for lo := 0; lo < e.rows; lo += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := e.block(lo, min(lo+step, e.rows))
		if e.field.Type == catalog.List {
			e.lists = &c
			elem := elementsOf(&c)
			f(&elem)
			continue
		}
		f(&c)
	}
	return nil
}

// setEncodings says how the values are encoded.
func (e *chunkEncoder) setEncodings(encodings ...int64) {
	var list [][]byte
	for _, v := range append(encodings, encodingRLE) {
		list = append(list, binary.AppendVarint(nil, v))
	}
	e.meta.set(metaEncodings, kindList, appendList(nil, kindI32, list))
}

// setStatistics sets the number of nulls and, unless low is nil, the least and
// the greatest value.
func (e *chunkEncoder) setStatistics(nulls int, low, high []byte) {
	if e.field.Type == catalog.List {
		return // no reader prunes lists
	}
	var r record
	r.setInteger(3, kindI64, int64(nulls))
	if low != nil {
		r.set(5, kindBinary, appendBinary(nil, high))
		r.set(6, kindBinary, appendBinary(nil, low))
	}
	e.meta.set(metaStatistics, kindStruct, r.encode())
}

// dictionaryPage writes the page of n distinct values.
func (e *chunkEncoder) dictionaryPage(n int, body []byte) {
	e.meta.setInteger(metaDictPage, kindI64, int64(len(e.out)))
	var head record
	head.setInteger(1, kindI32, int64(n))
	head.setInteger(2, kindI32, encodingPlain)
	e.page(pageDictionary, 7, head, body)
}

// dataPage writes a page of rows: their levels, if the column is nullable,
// and what values appends.
func (e *chunkEncoder) dataPage(c *catalog.Column, encoding int64, values func(dst []byte) []byte) {
	rows := c.Len()
	var body []byte
	if e.lists != nil {
		body, rows = listLevelBytes(e.lists)
	} else if e.field.Nullable {
		levels := make([]uint32, rows)
		for i := range levels {
			if !c.IsNull(i) {
				levels[i] = 1
			}
		}
		body = appendLevels(nil, levels, 1)
	}
	body = values(body)
	e.slots += int64(rows)
	var head record
	head.setInteger(1, kindI32, int64(rows))
	head.setInteger(2, kindI32, encoding)
	head.setInteger(3, kindI32, encodingRLE)
	head.setInteger(4, kindI32, encodingRLE)
	e.page(pageData, 5, head, body)
}

// page compresses and writes a page; the header of its type goes into the
// field kind of the page header.
func (e *chunkEncoder) page(typ int64, kind int16, head record, body []byte) {
	packed := compressZstd(body)
	var h record
	h.setInteger(1, kindI32, typ)
	h.setInteger(2, kindI32, int64(len(body)))
	h.setInteger(3, kindI32, int64(len(packed)))
	h.set(kind, kindStruct, head.encode())
	header := h.encode()
	e.out = append(append(e.out, header...), packed...)
	e.plainSize += int64(len(header) + len(body))
}

func compressZstd(b []byte) []byte {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		panic(err) // compiled in
	}
	return codec.Encode(make([]byte, 0, codec.CompressBound(int64(len(b)))), b)
}

func appendBinary[T string | []byte](dst []byte, b T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
