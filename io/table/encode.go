package table

import (
	"context"
	"encoding/binary"
	"math/bits"
	"runtime"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"golang.org/x/sync/errgroup"

	"skyjoin/io/catalog"
)

// Numbers of encodings and codecs, from parquet.thrift.
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

// An encodedColumn is a column chunk in memory, and what the footer says of
// it for a chunk that starts at offset 0.
type encodedColumn struct {
	data  []byte
	chunk chunk
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
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			out[i] = encodeColumn(cols[i])
			return nil
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
func encodeColumn(c catalog.Column) encodedColumn {
	s := storedColumn(c)
	null := c.Null
	e := &chunkEncoder{stored: s, null: null, nullable: c.Field.Nullable, isBool: c.Field.Type == catalog.Bool}
	e.meta.setInteger(metaType, kindI32, int64(layouts[c.Field.Type].physical))
	e.meta.set(metaPath, kindList, appendList(nil, kindBinary, [][]byte{appendBinary(nil, []byte(c.Field.Name))}))
	e.encode()
	return encodedColumn{e.out, chunk{meta: e.meta, size: int64(len(e.out)), plain: e.plainSize}}
}

// A chunkEncoder holds a chunk in the making.
type chunkEncoder struct {
	stored   stored
	null     []bool
	nullable bool
	isBool   bool

	meta      record
	out       []byte
	plainSize int64 // of the pages so far, headers included, uncompressed
}

func (e *chunkEncoder) encode() {
	encodings := []int64{encodingPlain, encodingRLE}
	encoding, body := int64(encodingPlain), e.plainBody
	if e.stored.numbers != nil {
		if number, first := e.stored.numbers(e.null); len(first) > 0 {
			encoding, encodings = encodingDictionary, append(encodings, encodingDictionary)
			width := max(1, bits.Len(uint(len(first)-1)))
			body = func(dst []byte, rows []int) []byte { return numberBody(dst, number, rows, width) }
			e.meta.setInteger(metaDictPage, kindI64, 0)
			e.dictionary(first)
		}
	}
	e.meta.setInteger(metaDataPage, kindI64, int64(len(e.out)))
	nulls := 0
	for lo := 0; lo < e.stored.n; lo += pageRows {
		nulls += e.dataPage(lo, min(lo+pageRows, e.stored.n), encoding, body)
	}

	var list [][]byte
	for _, v := range encodings {
		list = append(list, binary.AppendVarint(nil, v))
	}
	e.meta.set(metaEncodings, kindList, appendList(nil, kindI32, list))
	e.meta.setInteger(metaCodec, kindI32, codecZstd)
	e.meta.setInteger(metaValues, kindI64, int64(e.stored.n))
	e.meta.setInteger(metaUncompressed, kindI64, e.plainSize)
	e.meta.setInteger(metaCompressed, kindI64, int64(len(e.out)))
	e.meta.set(metaStatistics, kindStruct, e.statistics(nulls).encode())
}

// dictionary writes the page of the distinct values.
func (e *chunkEncoder) dictionary(first []int) {
	var body []byte
	for _, row := range first {
		body = e.stored.plain(body, row)
	}
	var head record
	head.setInteger(1, kindI32, int64(len(first)))
	head.setInteger(2, kindI32, encodingPlain)
	e.page(pageDictionary, 7, head, body)
}

// dataPage writes the rows [lo, hi) and returns the number of nulls.
func (e *chunkEncoder) dataPage(lo, hi int, encoding int64, values func(dst []byte, rows []int) []byte) (nulls int) {
	rows := make([]int, 0, hi-lo)
	levels := make([]uint32, hi-lo)
	for row := lo; row < hi; row++ {
		if e.null == nil || !e.null[row] {
			rows = append(rows, row)
			levels[row-lo] = 1
		}
	}
	var body []byte
	if e.nullable {
		body = appendHybrid(make([]byte, 4), levels, 1)
		binary.LittleEndian.PutUint32(body, uint32(len(body)-4))
	}
	body = values(body, rows)
	var head record
	head.setInteger(1, kindI32, int64(hi-lo))
	head.setInteger(2, kindI32, encoding)
	head.setInteger(3, kindI32, encodingRLE)
	head.setInteger(4, kindI32, encodingRLE)
	e.page(pageData, 5, head, body)
	return len(levels) - len(rows)
}

// plainBody appends the values of rows in plain encoding.
func (e *chunkEncoder) plainBody(dst []byte, rows []int) []byte {
	if e.isBool {
		var flags []byte
		for _, row := range rows {
			flags = e.stored.plain(flags, row)
		}
		return appendBits(dst, flags)
	}
	for _, row := range rows {
		dst = e.stored.plain(dst, row)
	}
	return dst
}

// appendBits packs bytes of 0 and 1 into bits, the lowest first.
func appendBits(dst, flags []byte) []byte {
	for i, f := range flags {
		if i%8 == 0 {
			dst = append(dst, 0)
		}
		dst[len(dst)-1] |= f << (i % 8)
	}
	return dst
}

// numberBody appends the numbers of rows into the dictionary.
func numberBody(dst []byte, number []uint32, rows []int, width int) []byte {
	picked := make([]uint32, len(rows))
	for i, row := range rows {
		picked[i] = number[row]
	}
	return appendHybrid(append(dst, byte(width)), picked, width)
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

// statistics returns the Statistics of the chunk.
func (e *chunkEncoder) statistics(nulls int) record {
	var r record
	r.setInteger(3, kindI64, int64(nulls))
	if low, high := e.stored.bounds(e.null); low != nil {
		r.set(5, kindBinary, appendBinary(nil, high))
		r.set(6, kindBinary, appendBinary(nil, low))
	}
	return r
}

func appendBinary(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
