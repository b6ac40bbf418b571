package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"skyjoin/internal/pages"
)

// Field ids of the structs of a footer, from parquet.thrift
// (https://github.com/apache/parquet-format).
const (
	fileVersion      = 1
	fileSchema       = 2
	fileRows         = 3
	fileGroups       = 4
	fileKeyValues    = 5
	fileCreatedBy    = 6
	fileColumnOrders = 7
	fileEncryption   = 8

	elemType       = 1
	elemTypeLength = 2
	elemRepetition = 3
	elemName       = 4
	elemChildren   = 5
	elemConverted  = 6
	elemScale      = 7
	elemPrecision  = 8
	elemLogical    = 10

	groupColumns    = 1
	groupBytes      = 2
	groupRows       = 3
	groupSorting    = 4
	groupOffset     = 5
	groupCompressed = 6
	groupOrdinal    = 7

	chunkPath   = 1
	chunkOffset = 2
	chunkMeta   = 3

	metaType         = 1
	metaEncodings    = 2
	metaPath         = 3
	metaCodec        = 4
	metaValues       = 5
	metaUncompressed = 6
	metaCompressed   = 7
	metaKeyValues    = 8
	metaDataPage     = 9
	metaIndexPage    = 10
	metaDictPage     = 11
	metaStatistics   = 12
	metaEncodingStat = 13
	metaSizeStats    = 16
	metaGeoStats     = 17

	keyValueKey   = 1
	keyValueValue = 2
)

const magic = "PAR1"

// A parquetFile is an opened Parquet file: its footer, cut into records that
// refer to the footer's bytes.
type parquetFile struct {
	path     string
	f        *os.File
	dataEnd  int64 // where the footer starts
	length   int   // bytes of the footer
	meta     record
	elements []record // the schema, depth first, the root included
	columns  []topColumn
	groups   [][]byte // encoded row groups
	rows     int64
}

