package catalog

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fitsFile returns a file with a table of the given cards and data.
func fitsFile(cards []string, data []byte) []byte {
	return append(fitsHeader("SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    0"),
		append(fitsHeader(cards...), padTo(data, 0)...)...)
}

func fitsHeader(cards ...string) []byte {
	var b []byte
	for _, c := range append(cards, "END") {
		b = append(b, fmt.Sprintf("%-80s", c)...)
	}
	return padTo(b, ' ')
}

func padTo(b []byte, with byte) []byte {
	for len(b)%2880 != 0 {
		b = append(b, with)
	}
	return b
}

// fitsTable are the cards of a table.
func fitsTable(rowBytes, rows, heap int, columns ...string) []string {
	cards := []string{
		"XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2",
		fmt.Sprintf("NAXIS1  = %d", rowBytes), fmt.Sprintf("NAXIS2  = %d", rows), fmt.Sprintf("PCOUNT  = %d", heap), "GCOUNT  = 1",
	}
	n := 0
	for _, c := range columns {
		if strings.HasPrefix(c, "TFORM") {
			n++
		}
		cards = append(cards, c)
	}
	return append(cards, fmt.Sprintf("TFIELDS = %d", n))
}

func writeFile(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// everyKind is a table of two rows with a column of each kind.
func everyKind() []byte {
	row := func(v int64, text string, ok byte, f float64) []byte {
		b := []byte{byte(v), byte(v)}
		b = binary.BigEndian.AppendUint16(b, uint16(v))
		b = binary.BigEndian.AppendUint16(b, uint16(v))
		b = binary.BigEndian.AppendUint32(b, uint32(v))
		b = binary.BigEndian.AppendUint64(b, uint64(v))
		b = append(append(b, text...), ok)
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(f)))
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(f))
		b = binary.BigEndian.AppendUint16(b, uint16(v))
		b = binary.BigEndian.AppendUint16(b, 7)
		b = binary.BigEndian.AppendUint16(b, 8)
		b = append(b, 0xa0)
		b = binary.BigEndian.AppendUint32(b, 2)
		return binary.BigEndian.AppendUint32(b, 4)
	}
	data := slices.Concat(row(-1, "ab  ", 'T', 0.5), row(5, "\x00xyz", 0, math.NaN()))
	heap := []byte{0, 0, 0, 0, 0, 1, 0xff, 0xff}
	binary.BigEndian.PutUint32(data[len(data)-4:], 0) // the second array
	heap[1], heap[2], heap[3] = 2, 0, 3
	return fitsFile(fitsTable(len(data)/2, 2, len(heap),
		"TTYPE1  = 'u8'", "TFORM1  = 'B'", "TTYPE2  = 'i8'", "TFORM2  = 'B'", "TZERO2  = -128",
		"TTYPE3  = 'i16'", "TFORM3  = '1I'", "TNULL3  = 5", "TTYPE4  = 'u16'", "TFORM4  = 'I'", "TZERO4  = 32768",
		"TTYPE5  = 'u32'", "TFORM5  = 'J'", "TZERO5  = 2147483648.0", "TTYPE6  = 'u64'", "TFORM6  = 'K'", "TZERO6  = 9223372036854775808",
		"TTYPE7  = 's'", "TFORM7  = '4A'", "TCOMM7  = 'it''s text'", "TTYPE8  = 'b'", "TFORM8  = 'L'",
		"TTYPE9  = 'f'", "TFORM9  = 'E'", "TUNIT9  = 'mag'", "TUCD9   = 'phot.mag'", "TTYPE10 = 'd'", "TFORM10 = 'D'",
		"TTYPE11 = 'scaled'", "TFORM11 = 'I'", "TSCAL11 = 1.0D-1", "TZERO11 = 10", "TTYPE12 = 'pair'", "TFORM12 = '2I'",
		"TTYPE13 = 'bits'", "TFORM13 = '3X'", "TTYPE14 = 'var'", "TFORM14 = '1PI(2)'",
		"AUTHOR  = 'A. N. Other'        / of it"), append(data, heap...))
}

