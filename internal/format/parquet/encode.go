package parquet

import (
	"context"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"skyjoin/internal/format"
	"skyjoin/internal/format/parquet/thrift"
	"skyjoin/internal/par"
)

// pageRows is the number of rows of a data page.
const pageRows = 1 << 17

// A columnSource is a column to encode: its values come in blocks, each asked
// for as often as it is needed, so that they need not all be in memory.
type columnSource struct {
	field format.Field
	rows  int
	block func(lo, hi int) format.Column
}

// An encodedColumn is a column chunk in memory, and what the footer says of
// it for a chunk that starts at offset 0.
type encodedColumn struct {
	pages []encodedPage
	meta  chunkMeta
}

// An encodedPage is a page, header included.
type encodedPage struct {
	data  []byte
	plain int64 // bytes uncompressed
	slots int64 // values, nulls and empty lists
}

// encodeColumns makes column chunks: data pages (version 1, as every reader
// knows them) of plain values, of numbers into a dictionary where few values
// repeat, or of differences where these are short, compressed with zstd. A
// nullable column has definition levels, its nulls no values. Pages are encoded
// side by side; their bytes do not depend on threads.
//
// The Arrow library could write the chunk, but copies the levels of a page
// anew for every eight rows, which takes seconds where nulls are scattered
// over millions, and orders the footer's page counts at random.
func encodeColumns(ctx context.Context, cols []columnSource, threads int) ([]encodedColumn, error) {
	enc, pool := make([]chunkEncoder, len(cols)), par.NewPool(par.Threads(threads))
	err := pool.Run(ctx, len(cols), func(i int) error {
		enc[i].columnSource = cols[i]
		return enc[i].survey(ctx)
	})
	if err != nil {
		return nil, err
	}
	type place struct{ column, page int }
	var places []place
	for i := range enc {
		enc[i].pages = make([]encodedPage, len(enc[i].first)-1)
		for k := range enc[i].pages {
			places = append(places, place{i, k})
		}
	}
	err = pool.Run(ctx, len(places), func(i int) error {
		at := places[i]
		enc[at.column].pages[at.page] = enc[at.column].dataPage(at.page)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]encodedColumn, len(cols))
	for i := range enc {
		out[i] = enc[i].finish()
	}
	return out, nil
}

// A chunkEncoder holds a chunk in the making.
type chunkEncoder struct {
	columnSource
	meta       chunkMeta
	first      []int // rows at which pages begin, and the number of rows
	dictionary *encodedPage
	encoding   Encoding
	values     func(dst []byte, c *format.Column) []byte // appends values of a page, of lists their elements
	pages      []encodedPage
}

// survey goes through the values, and decides how they are encoded.
func (e *chunkEncoder) survey(ctx context.Context) error {
	e.meta.Path = []string{e.field.Name}
	step := pageRows
	if e.isList() {
		e.meta.Path = append(e.meta.Path, listName, elementName)
		step = listPageRows(e.block(0, e.rows), e.rows)
	}
	for lo := 0; lo < e.rows; lo += step {
		e.first = append(e.first, lo)
	}
	e.first = append(e.first, e.rows)
	e.meta.Physical, e.meta.Codec = int32(storedAs[e.field.Leaf()].physical), int32(Zstd)
	return encoders[e.field.Leaf()](ctx, e)
}

// finish puts the chunk together.
func (e *chunkEncoder) finish() encodedColumn {
	if e.dictionary != nil {
		e.meta.Dictionary, e.meta.DataPage = ptr(int64(0)), int64(len(e.dictionary.data))
		e.pages = append([]encodedPage{*e.dictionary}, e.pages...)
	}
	for _, p := range e.pages {
		e.meta.Compressed += int64(len(p.data))
		e.meta.Uncompressed += p.plain
		e.meta.Values += p.slots
	}
	return encodedColumn{e.pages, e.meta}
}

func (e *chunkEncoder) isList() bool { return e.field.Type == format.List }