func openParquet(path string) (*parquetFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p := &parquetFile{path: path, f: f}
	if err := p.readFooter(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func (p *parquetFile) readFooter() error {
	st, err := p.f.Stat()
	if err != nil {
		return err
	}
	b, end, err := footerBytes(p.f, st.Size())
	if err != nil {
		return err
	}
	p.dataEnd, p.length = end, len(b)
	return p.parse(b)
}

// footerBytes reads the footer of a file of size bytes and tells where it
// starts.
func footerBytes(r io.ReaderAt, size int64) (footer []byte, at int64, err error) {
	var tail [8]byte
	if size < 12 {
		return nil, 0, errors.New("not a Parquet file: it is too short")
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil {
		return nil, 0, err
	}
	if string(tail[4:]) != magic {
		return nil, 0, errors.New("not a Parquet file, or cut short: the magic number at its end is missing")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	if n > size-12 {
		return nil, 0, fmt.Errorf("damaged: a footer of %d bytes in a file of %d", n, size)
	}
	footer = make([]byte, n)
	if _, err := r.ReadAt(footer, size-8-n); err != nil {
		return nil, 0, err
	}
	return footer, size - 8 - n, nil
}

// parse cuts the footer into records.
func (p *parquetFile) parse(footer []byte) (err error) {
	if p.meta, _, err = parseRecord(footer); err != nil {
		return err
	}
	if crypt, err := p.meta.value(fileEncryption, kindStruct); err != nil || crypt != nil {
		return errors.New("the file is encrypted: decrypt it first")
	}
	elements, err := p.meta.list(fileSchema, kindStruct)
	if err != nil {
		return err
	}
	for _, raw := range elements {
		e, _, err := parseRecord(raw)
		if err != nil {
			return err
		}
		p.elements = append(p.elements, e)
	}
	if p.columns, err = topColumns(p.elements); err != nil {
		return err
	}
	if p.groups, err = p.meta.list(fileGroups, kindStruct); err != nil {
		return err
	}
	p.rows, _, err = p.meta.integer(fileRows)
	return err
}

// leaves returns the number of leaf columns: the chunks of each row group.
func (p *parquetFile) leaves() int {
	n := 0
	for _, c := range p.columns {
		n += c.leaves
	}
	return n
}

// A rowGroup is one row group: its record without the columns, and these.
type rawGroup struct {
	rec    record
	rows   int64
	chunks []rawChunk
}

// A chunk is the data of one leaf column in one row group: where its bytes
// are and what the footer says of them.
type rawChunk struct {
	rec   record // ColumnChunk, without its meta
	meta  record // ColumnMetaData
	start int64
	size  int64
	plain int64 // bytes uncompressed
}

// group reads row group i and checks that it lies within the file.
func (p *parquetFile) group(i int) (*rawGroup, error) {
	g, err := parseGroup(p.groups[i], p.leaves(), p.dataEnd)
	if err != nil {
		return nil, fmt.Errorf("%s: row group %d: %w", p.path, i, err)
	}
	return g, nil
}

// walk checks that the pages of a row group are where its chunks should have
// them, so that no output is made of a damaged file. The values themselves are
// copied unread.
func (p *parquetFile) walk(g *rawGroup) error {
	for j, c := range g.chunks {
		values, _, err := c.meta.integer(metaValues)
		if err == nil && c.size > 0 {
			err = pages.Walk(p.f, &pages.Chunk{Offset: c.start, Size: c.size, Values: values})
		}
		if err != nil {
			return fmt.Errorf("%s: column chunk %d is damaged: %w", p.path, j, err)
		}
	}
	return nil
}

func parseGroup(raw []byte, leaves int, dataEnd int64) (*rawGroup, error) {
	rec, _, err := parseRecord(raw)
	if err != nil {
		return nil, err
	}
	g := &rawGroup{rec: rec}
	rows, ok, err := rec.integer(groupRows)
	if err != nil || !ok || rows < 0 {
		return nil, errThrift
	}
	g.rows = rows
	columns, err := rec.list(groupColumns, kindStruct)
	if err != nil {
		return nil, err
	}
	if len(columns) != leaves {
		return nil, fmt.Errorf("%d column chunks, the schema has %d columns", len(columns), leaves)
	}
	for j, raw := range columns {
		c, err := parseChunk(raw, dataEnd)
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", j, err)
		}
		g.chunks = append(g.chunks, c)
	}
	return g, nil
}

func parseChunk(raw []byte, dataEnd int64) (c rawChunk, err error) {
	if c.rec, _, err = parseRecord(raw); err != nil {
		return c, err
	}
	if path, err := c.rec.value(chunkPath, kindBinary); err != nil || path != nil {
		return c, errors.New("its data are in another file; give that file instead")
	}
	meta, err := c.rec.value(chunkMeta, kindStruct)
	if err != nil || meta == nil {
		return c, errors.New("the footer does not describe it; is the column encrypted?")
	}
	if c.meta, _, err = parseRecord(meta); err != nil {
		return c, err
	}
	data, ok, err := c.meta.integer(metaDataPage)
	if err != nil || !ok {
		return c, errThrift
	}
	if c.size, ok, err = c.meta.integer(metaCompressed); err != nil || !ok {
		return c, errThrift
	}
	if c.plain, _, err = c.meta.integer(metaUncompressed); err != nil {
		return c, err
	}
	c.start = data
	// Old writers say 0 for no dictionary page.
	if dict, ok, err := c.meta.integer(metaDictPage); err != nil {
		return c, err
	} else if ok && dict > 0 && dict < data {
		c.start = dict
	}
	if c.size == 0 {
		return c, nil // no rows: some writers leave offsets of 0
	}
	if c.start < int64(len(magic)) || c.size < 0 || c.start > dataEnd-c.size {
		return c, fmt.Errorf("damaged: %d bytes at offset %d, the data end at %d", c.size, c.start, dataEnd)
	}
	return c, nil
}
