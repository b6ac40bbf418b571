package table

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/io/catalog"
)

// names lists a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestOutputHiddenUntilCommitted(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "t.csv")
	w, err := NewWriter(out, []catalog.Field{{Name: "x", Type: catalog.Int64}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRows(ctx, []catalog.Column{numbersFrom("x", 0, 100_000)}); err != nil {
		t.Fatal(err)
	}
	list := names(t, dir)
	if len(list) != 1 || !strings.HasPrefix(list[0], ".t.csv.") {
		t.Errorf("files while writing: %q", list)
	}
	if err := w.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	w.Abort() // nothing after Commit
	if list := names(t, dir); len(list) != 1 || list[0] != "t.csv" {
		t.Errorf("files: %q", list)
	}
	if st, err := os.Stat(out); err != nil || st.Mode().Perm()&0o600 != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

func TestOutputRemovedOnCancel(t *testing.T) {
	dir := t.TempDir()
	cancelled, cancel := context.WithCancel(ctx)
	w, err := NewWriter(filepath.Join(dir, "t.parquet"), []catalog.Field{{Name: "x", Type: catalog.Int64}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := w.Commit(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("Commit: %v", err)
	}
	w.Abort()
	if list := names(t, dir); len(list) != 0 {
		t.Errorf("left behind: %q", list)
	}

	in := writeTable(t, Options{}, numbersFrom("x", 0, 10))
	cat, err := catalog.Open(ctx, []string{in}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Append(cancelled, filepath.Join(dir, "t.parquet"), cat, nil, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("append: %v", err)
	}
	if list := names(t, dir); len(list) != 0 {
		t.Errorf("left behind: %q", list)
	}
}

func TestOutputExists(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "t.csv")
	cols := []catalog.Column{numbersFrom("x", 1, 1)}
	if err := Write(ctx, out, cols, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := Write(ctx, out, cols, Options{}); !errors.Is(err, catalog.ErrRequest) || !strings.Contains(err.Error(), "--force") {
		t.Errorf("an existing file: %v", err)
	}
	if err := Write(ctx, out, []catalog.Column{numbersFrom("x", 2, 1)}, Options{Force: true}); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(out); string(b) != "x\n2\n" {
		t.Errorf("after force: %q", b)
	}
	// A file that appears while the table is written.
	late := filepath.Join(dir, "late.csv")
	w, err := NewWriter(late, []catalog.Field{cols[0].Field}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(late, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(ctx); !errors.Is(err, catalog.ErrRequest) {
		t.Errorf("a file that appeared: %v", err)
	}
	w.Abort()
	if b, _ := os.ReadFile(late); string(b) != "precious" {
		t.Errorf("overwritten by %q", b)
	}
	// A link is followed, not replaced.
	link := filepath.Join(dir, "link.csv")
	if err := os.Symlink("t.csv", link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := Write(ctx, link, []catalog.Column{numbersFrom("x", 3, 1)}, Options{Force: true}); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(out); string(b) != "x\n3\n" {
		t.Errorf("through a link: %q", b)
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.parquet")
	if err := Write(ctx, in, []catalog.Column{numbersFrom("x", 1, 1)}, Options{}); err != nil {
		t.Fatal(err)
	}
	alias := filepath.Join(dir, "alias.parquet")
	if err := os.Symlink(in, alias); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	hard := filepath.Join(dir, "hard.parquet")
	if err := os.Link(in, hard); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "d.csv"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := len(names(t, dir))
	for _, c := range []struct {
		out     string
		force   bool
		request bool
		want    string // part of the error, "" for none
	}{
		{"new.parquet", false, false, ""},
		{"new.CSV", false, false, ""},
		{"in.parquet", true, true, "inputs are never overwritten"},
		{"alias.parquet", true, true, "inputs are never overwritten"},
		{"hard.parquet", true, true, "inputs are never overwritten"},
		{"d.csv", true, true, "is a directory"},
		{"new.fits.gz", false, true, ".parquet, .csv"},
		{"new", false, true, ".parquet, .csv"},
		{"no/where.csv", false, false, "no such file or directory"},
	} {
		err := Check(filepath.Join(dir, c.out), []string{in}, c.force)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, catalog.ErrRequest) != c.request) {
			t.Errorf("%s: %v", c.out, err)
		}
		if err != nil && strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: the error names a temporary file: %v", c.out, err)
		}
	}
	if err := Check(Stdout, []string{in}, false); err != nil {
		t.Errorf("stdout: %v", err)
	}
	if after := len(names(t, dir)); after != before {
		t.Errorf("Check left files: %q", names(t, dir))
	}
	if os.Geteuid() != 0 { // root may write anywhere
		locked := filepath.Join(dir, "locked")
		if err := os.Mkdir(locked, 0o555); err != nil {
			t.Fatal(err)
		}
		if err := Check(filepath.Join(locked, "t.csv"), nil, false); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a directory that cannot be written: %v", err)
		}
	}
}

func TestStdout(t *testing.T) {
	var got strings.Builder
	if err := Write(ctx, Stdout, []catalog.Column{numbersFrom("x", 1, 2)}, Options{Writer: &got}); err != nil {
		t.Fatal(err)
	}
	if got.String() != "x\n1\n2\n" {
		t.Errorf("%q", got.String())
	}
	err := Write(ctx, Stdout, []catalog.Column{numbersFrom("x", 1, 2)}, Options{Writer: fullWriter{}})
	if err == nil || err.Error() != "cannot write to stdout: no space" {
		t.Errorf("full: %v", err)
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, errors.New("no space") }

// Every format can be written to stdout, the same bytes as to a file.
func TestStdoutFormats(t *testing.T) {
	cols := []catalog.Column{numbersFrom("x", 1, 2)}
	for _, name := range []string{"csv", "ecsv", "vot", "fits", "parquet"} {
		var got strings.Builder
		if err := Write(ctx, Stdout, cols, Options{Stdout: name, Writer: &got}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "t."+name)
		if err := Write(ctx, path, cols, Options{}); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s: %d bytes on stdout differ from %d in a file", name, got.Len(), len(want))
		}
	}
}