// page returns the rows of the i-th page, and its values: of lists, their
// elements.
func (e *chunkEncoder) page(i int) (rows, values format.Column) {
	rows = e.block(e.first[i], e.first[i+1])
	if e.isList() {
		return rows, elementsOf(&rows)
	}
	return rows, rows
}

// each calls f with the values of each page.
func (e *chunkEncoder) each(ctx context.Context, f func(c *format.Column)) error {
	for i := range len(e.first) - 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, values := e.page(i)
		f(&values)
	}
	return nil
}

// setEncodings says how the values are encoded: the last is of the data pages.
func (e *chunkEncoder) setEncodings(encodings ...Encoding) {
	e.encoding = encodings[len(encodings)-1]
	for _, v := range append(encodings, RLE) {
		e.meta.Encodings = append(e.meta.Encodings, int32(v))
	}
}

// setStatistics sets the number of nulls and, unless low is nil, the least and
// the greatest value.
func (e *chunkEncoder) setStatistics(nulls int, low, high []byte) {
	if e.isList() {
		return // no reader prunes lists
	}
	s := chunkStatistics{Nulls: ptr(int64(nulls))}
	if low != nil {
		s.Min, s.Max = ptr(string(low)), ptr(string(high))
	}
	e.meta.Statistics = thrift.RawOf(s)
}

// newDictionaryPage returns the page of n distinct values.
func newDictionaryPage(n int, body []byte) encodedPage {
	return newPage(pageHeader{Kind: dictionaryPage, Dictionary: &dictionaryHeader{Values: int32(n), Encoding: int32(Plain)}}, body)
}

// dataPage encodes the i-th page: the levels of its rows, if the column is
// nullable, and its values.
func (e *chunkEncoder) dataPage(i int) encodedPage {
	c, values := e.page(i)
	slots := c.Len()
	room := bodies.Get().(*[]byte)
	defer bodies.Put(room)
	body := (*room)[:0]
	if e.isList() {
		body, slots = appendListLevels(body, &c)
	} else if e.field.Nullable {
		levels := make([]uint32, slots)
		for i := range levels {
			if !c.IsNull(i) {
				levels[i] = 1
			}
		}
		body = appendLevels(body, levels, 1)
	}
	body = e.values(body, &values)
	*room = body
	levels := int32(RLE)
	p := newPage(pageHeader{Kind: dataPage, Data: &valuesHeader{int32(slots), int32(e.encoding), &levels, &levels}}, body)
	p.slots = int64(slots)
	return p
}

// newPage compresses a page, whose size goes into its header.
func newPage(h pageHeader, body []byte) encodedPage {
	room := bodies.Get().(*[]byte)
	defer bodies.Put(room)
	packed := compressZstd(*room, body)
	*room = packed
	h.Plain, h.Packed = int32(len(body)), int32(len(packed))
	header := thrift.Append(nil, h)
	return encodedPage{data: slices.Concat(header, packed), plain: int64(len(header) + len(body))}
}

// bodies are buffers of pages, which would be most of what is allocated.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// compressZstd compresses b into the memory of room, if there is enough.
func compressZstd(room, b []byte) []byte {
	encoder := wideEncoder
	if len(b) <= smallWindow {
		encoder = encoderOfPages
	}
	bound := len(b) + len(b)>>8 + 64
	return encoder().EncodeAll(b, slices.Grow(room[:0], bound))
}

// Each thread of an encoder keeps a window, of 8 MiB usually. The pages of numbers,
// which are nearly all, need less, for the same bytes.
const smallWindow = 2 << 20

var (
	encoderOfPages = newZstd(zstd.WithWindowSize(smallWindow))
	wideEncoder    = newZstd()
)

func newZstd(more ...zstd.EOption) func() *zstd.Encoder {
	return sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, append(more, zstd.WithZeroFrames(true), zstd.WithLowerEncoderMem(true))...)
		if err != nil {
			panic(err) // the options do not depend on anything
		}
		return e
	})
}
