package catalog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/parquet"

	"skyjoin/neighbors"
)

// scanned is the columns of all blocks of a scan, joined, and what its filter
// kept.
func scanned(t *testing.T, c *Catalog, s Scan) (cols []Column, keep []bool) {
	t.Helper()
	row := int64(0)
	for b, err := range c.Scan(t.Context(), s) {
		if err != nil {
			t.Fatal(err)
		}
		if b.First != row || s.Rows > 0 && b.Rows != min(int64(s.Rows), c.Rows()-row) {
			t.Fatalf("a block of %d rows from row %d on, %d asked for, after %d of %d", b.Rows, b.First, s.Rows, row, c.Rows())
		}
		row += b.Rows
		keep = append(keep, b.Keep...)
		for i := range b.Columns {
			if n := b.Columns[i].Len(); int64(n) != b.Rows {
				t.Fatalf("column %s has %d of %d rows", b.Columns[i].Field.Name, n, b.Rows)
			}
			if len(cols) <= i {
				cols = append(cols, b.Columns[i])
				continue
			}
			cols[i].append(&b.Columns[i])
		}
	}
	if row != c.Rows() {
		t.Fatalf("%d of %d rows", row, c.Rows())
	}
	return cols, keep
}

// readable names the columns that can be read.
func readable(c *Catalog) (names []string) {
	for _, f := range c.Fields() {
		if f.Type != Unsupported {
			names = append(names, f.Name)
		}
	}
	return names
}

// checkScan compares a scan with what is read at once.
func checkScan(t *testing.T, c *Catalog, rows int) {
	t.Helper()
	names := readable(c)
	want, err := c.ReadAll(t.Context(), names, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := scanned(t, c, Scan{Columns: names, Rows: rows})
	for i := range got {
		if a, b := dump(&want[i]), dump(&got[i]); a != b {
			t.Errorf("%s: %s in blocks of %d rows: %.200q, want %.200q", c.Files()[0].Path, names[i], rows, b, a)
		}
		for row := range want[i].Len() {
			if want[i].IsNull(row) != got[i].IsNull(row) {
				t.Errorf("%s: %s: row %d is null: %v", c.Files()[0].Path, names[i], row, got[i].IsNull(row))
				break
			}
		}
	}
}

func TestScanIsRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.parquet")
	const rows = 3000
	values, ids := make([]float64, rows), make([]int64, rows)
	var lists []float32
	var def, rep []int16
	r := rand.New(rand.NewPCG(1, 2))
	for i := range values {
		values[i], ids[i] = r.NormFloat64(), int64(i)
		switch k := r.IntN(5); k {
		case 0, 1: // no list, and one of nothing
			def, rep = append(def, int16(k)), append(rep, 0)
		default:
			for j := range k - 1 {
				d := int16(2 + r.IntN(2))
				if def, rep = append(def, d), append(rep, int16(min(j, 1))); d == 3 {
					lists = append(lists, float32(len(lists)))
				}
			}
		}
	}
	writeParquet(t, path, []int{1000, 1, 1999}, []writtenColumn{
		nullableColumn("x", values...), int64Column("id", ids...),
		{node: listNode("v", primitive("element", optional, nil, parquet.Types.Float, -1)), values: lists, def: def, rep: rep},
	})
	var text strings.Builder
	text.WriteString("x,name,pair\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,\"n %d\",\"[%d, null]\"\n", i%99-9, i, i)
	}
	for _, path := range []string{
		path, writeText(t, "t.csv", text.String()), writeFile(t, "t.fits", everyKind()), writeFile(t, "t.vot", []byte(votableText())),
		writeFile(t, "u.vot", []byte(votableBinary(true))), writeText(t, "t.arff", "@relation r\n@attribute a real\n@attribute c {x,y}\n@data\n1,x\n?,'y'\n"),
	} {
		for _, n := range []int{0, 1, 7, 5000} {
			c, err := Open(t.Context(), []string{path, path}, Options{Threads: 2, Null: []string{"5"}})
			if err != nil {
				t.Fatal(err)
			}
			checkScan(t, c, n)
			c.Close()
		}
	}
}

// TestScanRealFiles covers what other programs write.
func TestScanRealFiles(t *testing.T) {
	for _, name := range []string{
		"gaiaxpy_xp/gxp_XP.fits", "gaiaxpy_xp/gxp_XP.xml", "gaiaxpy_xp/gxp_XP_plain.xml", "gaiaxpy_xp/gxp_XP.ecsv", "gaiaxpy_xp/gxp_XP.csv",
		"gaia_dr3_cone.parquet", "pyia_gdr2_sm.fits", "pyia_gdr2_sm.vot", "htru2_pulsars.csv", "gaia_epoch_arrays.ecsv",
	} {
		checkScan(t, open(t, dataFile(t, name)), 777)
	}
}

