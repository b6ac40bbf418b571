package catalog

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHATSLayouts reads each layout of one catalog: 131 rows, those of a collection
// without its margins and indexes.
func TestHATSLayouts(t *testing.T) {
	for _, c := range []struct {
		dir  string
		rows int64
	}{
		{"small_sky", 131},
		{"small_sky_npix_as_dir", 131},
		{"small_sky_order1_no_pandas_meta", 131},
		{"small_sky_order1_collection", 131},
		{"small_sky_order1_nested_sources", 131},
		{"small_sky_order1_source_collection", 17161},
		{"small_sky_order1_collection/small_sky_order1_margin_1deg", 23}, // asked for
		{"small_sky_order1_collection/small_sky_order1_id_index", 131},
	} {
		cat := open(t, dataFile(t, "hats_small_sky/"+c.dir))
		if cat.Rows() != c.rows {
			t.Errorf("%s: %d rows, want %d", c.dir, cat.Rows(), c.rows)
		}
	}
}

// TestHATSIncomplete opens a catalog of which a partition was not downloaded.
func TestHATSIncomplete(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"hats.properties":                        "#HATS catalog\ndataproduct_type=object\nhats_npix_suffix=.parquet\n",
		"partition_info.csv":                     "Norder,Npix\n1,44\n1,10045\n",
		"dataset/Norder=1/Dir=0/Npix=44.parquet": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Open(context.Background(), []string{dir}, Options{})
	if err == nil || !strings.Contains(err.Error(), "Norder=1/Dir=10000/Npix=10045.parquet") {
		t.Errorf("got %v", err)
	}
}
