package catalog

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// compressors make files of each kind that is read. That of bzip2 has only one text.
var compressors = map[string]func(io.Writer) (io.WriteCloser, error){
	"gzip": func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	"xz":   func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
	"zstd": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
	"lz4":  func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil },
	"zip": func(w io.Writer) (io.WriteCloser, error) {
		z := zip.NewWriter(w)
		m, err := z.Create("t.csv")
		return member{m, z}, err
	},
}

type member struct {
	io.Writer
	io.Closer
}

func compressed(t testing.TB, kind, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := compressors[kind](&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// bzip2 is "ra,dec\n1,2\n" as bzip2 writes it.
const bzip2 = "425a68393141592653591283af0400000559800010000430002e001000200031064c4101e91a20426ed9e2ee48a70a12025075e080"

// Compressed files of any format are read by what is in them, whatever their names.
func TestCompressedByContent(t *testing.T) {
	const text = "ra,dec\n1,2\n"
	hidden, err := hex.DecodeString(bzip2)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"bzip2": string(hidden)}
	for kind := range compressors {
		files[kind] = compressed(t, kind, text)
	}
	for kind, content := range files {
		for _, name := range []string{"t.csv", "t", "t.csv.gz", "t.fits"} {
			if d := cmp.Diff("ra int64: 1\ndec int64: 2\n", table(t, open(t, writeText(t, name, content)))); d != "" {
				t.Errorf("%s named %s: %s", kind, name, d)
			}
		}
		for _, n := range []int{len(content) / 2, len(content) - 5} {
			path := writeText(t, "t.csv", content[:n])
			if c, err := Open(context.Background(), []string{path}, Options{}); err == nil {
				t.Errorf("%s of %d bytes of %d is read: %s", kind, n, len(content), table(t, c))
			}
		}
	}
	for _, form := range []string{"nulls.tbl", "columns.mrt", "vizier.tsv", "ecsv.ecsv"} {
		plain, err := os.ReadFile("testdata/forms/" + form)
		if err != nil {
			t.Fatal(err)
		}
		want := table(t, open(t, "testdata/forms/"+form))
		for kind := range compressors {
			if d := cmp.Diff(want, table(t, open(t, writeText(t, "x", compressed(t, kind, string(plain)))))); d != "" {
				t.Errorf("%s in %s: %s", form, kind, d)
			}
		}
	}
}

// Two compressed files one after the other are one text, as cat makes it.
func TestCompressedMembers(t *testing.T) {
	for kind := range compressors {
		if kind == "zip" {
			continue
		}
		c, err := Open(context.Background(), []string{writeText(t, "t.csv", compressed(t, kind, "ra,dec\n1,2\n")+compressed(t, kind, "3,4\n"))}, Options{})
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if d := cmp.Diff("ra int64: 1 3\ndec int64: 2 4\n", table(t, c)); d != "" {
			t.Errorf("%s: %s", kind, d)
		}
	}
}

// A Parquet file within another compression is read, too.
func TestCompressedParquet(t *testing.T) {
	path := t.TempDir() + "/t.parquet"
	writeParquet(t, path, []int{2}, []writtenColumn{float64Column("ra", 1, 2)})
	plain, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, writeText(t, "t.parquet.gz", compressed(t, "gzip", string(plain))))
	if d := cmp.Diff("ra float64: 1 2\n", table(t, c)); d != "" {
		t.Error(d)
	}
	c.Close()
}