func TestFITSKinds(t *testing.T) {
	c := open(t, writeFile(t, "t.fits", everyKind()))
	for _, want := range []struct{ name, typ, first, second string }{
		{"u8", "uint8", "255", "5"},
		{"i8", "int8", "127", "-123"},
		{"i16", "int16", "-1", ""},
		{"u16", "uint16", "32767", "32773"},
		{"u32", "uint32", "2147483647", "2147483653"},
		{"u64", "uint64", "9223372036854775807", "9223372036854775813"},
		{"s", "string", "ab", ""},
		{"b", "bool", "true", ""},
		{"f", "float32", "0.5", ""},
		{"d", "float64", "0.5", ""},
		{"scaled", "float64", "9.9", "10.5"},
		{"pair[1]", "int16", "8", "8"},
		{"pair[2]", "int16", "", ""},
		{"bits[0]", "bool", "true", "true"},
		{"bits[1]", "bool", "false", "false"},
		{"var[0]", "int16", "1", "2"},
		{"var[1]", "int16", "-1", "3"},
	} {
		col := read(t, c, want.name)[0]
		if got := col.Field.Type.String(); got != want.typ {
			t.Errorf("%s is %s, want %s", want.name, got, want.typ)
		}
		if a, b := col.text(0), col.text(1); a != want.first || b != want.second {
			t.Errorf("%s: %q and %q, want %q and %q", want.name, a, b, want.first, want.second)
		}
	}
	f, _ := c.Field("f")
	if f.Unit != "mag" || f.UCD != "phot.mag" {
		t.Errorf("f has the notes %+v", f)
	}
	if s, _ := c.Field("s"); s.Description != "it's text" {
		t.Errorf("s has the description %q", s.Description)
	}
	if want := []KeyValue{{"AUTHOR", "A. N. Other"}}; !slices.Equal(c.Metadata(), want) {
		t.Errorf("metadata %v, want %v", c.Metadata(), want)
	}
	cols, err := c.ReadAll(context.Background(), []string{"var", "u8", "bits"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l := cols[0].List; !slices.Equal(l.Offset, []int64{0, 2, 4}) || !slices.Equal(l.Elem.Int64, []int64{1, -1, 2, 3}) {
		t.Errorf("lists %+v", l)
	}
	if l := cols[2].List; !slices.Equal(l.Elem.Bool, []bool{true, false, true, true, false, true}) {
		t.Errorf("bits %+v", l)
	}
}

// TestFITSCompressed reads the same table from a .gz file.
func TestFITSCompressed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.fits.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	z.Write(everyKind())
	z.Close()
	f.Close()
	c := open(t, path)
	if col := read(t, c, "u64")[0]; col.text(1) != "9223372036854775813" {
		t.Errorf("u64: %q", col.text(1))
	}
	if col := read(t, c, "var[0]")[0]; col.text(1) != "2" {
		t.Errorf("var[0]: %q", col.text(1))
	}
}

// TestFITSHostile opens files that lie or are damaged.
func TestFITSHostile(t *testing.T) {
	good := everyKind()
	for _, c := range []struct {
		what, want string
		data       []byte
	}{
		{"10^18 rows", "has 0 left", fitsFile(fitsTable(1, 1e18, 0, "TFORM1  = 'B'"), nil)},
		{"an overflow", "more data than any file holds", fitsFile(fitsTable(1e10, 1e18, 0, "TFORM1  = 'B'"), nil)},
		{"truncated", "truncated", good[:len(good)-2880]},
		{"half a header", "truncated", good[:4000]},
		{"no table", "no table (BINTABLE", fitsHeader("SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0")},
		{"a row too short", "NAXIS1", fitsFile(fitsTable(1, 0, 0, "TFORM1  = 'D'"), nil)},
		{"negative rows", "cannot be negative", fitsFile(fitsTable(8, -1, 0, "TFORM1  = 'D'"), nil)},
		{"an unknown form", "unknown type Z", fitsFile(fitsTable(8, 0, 0, "TFORM1  = 'Z'"), nil)},
		{"many columns", "at most 999", fitsFile([]string{"XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 0", "NAXIS2  = 0", "TFIELDS = 1000000000"}, nil)},
		{"a heap outside", "THEAP", fitsFile(fitsTable(8, 0, 0, "TFORM1  = 'D'", "THEAP   = 99"), nil)},
		{"garbage", "SIMPLE", append([]byte("SIMPLE  =                    F"), make([]byte, 5000)...)},
	} {
		cat, err := Open(context.Background(), []string{writeFile(t, "t.fits", c.data)}, Options{})
		if err == nil {
			cat.Close()
			t.Errorf("%s is opened", c.what)
			continue
		}
		if c.what == "garbage" { // bytes that no header has
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want …%s…", c.what, err, c.want)
		}
	}
	// A descriptor that points outside the heap.
	bad := slices.Clone(good)
	at := len(bad) - 2880 + 2*50 - 8
	binary.BigEndian.PutUint32(bad[at:], 1<<30)
	if _, err := open(t, writeFile(t, "t.fits", bad)).Read(context.Background(), []string{"var[0]"}, nil); err == nil || !strings.Contains(err.Error(), "heap") {
		t.Errorf("a descriptor outside the heap: %v", err)
	}
}

func TestFITSReal(t *testing.T) {
	c := open(t, dataFile(t, "4lac_dr3_h.fits"))
	if c.Rows() != 3407 || len(c.Fields()) != 41 {
		t.Fatalf("%d rows × %d columns, want 3407 × 41", c.Rows(), len(c.Fields()))
	}
	cols := read(t, c, "Source_Name", "RAJ2000", "DEJ2000")
	if got := cols[0].String[0]; !strings.HasPrefix(got, "4FGL J") || strings.HasSuffix(got, " ") {
		t.Errorf("the first source is %q", got)
	}
	if ra, dec, err := c.Detect(); err != nil || ra != "RAJ2000" || dec != "DEJ2000" {
		t.Errorf("position %s, %s: %v", ra, dec, err)
	}
	c = open(t, dataFile(t, "pyia_gdr2_sm.fits"))
	if c.Rows() != 1000 || len(c.Fields()) != 96 {
		t.Fatalf("%d rows × %d columns, want 1000 × 96", c.Rows(), len(c.Fields()))
	}
	if _, err := c.Read(context.Background(), []string{"nothing"}, nil); !errors.Is(err, ErrRequest) {
		t.Errorf("a missing column: %v", err)
	}
}

func FuzzFITS(f *testing.F) {
	f.Add(everyKind())
	f.Add(starsAsText())
	f.Add(packedFile(f, "packed.fits.fz"))
	f.Add(packedFile(f, "columns.fits"))
	f.Add(fitsFile(fitsTable(1, 1e18, 0, "TFORM1  = 'B'"), nil))
	f.Add(fitsHeader("SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Open(context.Background(), []string{writeFile(t, "t.fits", data)}, Options{})
		if err != nil {
			return
		}
		for _, field := range c.Fields() {
			c.ReadAll(context.Background(), []string{field.Name}, nil)
			c.Read(context.Background(), []string{field.Name + "[1]"}, nil)
		}
	})
}

// TestFITSExtensions chooses among the tables of a file.
func TestFITSExtensions(t *testing.T) {
	one := func(name, column string, v byte) []byte {
		return padTo(append(fitsHeader(append(fitsTable(1, 1, 0, "TTYPE1  = '"+column+"'", "TFORM1  = 'B'"), "EXTNAME = '"+name+"'")...), v), 0)
	}
	image := fitsHeader("XTENSION= 'IMAGE   '", "BITPIX  = 8", "NAXIS   = 0", "PCOUNT  = 0", "GCOUNT  = 1", "EXTNAME = 'SKY'")
	path := writeFile(t, "t.fits", slices.Concat(fitsHeader("SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"), image, one("EVENTS", "a", 1), one("GTI", "b", 2)))
	for want, column := range map[string]string{"": "a", "2": "a", "events": "a", "3": "b", "GTI": "b"} {
		c, err := Open(t.Context(), []string{path}, Options{Extension: want})
		if err != nil || c.Fields()[0].Name != column {
			t.Fatalf("%q: %v, want column %s", want, err, column)
		}
		if want == "" {
			continue
		}
		if c = open(t, path+"["+want+"]"); c.Fields()[0].Name != column || c.Files()[0].Path != path {
			t.Errorf("%s[%s]: %s of %s", path, want, c.Fields()[0].Name, c.Files()[0].Path)
		}
	}
	text := writeText(t, "t.csv", "a\n1\n")
	for bad, part := range map[string]string{
		path + "[4]": "no extension 4; it has 3; tables are 2, EVENTS; 3, GTI", path + "[1]": `extension 1, SKY, is no table but "IMAGE"`,
		path + "[x]": "no extension x", text + "[1]": "only files of FITS, VOTable",
	} {
		if _, err := Open(t.Context(), []string{bad}, Options{}); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want …%s…", bad, err, part)
		}
	}
	if _, err := Open(t.Context(), []string{text}, Options{Extension: "1"}); !errors.Is(err, ErrRequest) {
		t.Errorf("an extension of CSV: %v", err)
	}
	odd := writeText(t, "u[1].csv", "a\n1\n") // a name that looks like one is a name
	if c := open(t, odd); c.Files()[0].Path != odd {
		t.Errorf("%s was opened as %s", odd, c.Files()[0].Path)
	}
}

