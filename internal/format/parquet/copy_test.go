package parquet

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"skyjoin/internal/format"
)

// A plainSink is a file, without what keeps users' files from harm.
type plainSink struct{ *os.File }

func (s plainSink) Failed(err error) error { return err }

func (s plainSink) Scratch() (*os.File, error) { return os.CreateTemp("", "") }

func (s plainSink) CopyFrom(_ context.Context, src *os.File, offset, n int64) error {
	_, err := io.Copy(s, io.NewSectionReader(src, offset, n))
	return err
}

// ones are a column to add, 1 in every row.
type ones struct{}

func (ones) Fields() []format.Field                      { return []format.Field{{Name: "one", Type: format.Int64}} }
func (ones) Advance(context.Context, int64, int64) error { return nil }
func (ones) Block(_ int, lo, hi int64) format.Column {
	c := format.Column{Field: format.Field{Name: "one", Type: format.Int64}, Int64: make([]int64, hi-lo)}
	for i := range c.Int64 {
		c.Int64[i] = 1
	}
	return c
}

// writeFile writes a file of one row group.
func writeFile(t testing.TB, path string, cols ...format.Column) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var fields []format.Field
	for _, c := range cols {
		fields = append(fields, c.Field)
	}
	w, err := createFile(plainSink{f}, fields, format.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Rows(context.Background(), cols); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// FuzzFooter opens arbitrary bytes as a Parquet file and copies what it
// accepts: errors are fine, panics and silence about missing data are not.
func FuzzFooter(f *testing.F) {
	good := filepath.Join(f.TempDir(), "good.parquet")
	field := func(name string, t format.Type) format.Field {
		return format.Field{Name: name, Type: t, Nullable: true}
	}
	elem := field("e", format.Float32)
	list := field("l", format.List)
	list.Elem = &elem
	writeFile(f, good,
		format.Column{Field: field("i", format.Int64), Int64: []int64{1, 2, 3}},
		format.Column{Field: field("s", format.String), String: []string{"a", "", "a"}, Null: []bool{false, true, false}},
		format.Column{Field: field("b", format.Bool), Bool: []bool{true, false, true}},
		format.Column{Field: field("t", format.Timestamp), Float64: []float64{0, 1, 2}},
		format.Column{Field: list, List: &format.Lists{Offset: []int64{0, 2, 2, 3}, Elem: format.Column{Field: elem, Float32: []float32{1, 2, 3}}}})
	b, err := os.ReadFile(good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-9])
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		ctx, dir := context.Background(), t.TempDir()
		path, out := filepath.Join(dir, "f.parquet"), filepath.Join(dir, "out.parquet")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		in, err := Input.Open(ctx, path, format.Options{})
		if err != nil || in.Rows() > 1<<20 {
			return
		}
		to, err := os.Create(out)
		if err != nil {
			t.Fatal(err)
		}
		defer to.Close()
		from := format.Table{Fields: in.Fields(), Files: []format.File{{Path: path, Reader: in}}}
		opt := format.WriteOptions{Replaced: func(string) bool { return false }, Progress: func(int64) {}}
		// The chunks of encrypted columns are not described: io/table copies no such file.
		if in.(*reader).Partial() {
			return
		}
		if copiesOf([]format.Reader{in})(ctx, plainSink{to}, from, ones{}, opt) != nil {
			return
		}
		copied, err := Input.Open(ctx, out, format.Options{})
		if err != nil || copied.Rows() != in.Rows() || len(copied.Fields()) != len(in.Fields())+1 {
			t.Fatalf("the copy: %v", err)
		}
	})
}