func TestScanFilterAndDerived(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.parquet")
	n := make([]int64, 300)
	for i := range n {
		n[i] = int64(i)
	}
	writeParquet(t, path, []int{100, 100, 100}, []writtenColumn{int64Column("n", n...)})
	c, err := Open(t.Context(), []string{path}, Options{Let: []string{"twice = 2 * n", "four = 2 * twice"}})
	if err != nil {
		t.Fatal(err)
	}
	// The statistics exclude the first two row groups.
	cols, keep := scanned(t, c, Scan{Columns: []string{"four", "n"}, Where: "n > 250 and four % 8 = 0", Rows: 70})
	for i, k := range keep {
		if want := i > 250 && i%2 == 0; k != want {
			t.Errorf("row %d is kept: %v", i, k)
		}
		if k && (cols[0].Int64[i] != int64(4*i) || cols[1].Int64[i] != int64(i)) {
			t.Errorf("row %d: %d, %d", i, cols[0].Int64[i], cols[1].Int64[i])
		}
	}
	for _, s := range []Scan{{Columns: []string{"m"}}, {Where: "n >"}, {Where: "n + 1"}, {Where: "m = 1"}} {
		for _, err := range c.Scan(t.Context(), s) {
			if !errors.Is(err, ErrRequest) {
				t.Errorf("%+v: %v", s, err)
			}
		}
	}
	c, err = Open(t.Context(), []string{path}, Options{Let: []string{"big = n * 9223372036854775807"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range c.Scan(t.Context(), Scan{Columns: []string{"big"}}) {
		if err == nil || !strings.Contains(err.Error(), "row 2") {
			t.Errorf("an overflow in row 2: %v", err)
		}
	}
}

// TestScanEndsEarly checks that leaving a scan leaves no goroutine.
func TestScanEndsEarly(t *testing.T) {
	text := "x,y\n" + strings.Repeat("1,abcdefghijklmnopqrstuvwxyz\n", 300_000)
	for _, path := range []string{writeText(t, "t.csv", text), writeFile(t, "t.fits", everyKind())} {
		c := open(t, path)
		before := runtime.NumGoroutine()
		for range c.Scan(t.Context(), Scan{Columns: readable(c)}) {
			break
		}
		for i := 0; runtime.NumGoroutine() > before; i++ {
			if i == 100 {
				t.Fatalf("%s: %d goroutines, %d before", path, runtime.NumGoroutine(), before)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

func TestSliceSharesNothingToAppend(t *testing.T) {
	c := Column{Field: Field{Type: List, Elem: &Field{Type: Int64}}, List: &Lists{Offset: []int64{0, 2, 2, 3}, Elem: Column{Int64: []int64{1, 2, 3}}}}
	head, tail := c.Slice(0, 1), c.Slice(1, 3)
	head.append(&tail)
	head.append(&tail)
	if !slices.Equal(head.List.Offset, []int64{0, 2, 2, 3, 3, 4}) || !slices.Equal(head.List.Elem.Int64, []int64{1, 2, 3, 3}) {
		t.Errorf("joined: %v %v", head.List.Offset, head.List.Elem.Int64)
	}
	if !slices.Equal(c.List.Offset, []int64{0, 2, 2, 3}) || !slices.Equal(c.List.Elem.Int64, []int64{1, 2, 3}) {
		t.Errorf("the original: %v %v", c.List.Offset, c.List.Elem.Int64)
	}
}

// TestSelectBlocksIsSelect compares the points of blocks with those of the
// whole, on rows that cannot be used for every reason.
func TestSelectBlocksIsSelect(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	text.WriteString("ra,dec,w\n")
	odd := []string{"", "nan", "inf", "-99", "200", "1"}
	for range 2000 {
		cell := func(most float64) string {
			if r.IntN(10) == 0 {
				return odd[r.IntN(len(odd))]
			}
			return fmt.Sprint(r.Float64() * most)
		}
		fmt.Fprintf(&text, "%s,%s,%s\n", cell(360), cell(90), cell(5))
	}
	c, err := Open(t.Context(), []string{writeText(t, "t.csv", text.String())}, Options{Null: []string{"-99"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"", "ra > 100 or w < 1"} {
		req := Request{Columns: []string{"ra", "dec"}, Metric: neighbors.Sky(), Sky: true, Weights: "w", Where: where}
		want, err := c.Select(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range []int{0, 1, 333, 5000} {
			var got []string
			var tally Tally
			for b, err := range c.SelectBlocks(t.Context(), req, []string{"ra"}, rows) {
				if err != nil {
					t.Fatal(err)
				}
				s := b.Selection
				for i := range s.Points.Len() {
					row := uint32(i)
					if s.Rows != nil {
						row = s.Rows[i]
					}
					if b.Columns[0].Float64[row] != s.Points.Column(0).At(i) {
						t.Fatalf("row %d was changed", b.First+int64(row))
					}
					got = append(got, fmt.Sprint(b.First+int64(row), s.Points.Column(0).At(i), s.Points.Column(1).At(i), s.Weights[i]))
				}
				tally = b.CountSoFar
			}
			for i := range want.Points.Len() {
				if w := fmt.Sprint(want.Rows[i], want.Points.Column(0).At(i), want.Points.Column(1).At(i), want.Weights[i]); i >= len(got) || got[i] != w {
					t.Fatalf("blocks of %d: point %d is not %s", rows, i, w)
				}
			}
			sorted := func(s []Skip) []string {
				var out []string
				for _, k := range s {
					out = append(out, fmt.Sprint(k))
				}
				slices.Sort(out)
				return out
			}
			w := want.Tally()
			if tally.Total != w.Total || tally.Used != w.Used || tally.Filtered != w.Filtered || !slices.Equal(sorted(tally.Skipped), sorted(w.Skipped)) {
				t.Errorf("blocks of %d: %+v, want %+v", rows, tally, w)
			}
		}
		req.Strict = true
		_, whole := c.Select(t.Context(), req)
		var last error
		for _, err := range c.SelectBlocks(t.Context(), req, nil, 100) {
			last = err
		}
		if last == nil || whole == nil || last.Error() != whole.Error() {
			t.Errorf("strict: %v, want %v", last, whole)
		}
	}
}