// Complex numbers are pairs of their parts, and an image in compressed tiles, which
// is stored as a table, is no table of a catalog.
func TestFITSComplexBehindACompressedImage(t *testing.T) {
	image := append(fitsHeader(fitsTable(2, 1, 0, "TTYPE1  = 'COMPRESSED_DATA'", "TFORM1  = '2B'", "ZIMAGE  =                    T")...), padTo([]byte{1, 2}, 0)...)
	data := binary.BigEndian.AppendUint32(nil, math.Float32bits(1.5))
	data = binary.BigEndian.AppendUint32(data, math.Float32bits(-2))
	for _, v := range []float64{3, 4, 5, 6} {
		data = binary.BigEndian.AppendUint64(data, math.Float64bits(v))
	}
	table := fitsFile(fitsTable(len(data), 1, 0, "TTYPE1  = 'vis'", "TFORM1  = 'C'", "TTYPE2  = 'two'", "TFORM2  = '2M'"), data)
	primary := len(table) - len(padTo(data, 0)) - 2880
	path := writeFile(t, "t.fits", slices.Concat(table[:primary], image, table[primary:]))
	c := open(t, path)
	for _, want := range []struct{ name, typ, text string }{{"vis[0]", "float32", "1.5"}, {"vis[1]", "float32", "-2"}, {"two[0]", "float64", "3"}, {"two[3]", "float64", "6"}} {
		col := read(t, c, want.name)[0]
		if got := col.Field.Type.String(); got != want.typ || col.text(0) != want.text {
			t.Errorf("%s is %s %s, want %s %s", want.name, got, col.text(0), want.typ, want.text)
		}
	}
	_, err := Open(context.Background(), []string{path}, Options{Extension: "1"})
	if err == nil || !strings.Contains(err.Error(), `extension 1 is no table but "a compressed image"`) {
		t.Errorf("--hdu 1: %v", err)
	}
}

// A TZERO that is no more than an integer added to 64-bit ones is exact, beyond 2^53, too.
func TestFITSShiftedIntegers(t *testing.T) {
	var data []byte
	for _, v := range []int64{1<<53 + 1, -1<<63 + 5, -9} {
		data = binary.BigEndian.AppendUint64(data, uint64(v))
	}
	for zero, want := range map[string]string{
		"1000000":             "n int64?: 9007199255740993 -9223372036853775803 ·\n",
		"1.0E6":               "n int64?: 9007199255740993 -9223372036853775803 ·\n",
		"0.5":                 "n float64?: 9.007199254740992e+15 -9.223372036854776e+18 ·\n",
		"9223372036854775808": "n uint64?: 9232379236109516801 5 ·\n",
		"-1000000":            "n int64?: 9007199253740993 · ·\n", // the second leaves the 64 bits
	} {
		c := open(t, writeFile(t, "t.fits", fitsFile(fitsTable(8, 3, 0, "TTYPE1  = 'n'", "TFORM1  = 'K'", "TZERO1  = "+zero, "TNULL1  = -9"), data)))
		if d := cmp.Diff(want, table(t, c)); d != "" {
			t.Errorf("TZERO = %s: %s", zero, d)
		}
	}
}
