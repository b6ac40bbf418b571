package parquet

import (
	"bytes"
	"runtime"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// A schema with any one bit wrong, or cut off, is read in little memory.
func TestDamagedArrowSchema(t *testing.T) {
	about := func(v string) arrow.Metadata { return arrow.NewMetadata([]string{"unit"}, []string{v}) }
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "ra", Type: arrow.PrimitiveTypes.Float64, Metadata: about("deg")},
		{Name: "s", Type: arrow.StructOf(
			arrow.Field{Name: "a", Type: arrow.BinaryTypes.String, Metadata: about("m")},
			arrow.Field{Name: "in", Type: arrow.StructOf(arrow.Field{Name: "b", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Metadata: about("s")})},
		)},
	}, nil)
	var out bytes.Buffer
	if err := ipc.NewWriter(&out, ipc.WithSchema(schema)).Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	arrowSchema(out.Bytes(), func(name string, _, values []string) {
		got = append(got, name+" "+slices.Concat(values, []string{""})[0])
	})
	if want := []string{"ra deg", "s ", "s.a m", "s.in ", "s.in.b s"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	read := func(b []byte) {
		arrowSchema(b, func(string, []string, []string) {})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	whole := out.Bytes()
	for i := range whole {
		read(whole[:i])
		for bit := range 8 {
			b := bytes.Clone(whole)
			b[i] ^= 1 << bit
			read(b)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(9*len(whole)); each > 64<<10 {
		t.Errorf("%d bytes for a schema of %d", each, len(whole))
	}
}
