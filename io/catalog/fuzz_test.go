package catalog

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzCompressed reads damaged compressed files to their end: a table, or an error
// of a line or two.
func FuzzCompressed(f *testing.F) {
	for _, text := range []string{"ra,dec\n1,2\n", "a b\n" + strings.Repeat("1 2\n", 500)} {
		for kind := range compressors {
			f.Add([]byte(compressed(f, kind, text)))
		}
	}
	table := gzip.NewWriter(nil)
	for _, inner := range [][]byte{everyKind(), []byte(votableText())} {
		var b bytes.Buffer
		table.Reset(&b)
		if _, err := table.Write(inner); err != nil {
			f.Fatal(err)
		}
		if err := table.Close(); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	other, err := hex.DecodeString(bzip2)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(other)
	f.Fuzz(func(t *testing.T, data []byte) {
		readsOrSays(t, writeFile(t, "t", data))
	})
}

// FuzzFolder opens folders with any properties and any list of partitions, beside a
// partition and a note.
func FuzzFolder(f *testing.F) {
	f.Add("#HATS catalog\ndataproduct_type=object\nhats_npix_suffix=.csv\n", "Norder,Npix\n1,44\n", uint8(0))
	f.Add("hats_primary_table_url=dataset\n", "", uint8(2))
	f.Add("dataproduct_type=margin\nhats_npix_suffix=/\n", "Npix,Norder\n1,\"a\nb\"\n", uint8(1))
	names := []string{"hats.properties", "properties", "collection.properties"}
	f.Fuzz(func(t *testing.T, properties, partitions string, name uint8) {
		dir := t.TempDir()
		for name, text := range map[string]string{
			names[int(name)%len(names)]: properties, "partition_info.csv": partitions,
			"dataset/Norder=1/Dir=0/Npix=44.csv": "ra,dec\n1,2\n", "dataset/note.txt": properties,
		} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		readsOrSays(t, dir)
	})
}

// readsOrSays reads each column of a catalog: values, or an error of a line or two.
func readsOrSays(t *testing.T, path string) {
	t.Helper()
	failed := func(err error) bool {
		if err != nil && (err.Error() == "" || strings.Count(err.Error(), "\n") > 1) {
			t.Fatalf("not an error of a line or two: %q", err)
		}
		return err != nil
	}
	c, err := Open(t.Context(), []string{path}, Options{Threads: 1})
	if failed(err) {
		return
	}
	defer c.Close()
	if c.Rows() > 1e5 || len(c.Fields()) > 100 {
		return
	}
	for _, field := range c.Fields() {
		_, err := c.ReadAll(t.Context(), []string{field.Name}, nil)
		failed(err)
	}
}
