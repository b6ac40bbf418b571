package table

import (
	"path/filepath"
	"testing"

	"skyjoin/io/catalog"
)

// What is written from the columns of a catalog takes the memory to read them; chunks
// that are copied do not, but for columns beside them.
func TestMemoryCountsWhatIsRead(t *testing.T) {
	dir := t.TempDir()
	const rows, columns = 5000, 40
	var cols []catalog.Column
	for i := range columns {
		values := make([]float64, rows)
		for k := range values {
			values[k] = float64(k*i) / 7
		}
		cols = append(cols, catalog.Column{Field: catalog.Field{Name: string(rune('A' + i)), Type: catalog.Float64}, Float64: values})
	}
	in := filepath.Join(dir, "in.parquet")
	if err := Write(ctx, in, cols, Options{}); err != nil {
		t.Fatal(err)
	}
	need := func(name string, cat *catalog.Catalog) int64 {
		t.Helper()
		bytes, err := Memory(filepath.Join(dir, name), cat, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	copied, text, fits := need("o.parquet", open(t, in)), need("o.csv", open(t, in)), need("o.fits", open(t, in))
	if least := int64(rows * columns * 8); text < copied+least || fits < copied+least {
		t.Errorf("a copy takes %d bytes, a CSV file %d, a FITS file %d", copied, text, fits)
	}
	derived := open(t, in)
	if _, err := derived.Define("sum", "A + B", ""); err != nil {
		t.Fatal(err)
	}
	if more := need("o.parquet", derived) - copied; more < rows*16 {
		t.Errorf("a derived column takes %d bytes", more)
	}
}
