package text

import (
	"context"
	"os"
	"strings"
	"testing"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// bytesSink is a file in memory.
type bytesSink struct{ strings.Builder }

func (*bytesSink) CopyFrom(context.Context, *os.File, int64, int64) error { return os.ErrInvalid }
func (*bytesSink) Scratch() (*os.File, error)                             { return nil, os.ErrInvalid }
func (*bytesSink) Failed(err error) error                                 { return err }

// A header that came with a table of another format may not be true of its values:
// they are written as lists, no value is lost.
func TestHeaderThatIsNotTrue(t *testing.T) {
	const header = `delimiter: '|'
datatype:
- {name: z, datatype: complex128}
- {name: a, datatype: string, subtype: 'float64[2,2]'}
- {name: v, datatype: string, subtype: 'float64[null,null]'}
`
	elem := format.Field{Type: format.Float64}
	var fields []format.Field
	var cols []format.Column
	for _, name := range []string{"z", "a", "v"} {
		f := format.Field{Name: name, Type: format.List, Elem: &elem}
		fields = append(fields, f)
		cols = append(cols, format.Column{Field: f, List: &format.Lists{Offset: []int64{0, 2, 5}, Elem: format.Column{Field: elem, Float64: []float64{1, 2, 3, 4, 5}}}})
	}
	var out bytesSink
	w, err := createECSV(&out, fields, format.WriteOptions{
		Metadata: []format.KeyValue{{Key: ecsv.MetaKey, Value: header}}, Replaced: func(string) bool { return false }, Progress: func(int64) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Rows(t.Context(), cols); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(out.String(), "\nz")
	if want := " a v\n(1+2j) [1,2] [1,2]\n[3,4,5] [3,4,5] [3,4,5]\n"; rows != want {
		t.Errorf("%s, want the rows %s", out.String(), want)
	}
}
