package catalog

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// packed compresses a beginning and so many repetitions of a text.
func packed(t *testing.T, begin, text string, times int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	z.Write([]byte(begin))
	block := []byte(strings.Repeat(text, 1<<20/len(text)+1))
	for n := times * len(text); n > 0; n -= len(block) {
		z.Write(block[:min(n, len(block))])
	}
	z.Close()
	return b.Bytes()
}

// A small file that expands to rows, headers, elements or columns without end is
// refused after a bounded part of it.
func TestBombs(t *testing.T) {
	const vot = `<?xml version="1.0"?><VOTABLE version="1.4"><RESOURCE><TABLE>`
	fits := func(cards ...string) string {
		var b strings.Builder
		for _, c := range append(cards, "END") {
			fmt.Fprintf(&b, "%-80s", c)
		}
		return b.String() + strings.Repeat(" ", (2880-b.Len()%2880)%2880)
	}
	table := func(row, rows, columns string) string {
		return fits("SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0") + fits("XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = "+row, "NAXIS2  = "+rows, "PCOUNT  = 0", "GCOUNT  = 1", "TFIELDS = "+columns, "TFORM1  = '"+row+"A'")
	}
	for _, c := range []struct {
		what, name, want string
		begin, text      string
		times            int
	}{
		{"a row", "t.csv.gz", "longer than 32 MiB", "x,y\n1,", "1", 64 << 20},
		{"a header", "t.csv.gz", "longer than 32 MiB", "", "x", 64 << 20},
		{"a comment", "t.ecsv.gz", "longer than 32 MiB", "# %ECSV 1.0\n# ---\n", "# - {name: a, datatype: int8}\n", 2 << 20},
		{"columns", "t.csv.gz", "more than 32768 columns", "x", ",x", 40000},
		{"attributes", "t.arff", "more than 32768 columns", "@relation r\n", "%\n", 1},
		{"fields", "t.vot.gz", "more than 32768 columns", vot, `<FIELD name="a" datatype="int"/>`, 40000},
		{"elements", "t.vot.gz", "more than 1000 deep", vot, "<RESOURCE>", 100000},
		{"an element", "t.vot.gz", "longer than 16 MiB", vot + `<FIELD name="`, "a", 40 << 20},
		{"an element of attributes", "t.vot.gz", "more than 100000 attributes", vot + `<FIELD `, `a="" `, 8 << 20},
		{"a cell", "t.vot.gz", "longer than 16 MiB", vot + `<FIELD name="a" datatype="char" arraysize="*"/><DATA><TABLEDATA><TR><TD>`, "a", 40 << 20},
		{"a cell of base64", "t.vot.gz", "at most 33554432 are read", vot + `<FIELD name="a" datatype="double" arraysize="*"/><DATA><BINARY><STREAM encoding="base64">f///`, "A", 64 << 20},
		{"a row of FITS", "t.fits.gz", "at most 67108864 are read", table("2000000000", "1", "1"), "a", 64 << 20},
		{"fields of FITS", "t.fits", "at most 999", table("8", "1", "999999999"), "a", 2880},
		{"rows of FITS", "t.fits.gz", "claims", table("8", "1000000000000", "1"), "a", 8 << 20},
	} {
		text := packed(t, c.begin, c.text, c.times)
		if !strings.HasSuffix(c.name, ".gz") {
			text = []byte(c.begin + strings.Repeat(c.text, c.times))
		}
		if c.what == "attributes" {
			for i := range 40000 {
				text = fmt.Appendf(text, "@attribute a%d real\n", i)
			}
		}
		path := writeFile(t, c.name, text)
		done := watchHeap()
		cat, err := Open(t.Context(), []string{path}, Options{Threads: 1})
		if err == nil {
			_, err = cat.Summary(t.Context())
		}
		if most := done(); most > 256<<20 {
			t.Errorf("%s: the heap grew to %d MiB", c.what, most>>20)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %d bytes: %v, want %q", c.what, len(text), err, c.want)
		}
		runtime.GC()
	}
}
