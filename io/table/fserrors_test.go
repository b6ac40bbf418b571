package table_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

var extensions = []string{".parquet", ".csv", ".ecsv", ".vot", ".xml", ".fits"}

// Callers can tell with errors.Is that a file is not there, whatever its format
// and whenever it is found: by opening, reading, scanning or writing.
func TestFileErrorsAreWrapped(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	missing := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v is no fs.ErrNotExist", what, err)
		}
	}
	for _, name := range []string{"no.csv", "no.csv.gz", "no.arff", "no.fits", "no.fits[2]", "no.vot", "no.parquet", "no*.csv", "no/no.csv", "."} {
		_, err := catalog.Open(ctx, []string{filepath.Join(dir, name)}, catalog.Options{})
		missing("opening "+name, err)
	}
	cols := []catalog.Column{{Field: catalog.Field{Name: "x", Type: catalog.Float64}, Float64: []float64{1, 2.5}}}
	for _, ext := range extensions {
		missing("writing "+ext, table.Write(ctx, filepath.Join(dir, "no", "t"+ext), cols, table.Options{}))
		path := filepath.Join(dir, "t"+ext)
		if err := table.Write(ctx, path, cols, table.Options{}); err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Open(ctx, []string{path}, catalog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		_, err = c.Read(ctx, []string{"x"}, nil)
		missing("reading "+ext, err)
		for _, err := range c.Scan(ctx, catalog.Scan{Columns: []string{"x"}}) {
			missing("scanning "+ext, err)
		}
		_, err = table.Append(ctx, filepath.Join(dir, "copy"+ext), c, nil, table.Options{})
		missing("copying "+ext, err)
	}
}
