package catalog

import (
	"bytes"
	"compress/gzip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of testdata/fits, astropy wrote packed.fits, with a column of every kind; fpack made
// packed.fits.fz of it, in tiles of 8 rows, with each of its algorithms; STILTS made
// columns.fits (colfits-plus) and columns-no-rows.fits (colfits-basic) of some of its
// columns.
func packedFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/fits/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFITSPacked reads every value of a compressed table (ZTABLE) as in the table
// before it was compressed.
func TestFITSPacked(t *testing.T) {
	c := open(t, "testdata/fits/packed.fits.fz")
	plain := open(t, "testdata/fits/packed.fits")
	if d := cmp.Diff(table(t, plain), table(t, c)); d != "" {
		t.Error(d)
	}
	if c.Rows() != 21 || c.Fields()[7].Text != "3J" || c.Fields()[1].Unit != "deg" {
		t.Errorf("%d rows, %+v", c.Rows(), c.Fields()[7])
	}
	if notes := c.Files()[0].Notes; !slices.Equal(notes, []string{"a compressed table (ZTABLE)"}) {
		t.Errorf("notes %v", notes)
	}
	for _, kv := range c.Metadata() {
		if strings.HasPrefix(kv.Key, "Z") {
			t.Errorf("metadata have %v", kv)
		}
	}
}

// Variable-length arrays of complex numbers, one of each element read by itself.
func TestFITSComplexArrays(t *testing.T) {
	for _, name := range []string{"packed.fits", "packed.fits.fz"} {
		c := open(t, "testdata/fits/"+name)
		cols, err := c.ReadAll(t.Context(), []string{"vc", "vm"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// Row 8 is [8i, 1+8i, 2+8i] and [-i, 1-i].
		l, m := cols[0].List, cols[1].List
		if got := l.Elem.Float32[l.Offset[8]:l.Offset[9]]; !slices.Equal(got, []float32{0, 8, 1, 8, 2, 8}) {
			t.Errorf("%s: vc is %v", name, got)
		}
		if got := m.Elem.Float64[m.Offset[8]:m.Offset[9]]; !slices.Equal(got, []float64{0, -1, 1, -1}) {
			t.Errorf("%s: vm is %v", name, got)
		}
		imaginary := read(t, c, "vc[5]")[0]
		if a, b := imaginary.text(8), imaginary.text(7); a != "8" || b != "" {
			t.Errorf("%s: vc[5] is %q and %q", name, a, b)
		}
	}
}

// Variable-length arrays of bits; a row with none and one with nine.
func TestFITSBitArrays(t *testing.T) {
	data := []byte{0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xa0, 0x80}
	c := open(t, writeFile(t, "t.fits", fitsFile(fitsTable(8, 2, 3, "TTYPE1  = 'b'", "TFORM1  = '1PX(9)'"), data)))
	if got := table(t, c); got != "b list: [true;false;true;false;false;false;false;false;true;] []\n" {
		t.Error(got)
	}
}

// TestFITSByColumn reads the rows of colfits, numbers, texts and arrays.
func TestFITSByColumn(t *testing.T) {
	c, plain := open(t, "testdata/fits/columns.fits"), open(t, "testdata/fits/packed.fits")
	names := []string{"id", "ra", "dec", "mag", "s", "name", "flag", "b", "jv[0]", "jv[2]"}
	got, want := read(t, c, names...), read(t, plain, names...)
	for i, name := range names {
		for row := range 21 {
			if a, b := got[i].text(row), want[i].text(row); a != b {
				t.Errorf("%s of row %d is %q, want %q", name, row, a, b)
			}
		}
	}
	if f, _ := c.Field("jv"); f.Text != "3J" || c.Rows() != 21 {
		t.Errorf("%d rows, jv is %s", c.Rows(), f.Text)
	}
	if notes := c.Files()[0].Notes; !slices.Equal(notes, []string{"one row of arrays, each a column (colfits)"}) {
		t.Errorf("notes %v", notes)
	}
	if none := open(t, "testdata/fits/columns-no-rows.fits"); none.Rows() != 0 || len(none.Fields()) != 4 {
		t.Errorf("no rows: %d of %d columns", none.Rows(), len(none.Fields()))
	}
}

// A row of arrays that does not say that they are columns stays a row, as a spectrum is.
func TestFITSRowOfArrays(t *testing.T) {
	for name, dim := range map[string][]string{
		"no TDIM": nil, "one TDIM": {"TDIM1   = '(2)'"}, "other rows": {"TDIM1   = '(1,2)'", "TDIM2   = '(2,1)'"},
		"more than there is": {"TDIM1   = '(1,2)'", "TDIM2   = '(2,2)'"}, "no list": {"TDIM1   = '(1,2)'", "TDIM2   = '(1;2)'"},
	} {
		cards := append([]string{"TTYPE1  = 'a'", "TFORM1  = '2B'", "TTYPE2  = 'b'", "TFORM2  = '2B'"}, dim...)
		if got := table(t, open(t, writeFile(t, "t.fits", fitsFile(fitsTable(4, 1, 0, cards...), []byte{1, 2, 3, 4})))); got != "a list: [1;2;]\nb list: [3;4;]\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestFITSScatteredCompressed reads from .gz files what is not read in the order of
// the file.
func TestFITSScatteredCompressed(t *testing.T) {
	for _, name := range []string{"packed.fits", "packed.fits.fz", "columns.fits"} {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write(packedFile(t, name))
		w.Close()
		if d := cmp.Diff(table(t, open(t, "testdata/fits/"+name)), table(t, open(t, writeFile(t, "t.gz", z.Bytes())))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestFITSPackedDamaged changes the header and the bytes of a compressed table.
func TestFITSPackedDamaged(t *testing.T) {
	good := packedFile(t, "packed.fits.fz")
	for _, c := range []struct{ want, old, new string }{
		{"claims 99 rows in tiles of 8, and 3 tiles", "ZNAXIS2 =                   21", "ZNAXIS2 =                   99"},
		{"more data than any file holds", "ZTILELEN=                    8", "ZTILELEN=       99999999999999"},
		{"the columns take", "ZNAXIS1 =                  ", "ZNAXIS1 =                 9"},
		{"is compressed with ZCTYP = \"PLIO_1\", which is not read", "ZCTYP2  = 'GZIP_2", "ZCTYP2  = 'PLIO_1"},
		{"column 2 (\"D\") has ZCTYP = RICE_1, which is for integers", "ZCTYP2  = 'GZIP_2  '", "ZCTYP2  = 'RICE_1  '"},
		{"column 2 has TFORM = \"1QJ", "TFORM2  = '1QB", "TFORM2  = '1QJ"},
		{"column id: its compressed bytes are damaged", "\x1f\x8b", "\x1f\x8c"},
	} {
		data := bytes.Replace(good, []byte(c.old), []byte(c.new), 1)
		if c.want == "more data than any file holds" {
			data = bytes.Replace(data, []byte("ZNAXIS2 =                   21"), []byte("ZNAXIS2 =       99999999999999"), 1)
			data = bytes.Replace(data, []byte("NAXIS2  =                    3"), []byte("NAXIS2  =                    1"), 1)
		}
		if bytes.Equal(data, good) {
			t.Fatalf("nothing has %q", c.old)
		}
		cat, err := Open(t.Context(), []string{writeFile(t, "t.fits", data)}, Options{})
		if err == nil {
			_, err = cat.Read(t.Context(), []string{"id"}, nil)
			cat.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want …%s…", err, c.want)
		}
	}
}
