package fits

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// header returns cards in blocks.
func headerOf(cards ...string) []byte {
	var b bytes.Buffer
	for _, c := range append(cards, "END") {
		fmt.Fprintf(&b, "%-80s", c)
	}
	for b.Len()%BlockBytes != 0 {
		b.WriteByte(' ')
	}
	return b.Bytes()
}

// FuzzRead reads damaged files and every value of the tables that are left: an
// error or values, no panic, and no memory that the file cannot fill.
func FuzzRead(f *testing.F) {
	table := headerOf("XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 29", "NAXIS2  = 2", "PCOUNT  = 8", "GCOUNT  = 1", "TFIELDS = 6",
		"TFORM1  = 'B'", "TFORM2  = '2I'", "TNULL2  = 5", "TFORM3  = 'E'", "TSCAL3  = 2.5", "TFORM4  = '4A'", "TFORM5  = '1PI(2)'", "TFORM6  = 'D'", "EXTNAME = 'T'")
	rows := make([]byte, 2*29+8)
	rows[20], rows[24] = 2, 2
	f.Add(append(append(headerOf("SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"), table...), rows...), "")
	f.Add(headerOf("SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"), "2")
	f.Add(slices.Concat(headerOf("SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"), headerOf("XTENSION= 'TABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 9", "NAXIS2  = 1",
		"PCOUNT  = 0", "GCOUNT  = 1", "TFIELDS = 2", "TFORM1  = 'E6.2'", "TBCOL1  = 1", "TFORM2  = 'A3'", "TBCOL2  = 7"), []byte("1.5D+1abc")), "")
	f.Fuzz(func(t *testing.T, data []byte, want string) {
		table, err := Read(bytes.NewReader(data), int64(len(data)), want)
		if err != nil {
			return
		}
		if table.isScattered() {
			return // read whole by FuzzFITS of io/catalog
		}
		if table.End > int64(len(data)) || table.Data+table.Rows*table.RowBytes > table.Heap {
			t.Fatalf("%d rows of %d bytes at %d, heap at %d, end at %d of %d", table.Rows, table.RowBytes, table.Data, table.Heap, table.End, len(data))
		}
		for row := range min(table.Rows, 100) {
			b := data[table.Data+row*table.RowBytes:][:table.RowBytes]
			for i := range table.Columns {
				c := &table.Columns[i]
				value(t, table, c, b[c.Offset:], data)
			}
		}
		Metadata(table.Cards)
	})
}

// value decodes the first values of a cell.
func value(t *testing.T, table *Table, c *Column, b, data []byte) {
	if c.Text {
		c.realText(b[:c.Width])
		return
	}
	n := c.Count
	if c.Variable {
		count, at, err := table.Descriptor(c, b)
		if err != nil {
			return
		}
		size := c.ValueBytes(count)
		if at < table.Heap || size < 0 || at+size > table.End {
			t.Fatalf("an array of %d bytes at %d, the heap is [%d, %d)", size, at, table.Heap, table.End)
		}
		b, n = data[at:at+size], count
	}
	for i := range int(min(n, 10)) {
		switch c.Kind {
		case Character:
			if !c.Variable {
				textOf(b[i*int(c.Width) : (i+1)*int(c.Width)])
			}
		case Logical, Bit:
			c.Bool(b, i)
		case Float32:
			c.Float32(b, i)
		case Float64, Byte, Int16, Int32, Int64:
			if c.IsInteger() {
				c.Int(b, i)
			} else {
				c.Float(b, i)
			}
		}
	}
}
