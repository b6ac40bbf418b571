package fits

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"skyjoin/internal/format"
)

// tiles is how a compressed table is stored (ZTABLE = T, FITS Standard 4.0, section
// 10.3), as fpack writes it. Its rows are cut into tiles, of which each column is
// compressed by itself, to an array in the heap of a table with a row for each tile.
// Keywords with a Z have the header of the table itself.
type tiles struct {
	rows   int64    // of each tile but the last
	packed []Column // the descriptors of the compressed bytes
	across int64    // bytes of a row of them
	how    []string // each column is compressed
}

// The largest ratio of compressed data is that of gzip; only a header that lies
// claims more.
const mostRatio = 1100

// maxTileBytes bounds a column of a tile, which is decompressed whole.
const maxTileBytes = 1 << 30

// untile makes the table, which is the compressed one, that which it holds.
func (t *Table) untile(h header) error {
	in := &tiles{packed: t.Columns, across: t.RowBytes}
	packedRows := t.Rows
	var heap int64
	for key, to := range map[string]*int64{"ZNAXIS1": &t.RowBytes, "ZNAXIS2": &t.Rows, "ZTILELEN": &in.rows, "ZPCOUNT": &heap} {
		var err error
		if *to, err = h.count(key); err != nil {
			return err
		}
	}
	in.rows = max(1, min(in.rows, t.Rows))
	if n := (t.Rows + in.rows - 1) / in.rows; n != packedRows {
		return fmt.Errorf("the header claims %d rows in tiles of %d, and %d tiles", t.Rows, in.rows, packedRows)
	}
	most := mostRatio * (t.End - t.Data)
	if bytes, err := times(t.Rows, t.RowBytes); err != nil || bytes > most || heap > most {
		return errTooMuch
	}
	t.room = heap
	var err error
	if t.Columns, err = columns(h, "ZFORM", false, t.RowBytes); err != nil {
		return err
	}
	for i := range t.Columns {
		how, number := h.text("ZCTYP"+strconv.Itoa(i+1)), i+1
		if how == "" {
			how = "GZIP_2"
		}
		if p := &in.packed[i]; !p.Variable || p.Kind != Byte {
			return fmt.Errorf("column %d has TFORM = %.40q, compressed bytes are 1QB or 1PB", number, p.Form)
		}
		if !slices.Contains([]string{"GZIP_1", "GZIP_2", "RICE_1", "NOCOMPRESS"}, how) {
			return fmt.Errorf("column %d is compressed with ZCTYP = %.40q, which is not read: uncompress the table with funpack", number, how)
		}
		if how == "RICE_1" && riceCode[t.Columns[i].valueWidth()].bits == 0 {
			return fmt.Errorf("column %d (%.40q) has ZCTYP = RICE_1, which is for integers of 8 to 32 bits", number, t.Columns[i].Form)
		}
		in.how = append(in.how, how)
	}
	t.tiles = in
	return nil
}

// valueWidth is the bytes of a number or, in arrays of variable length, of a complex
// one: what GZIP_2 and RICE_1 take as one value.
func (c *Column) valueWidth() int {
	switch {
	case c.Complex && c.Variable:
		return 2 * int(kinds[c.Kind])
	case c.Complex || c.Kind == Bit:
		return 1
	}
	return int(kinds[c.Kind])
}

// tile returns column i of the tile of n rows from row first on: the values of all
// rows, or their descriptors and then those of the compressed arrays.
func (t *Table) tile(file io.ReaderAt, i int, first, n int64) ([]byte, error) {
	c, in := &t.Columns[i], t.tiles
	size, how, width := n*c.rowBytes(), in.how[i], c.valueWidth()
	if c.Variable {
		size, how = size+n*packedBytes, "GZIP_1"
	}
	if size == 0 {
		return nil, nil
	}
	var at [packedBytes]byte
	p := &in.packed[i]
	if err := readAt(file, at[:p.DescriptorBytes], t.Data+first/in.rows*in.across+p.Offset); err != nil {
		return nil, err
	}
	count, from, err := t.Descriptor(p, at[:])
	if err != nil {
		return nil, err
	}
	if size > maxTileBytes {
		return nil, fmt.Errorf("its tiles have %d bytes, at most %d are read: uncompress the table with funpack", size, int64(maxTileBytes))
	}
	return t.unpack(file, from, count, nil, size, how, width)
}

// packedBytes is the length of a descriptor of a compressed array.
const packedBytes = 16

// packedArray reads a compressed array of variable length, as [cells.array] does. b
// is its descriptor, packed that of the compressed bytes.
func (c *cells) packedArray(b, packed, buf []byte) ([]byte, int64, error) {
	n, _ := c.col.arrayOf(b)
	bytes, from := int64(binary.BigEndian.Uint64(packed)), int64(binary.BigEndian.Uint64(packed[8:]))
	if room := c.table.End - c.table.Heap; n < 0 || n > 8*c.table.room || bytes < 0 || from < 0 || from > room || bytes > room-from {
		return nil, 0, errors.New("an array outside the heap: the file is damaged")
	}
	if c.col.Complex {
		n *= 2
	}
	size, how := c.col.ValueBytes(n), c.table.tiles.how[c.field]
	if size == bytes { // it would not become shorter
		how = "NOCOMPRESS"
	}
	if size > format.MostRow {
		return nil, 0, fmt.Errorf("an array of %d bytes, at most %d are read", size, int64(format.MostRow))
	}
	buf, err := c.table.unpack(c.file, c.table.Heap+from, bytes, buf, size, how, c.col.valueWidth())
	if c.col.Kind == Character {
		n = 1
	}
	return buf, n, err
}

// unpack decompresses count bytes of the file to size bytes, into buf if it is large
// enough. Width is that of a value.
func (t *Table) unpack(file io.ReaderAt, at, count int64, buf []byte, size int64, how string, width int) ([]byte, error) {
	if size/mostRatio > count {
		return nil, fmt.Errorf("%d bytes are claimed to be in %d compressed ones: the file is damaged", size, count)
	}
	src := make([]byte, count)
	if err := readAt(file, src, at); err != nil {
		return nil, err
	}
	switch how {
	case "NOCOMPRESS":
		if count != size {
			return nil, fmt.Errorf("%d bytes that are not compressed should be %d: the file is damaged", count, size)
		}
		return src, nil
	case "RICE_1":
		dst := resize(buf, size)
		return dst, unrice(dst, src, width)
	}
	dst := resize(buf, size)
	if err := gunzip(dst, src); err != nil {
		return nil, fmt.Errorf("its compressed bytes are damaged: %w", err)
	}
	if how == "GZIP_2" && slices.Contains([]int{2, 4, 8}, width) {
		dst = unshuffled(dst, width)
	}
	return dst, nil
}

// gunzip fills dst.
func gunzip(dst, src []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(src))
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(z, dst); err != nil {
		return err
	}
	if n, err := z.Read(make([]byte, 1)); n > 0 {
		return fmt.Errorf("they are more than %d", len(dst))
	} else if err != io.EOF { // the checksum
		return err
	}
	return nil
}

// unshuffled returns values whose first bytes come first, then the second, and so on.
func unshuffled(b []byte, width int) []byte {
	out, n := make([]byte, len(b)), len(b)/width
	for k := range width {
		for i, v := range b[k*n : (k+1)*n] {
			out[i*width+k] = v
		}
	}
	return out
}
