package text

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// openText opens text as a file of the name, whose extension tells the format, beside
// a ReadMe if one is given.
func openText(t *testing.T, name, text string, about ...string) (*reader, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, a := range about {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "ReadMe"), []byte(a), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := Inputs[0]
	for _, i := range Inputs {
		if i.Sniff != nil && i.Sniff(&format.Start{Path: path, Bytes: []byte(text)}) || i.HasExtension(name) {
			in = i
			break
		}
	}
	r, err := in.Open(t.Context(), path, format.Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	return r.(*reader), nil
}

func TestRawRows(t *testing.T) {
	s, err := openText(t, "t.csv", "# one\r\n# two\r\nra,dec\r\ndeg,deg\r\n# three\r\n1,2\r\n\r\n 3 , \"4\"\r\n5,6")
	if err != nil {
		t.Fatal(err)
	}
	want := layout{delimiter: ',', comments: []string{"# one", "# two"}, header: "ra,dec", units: "deg,deg", lineEnd: "\r\n"}
	if d := cmp.Diff(want, s.layout, cmp.AllowUnexported(layout{})); d != "" {
		t.Error(d)
	}
	var rows []string
	for row, err := range s.rawRows(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, string(row))
	}
	if want := []string{"1,2", ` 3 , "4"`, "5,6"}; !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	for range s.rawRows(context.Background()) {
		break // must not go on, or panic
	}
	if err := os.WriteFile(s.path, []byte("ra,dec\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range s.rawRows(context.Background()) {
		last = err
	}
	if !errors.Is(last, format.ErrChanged) {
		t.Errorf("a changed file: %v", last)
	}
}

// Lines are copied of CSV files that begin alike, and of nothing else.
func TestCopies(t *testing.T) {
	open := func(name, text string) format.Reader {
		s, err := openText(t, name, text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := open("a.csv", "x,y\n1,2\n"), open("b.csv", "x,y\n3,4\n")
	if copies([]format.Reader{a, b}) == nil {
		t.Error("CSV files are not copied")
	}
	for _, other := range []format.Reader{open("c.csv", "x;y\n1;2\n"), open("d.csv", "x,z\n1,2\n"), open("t.arff", "@attribute a real\n@data\n1\n")} {
		if copies([]format.Reader{a, other}) != nil || copies([]format.Reader{other, a}) != nil {
			t.Errorf("%s is copied with a.csv", other.(*reader).path)
		}
	}
}

// FuzzOpenText checks that no text makes opening or reading panic, and that an
// opened file can be read.
func FuzzOpenText(f *testing.F) {
	f.Add("t.csv", "a,b\ndeg,mag\n1,2\n")
	f.Add("t.csv", "# c\na;b\n\"x\n\",nan\n")
	f.Add("t.ecsv", "# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n# - {name: a, datatype: int8}\na\n1\n")
	f.Add("t.arff", "@relation r\n@attribute 'a b' real\n@attribute c {x,y}\n@data\n1,x\n?,'y'\n")
	files, err := filepath.Glob("../../../io/catalog/testdata/forms/*.*")
	if err != nil || len(files) == 0 {
		f.Fatal("no files of the forms", err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add("t"+filepath.Ext(path), string(text))
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if name = "t" + name[max(0, strings.LastIndexByte(name, '.')):]; strings.ContainsAny(name, "/\x00") || len(name) > 9 || text == "" {
			return
		}
		readsAll(t, name, text)
	})
}

// FuzzReadMe reads tables that any text describes, as the ReadMe of the CDS does.
func FuzzReadMe(f *testing.F) {
	var seed [2]string
	for i, name := range []string{"ReadMe", "table2.dat"} {
		text, err := os.ReadFile("../../../io/catalog/testdata/forms/cds/" + name)
		if err != nil {
			f.Fatal(err)
		}
		seed[i] = string(text)
	}
	f.Add(seed[0], seed[1])
	for _, format := range []string{"F4.0", "E9.3", "A300", "2I2", "I0"} {
		f.Add(strings.Replace(seed[0], "F8.4", format, 1), seed[1])
	}
	f.Add(strings.Replace(seed[0], "24 A1 ", "999999999999 A1 ", 1), seed[1])
	f.Fuzz(func(t *testing.T, about, text string) {
		if text != "" {
			readsAll(t, "table2.dat", text, about)
		}
	})
}

// readsAll opens text as a file of the name, beside a description: an error of one
// line, or a table of which every row can be read.
func readsAll(t *testing.T, name, text string, about ...string) {
	t.Helper()
	s, err := openText(t, name, text, about...)
	if err != nil {
		if strings.Count(err.Error(), "\n") > 0 {
			t.Fatalf("the error has several lines: %q", err)
		}
		return
	}
	w := format.Flow{Pool: par.NewPool(1), Visit: func(int64, []format.Column) error { return nil }}
	for i, f := range s.Fields() {
		if f.Type != format.Unsupported {
			w.Refs, w.Fields = append(w.Refs, format.Ref{Field: i, Elem: -1}), append(w.Fields, f)
		}
	}
	if err := s.Flow(t.Context(), w); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	n := int64(0)
	for _, err := range s.rawRows(t.Context()) {
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		n++
	}
	if n != s.Rows() {
		t.Fatalf("%q: %d raw rows of %d", text, n, s.Rows())
	}
}
