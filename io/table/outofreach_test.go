package table

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"skyjoin/io/catalog"
)

// Columns that cannot be read are left out of every output and named: their bytes
// would be of no use in a copy.
func TestColumnsOutOfReach(t *testing.T) {
	from := writeTable(t, Options{}, numbersFrom("a", 1, 3), numbersFrom("b", 5, 3))
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	meta := openArrow(t, from).MetaData()
	elsewhere := "other.parquet"
	meta.RowGroups[0].Columns[1].FilePath = &elsewhere
	body := bytes.NewBuffer(slices.Clone(text[:len(text)-8-int(binary.LittleEndian.Uint32(text[len(text)-8:]))]))
	n, err := meta.WriteTo(body, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(t.TempDir(), "in.parquet")
	if err := os.WriteFile(in, append(binary.LittleEndian.AppendUint32(body.Bytes(), uint32(n)), "PAR1"...), 0o666); err != nil {
		t.Fatal(err)
	}
	cat := open(t, in)
	for _, ext := range []string{".parquet", ".csv", ".fits", ".vot"} {
		out := filepath.Join(t.TempDir(), "out"+ext)
		var dropped []string
		if _, err := Append(ctx, out, cat, labels(3), Options{Dropped: &dropped}); err != nil {
			t.Fatalf("%s: %v", ext, err)
		}
		var names []string
		for _, f := range open(t, out).Fields() {
			names = append(names, f.Name)
		}
		if want := []string{"a", "cluster", "core", "neighbors"}; !slices.Equal(names, want) || !slices.Equal(dropped, []string{"b"}) {
			t.Errorf("%s has %q, dropped %q", ext, names, dropped)
		}
	}
	s, err := cat.Summary(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Columns[1]; s.Columns[0].Max != "3" || c.Field.Type != catalog.Unsupported || c.Nulls != -1 {
		t.Errorf("summary %+v", s.Columns)
	}
}
