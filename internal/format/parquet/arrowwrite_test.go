package parquet

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"skyjoin/internal/format"
)

func readArrow(t *testing.T, s string) *arrow.Schema {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ipc.NewReader(strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	return r.Schema()
}

// TestExtendArrowReal checks that the Arrow schemas other programs write
// survive: every field and all metadata are as they were.
func TestExtendArrowReal(t *testing.T) {
	data := os.Getenv("SKYJOIN_TESTDATA")
	if data == "" {
		t.Skip("SKYJOIN_TESTDATA is not set: no catalogs to test with")
	}
	n := 0
	err := filepath.WalkDir(data, func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") || d.IsDir() {
			return err
		}
		f, meta, err := (&reader{path: path, size: -1}).footer()
		if err != nil {
			return err
		}
		f.Close()
		old := findKey(meta.KeyValues, arrowKey)
		if old == "" {
			return nil
		}
		n++
		s, err := extendArrow(old, []format.Field{{Name: "cluster", Type: format.Int32, Nullable: true}})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		a, b := readArrow(t, old), readArrow(t, s)
		if !a.Metadata().Equal(b.Metadata()) || b.NumFields() != a.NumFields()+1 || b.Field(a.NumFields()).Name != "cluster" {
			t.Errorf("%s: %d fields became %d", path, a.NumFields(), b.NumFields())
		}
		for i, f := range a.Fields() {
			if !f.Equal(b.Field(i)) {
				t.Errorf("%s: %v became %v", path, f, b.Field(i))
			}
		}
		return nil
	})
	if err != nil || n < 10 {
		t.Errorf("%d schemas looked at, %v", n, err)
	}
}
