package table

import (
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/io/catalog"
)

// FuzzConvert reads a file of any format to its end, describes it and copies it to
// others: an error of one line or a table of the same rows, no panic.
func FuzzConvert(f *testing.F) {
	endings := []string{".parquet", ".fits", ".vot", ".csv", ".ecsv", ".arff", ".csv.gz", ".fits.gz", ".ecsv.gz"}
	dir := f.TempDir()
	cols := []catalog.Column{
		{Field: catalog.Field{Name: "x", Type: catalog.Float64, Unit: "deg", Description: "d"}, Float64: []float64{1, 2.5, 3}},
		{Field: catalog.Field{Name: "n", Type: catalog.Int32, Nullable: true}, Int64: []int64{1, 0, -3}, Null: []bool{false, true, false}},
		{Field: catalog.Field{Name: "s", Type: catalog.String}, String: []string{"a", "", "ü,\"\n"}},
		{Field: catalog.Field{Name: "b", Type: catalog.Bool}, Bool: []bool{true, false, true}},
	}
	for i, end := range endings {
		path := filepath.Join(dir, "seed"+end)
		err := Write(context.Background(), path, cols, Options{Threads: 1})
		text, read := os.ReadFile(path)
		switch {
		case err == nil && read == nil:
		case strings.HasSuffix(end, ".arff"):
			text = []byte("@relation r\n@attribute 'a b' real\n@attribute c {x,y}\n@data\n1,x\n?,'y'\n")
		default: // compressed formats are read, not all of them written
			var b strings.Builder
			z := gzip.NewWriter(&b)
			plain, err := os.ReadFile(filepath.Join(dir, "seed"+strings.TrimSuffix(end, ".gz")))
			if err != nil {
				f.Fatal(err)
			}
			z.Write(plain)
			z.Close()
			text = []byte(b.String())
		}
		f.Add(uint8(i), text)
	}
	f.Fuzz(func(t *testing.T, end uint8, text []byte) {
		dir := t.TempDir()
		in := filepath.Join(dir, "in"+endings[int(end)%len(endings)])
		if os.WriteFile(in, text, 0o600) != nil {
			t.Skip()
		}
		one := func(err error) bool {
			if err != nil && (err.Error() == "" || strings.Count(strings.TrimSpace(err.Error()), "\n") > 1) {
				t.Fatalf("not an error of a line or two: %q", err)
			}
			return err != nil
		}
		cat, err := catalog.Open(t.Context(), []string{in}, catalog.Options{Threads: 1})
		if one(err) || cat.Rows() > 1e5 || len(cat.Fields()) > 1000 {
			return
		}
		defer cat.Close()
		_, err = cat.Summary(t.Context())
		one(err)
		for _, to := range []string{".parquet", ".csv", ".fits", ".vot"} {
			out := filepath.Join(dir, "out"+to)
			if _, err := Append(t.Context(), out, cat, nil, Options{Threads: 1}); one(err) {
				continue
			}
			copied, err := catalog.Open(t.Context(), []string{out}, catalog.Options{Threads: 1})
			if err != nil {
				if cat.Rows() == 0 || len(cat.Fields()) == 0 {
					continue
				}
				t.Fatalf("%s was written, and cannot be opened: %v", to, err)
			}
			if copied.Rows() != cat.Rows() {
				t.Fatalf("%d rows of %d in %s", copied.Rows(), cat.Rows(), to)
			}
			copied.Close()
		}
	})
}
