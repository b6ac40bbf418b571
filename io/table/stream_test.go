package table

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/format/cell"
	"skyjoin/io/catalog"
)

// counting yields the numbers of rows in blocks of the given sizes, over and
// over.
func counting(rows int64, sizes ...int64) Stream {
	return Stream{
		Fields: []catalog.Field{{Name: "n", Type: catalog.Int64, Nullable: true}, {Name: "x", Type: catalog.String, Nullable: true}},
		Blocks: func(yield func([]catalog.Column, error) bool) {
			row := int64(0)
			for i := 0; row < rows; i++ {
				n := min(sizes[i%len(sizes)], rows-row)
				a, b := catalog.Column{Int64: make([]int64, n), Null: make([]bool, n)}, catalog.Column{String: make([]string, n)}
				for k := range n {
					a.Int64[k], a.Null[k], b.String[k] = row+k, (row+k)%3 == 0, fmt.Sprint("s", row+k)
				}
				row += n
				if !yield([]catalog.Column{a, b}, nil) {
					return
				}
			}
		},
	}
}

// TestAppendStream adds columns that are made meanwhile to catalogs of every
// kind, with blocks that do not fit those of the copy.
func TestAppendStream(t *testing.T) {
	const rows = 1000
	var text strings.Builder
	text.WriteString("n,y\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,%g\n", i, float64(i)/8)
	}
	in := lines(t, "in.csv", text.String())
	for _, from := range []string{".csv", ".parquet", ".fits"} {
		source := in
		if from != ".csv" {
			source = filepath.Join(t.TempDir(), "in"+from)
			if _, err := Append(ctx, source, open(t, in), nil, Options{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, to := range []string{".csv", ".parquet", ".fits", ".vot", ".ecsv"} {
			for _, sizes := range [][]int64{{1, 7, 300}, {rows}} {
				cat, out := open(t, source), filepath.Join(t.TempDir(), "out"+to)
				names, err := AppendStream(ctx, out, cat, counting(rows, sizes...), Options{})
				if err != nil || !slices.Equal(names, []string{"n_1", "x"}) {
					t.Fatalf("%s to %s: %q, %v", from, to, names, err)
				}
				cols, err := open(t, out).Read(ctx, []string{"n", "y", "n_1", "x"}, nil)
				if err != nil {
					t.Fatal(err)
				}
				for i := range rows {
					want := []string{fmt.Sprint(i), string(cell.AppendFloat(nil, float64(i)/8, 64)), fmt.Sprint(i), fmt.Sprint("s", i)}
					if i%3 == 0 {
						want[2] = "null"
					}
					got := []string{show(&cols[0], i), show(&cols[1], i), show(&cols[2], i), show(&cols[3], i)}
					if !slices.Equal(got, want) {
						t.Fatalf("%s to %s in %d: row %d is %q, want %q", from, to, sizes, i, got, want)
					}
				}
			}
		}
	}
}

// TestStreamsThatFail leave no output, and no temporary file.
func TestStreamsThatFail(t *testing.T) {
	in := lines(t, "in.csv", "a\n1\n2\n3\n")
	broken := errors.New("broken")
	bad := counting(3, 1)
	good := bad.Blocks
	bad.Blocks = func(yield func([]catalog.Column, error) bool) {
		next, stop := iter.Pull2(good)
		defer stop()
		cols, _, _ := next()
		_ = yield(cols, nil) && yield(nil, broken)
	}
	for _, extension := range []string{".csv", ".fits", ".vot", ".parquet"} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out"+extension)
		if _, err := AppendStream(ctx, out, open(t, in), bad, Options{}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", extension, err)
		}
		if _, err := AppendStream(ctx, out, open(t, in), counting(2, 1), Options{}); err == nil || !strings.Contains(err.Error(), "end at row 2") {
			t.Errorf("%s, too few rows: %v", extension, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v left, %v", extension, left, err)
		}
	}
}

// TestChosenRowsAndColumns writes some of a catalog.
func TestChosenRowsAndColumns(t *testing.T) {
	in := lines(t, "in.csv", "a,b,c\n1,x,1.5\n2,y,\n3,z,3.5\n4,w,4.5\n")
	for _, extension := range []string{".csv", ".fits", ".vot", ".parquet", ".ecsv"} {
		out := filepath.Join(t.TempDir(), "out"+extension)
		var rows int64
		opt := Options{Where: "a != 2 and a < 4", Columns: []string{"c", "a"}, Rows: &rows}
		if _, err := Append(ctx, out, open(t, in), nil, opt); err != nil {
			t.Fatal(err)
		}
		cat := open(t, out)
		if f := cat.Fields(); len(f) != 2 || f[0].Name != "c" || f[1].Name != "a" || rows != 2 {
			t.Fatalf("%s: %v, %d rows", extension, f, rows)
		}
		cols, err := cat.Read(ctx, []string{"a", "c"}, nil)
		if err != nil || !slices.Equal(cols[0].Int64, []int64{1, 3}) || !slices.Equal(cols[1].Float64, []float64{1.5, 3.5}) {
			t.Errorf("%s: %v, %v", extension, cols, err)
		}
	}
	out := filepath.Join(t.TempDir(), "out.csv")
	if _, err := Append(ctx, out, open(t, in), nil, Options{Columns: []string{"d"}}); !errors.Is(err, catalog.ErrRequest) {
		t.Errorf("a column that is not there: %v", err)
	}
	if _, err := Append(ctx, out, open(t, in), nil, Options{Where: "a > 9"}); err != nil || len(open(t, out).Fields()) != 3 {
		t.Errorf("no rows: %v", err)
	}
}