// Files that need large memory to decompress are refused: in any block of any stream.
func TestLargeDictionaries(t *testing.T) {
	var b bytes.Buffer
	w, err := xz.WriterConfig{BlockSize: 8}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "ra,dec\n10,20\n30,40\n"); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	small := b.String()
	if got := table(t, open(t, writeText(t, "t.csv", small+"\x00\x00\x00\x00"+compressed(t, "xz", "50,60\n")))); got != "ra int64: 10 30 50\ndec int64: 20 40 60\n" {
		t.Error(got)
	}
	// large has a dictionary of 192 MiB in the last of its blocks.
	large := []byte(small)
	at := bytes.LastIndex(large, []byte{0x21, 1}) + 2
	large[at] = 31
	header := large[at-4 : at+4] // in 12 bytes, of which the last four are the check
	binary.LittleEndian.PutUint32(large[at+4:], crc32.ChecksumIEEE(header))
	if !bytes.HasPrefix(header, []byte{2, 0, 0x21, 1}) {
		t.Fatalf("the header of the block is % x", large[at-6:at+10])
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	frame := z.EncodeAll([]byte("ra,dec\n1,2\n"), nil)
	frame = append([]byte("\x28\xb5\x2f\xfd\x00\x98"), frame[len(frame)-3-len("ra,dec\n1,2\n"):]...) // a window of 512 MiB, and the block
	for name, text := range map[string]string{"xz": string(large), "xz, second stream": compressed(t, "xz", "x\n") + string(large), "zstd": string(frame)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(context.Background(), []string{writeText(t, "t.csv", text)}, Options{})
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "MiB of memory to decompress; write it again with") || after.TotalAlloc-before.TotalAlloc > 100<<20 {
			t.Errorf("%s: %v, %d bytes taken", name, err, after.TotalAlloc-before.TotalAlloc)
		}
	}
}

// An archive of several files is no table; the message names what a file is.
func TestNotACatalog(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"a.csv", "b.csv", "__MACOSX/x"} {
		if _, err := z.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"a.zip":     {b.String(), "ZIP archive of 2 files, a.csv and b.csv"},
		"a.h5":      {"\x89HDF\r\n\x1a\n\x00\x00", "it is HDF5, which is not read: write what is at a PATH"},
		"a.fits":    {"\x89PNG\r\n\x1a\n", "it is a picture (PNG), not a catalog"},
		"a.csv":     {"<!DOCTYPE html>\n<html>", "it is a page of HTML"},
		"a.parquet": {"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
		"a.json":    {"[{\"ra\": 1}]", "it is JSON"},
		"a.tex":     {"\\documentclass{aastex631}\n", "it is LaTeX"},
		"a.db":      {"SQLite format 3\x00", "sqlite3 -csv -header"},
		"a.Z":       {"\x1f\x9d\x90", "gunzip it"},
		"it's.h5":   {"\x89HDF\r\n\x1a\n\x00\x00", `/it'\''s.h5' PATH`},
		"a.asdf":    {"#ASDF 1.0.0\n#ASDF_STANDARD 1.5.0\n%YAML 1.1\n", "it is ASDF"},
		"a.mat":     {"MATLAB 5.0 MAT-file, Platform: GLNXA64\x00\x01IM", "it is a file of MATLAB, which is not read: write its arrays as .npz"},
		"b.mat":     {"MATLAB 7.3 MAT-file, Platform: GLNXA64\x00", "it is a file of MATLAB, in HDF5"},
		"a.pkl":     {"\x80\x02}q\x00.", "it is a pickle of Python"},
		"b.pkl":     {"\x80\x04\x95\x00", "pandas.read_pickle"},
		"a.pdf":     {"%PDF-1.5\n%\xd0", "it is a PDF"},
		"a.jpg":     {"\xff\xd8\xff\xe0\x00", "it is a picture (JPEG), not a catalog"},
		"a.xls":     {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is a workbook of Excel"},
		"a.root":    {"root\x00\x00\xee", "it is a ROOT file"},
		"a.feather": {"ARROW1\x00\x00", "the Arrow file is cut short"},
		"b.feather": {"FEA1\x00\x00", "it is a Feather file of version 1"},
		"a.avro":    {"Obj\x01\x04", "it is an Avro file"},
		"a.orc":     {"ORC\x00", "it is an ORC file"},
		"a.tar":     {strings.Repeat("a", 257) + "ustar\x00", "it is a tar archive"},
		"a.bin":     {"\x00\x01\x02", "not a catalog in a format that is known"},
	} {
		path := writeText(t, name, c.text)
		if _, err := Open(context.Background(), []string{path}, Options{}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// A table of text is none of those files, whatever the name of its first column.
func TestTablesNamedAsOtherFiles(t *testing.T) {
	for _, name := range []string{"root", "ORC", "Rar!", "ARROW1", "GIF8", "FEA1"} {
		if got := table(t, open(t, writeText(t, "t.csv", name+",x\n1,2\n"))); got != name+" int64: 1\nx int64: 2\n" {
			t.Error(got)
		}
	}
}
