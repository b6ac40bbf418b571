package parquet

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"skyjoin/internal/format"
)

// FuzzArrowSchema reads any bytes as the schema that Arrow keeps. What is taken for
// sound can be extended by a column, whose notes are read again.
func FuzzArrowSchema(f *testing.F) {
	about := arrow.NewMetadata([]string{"unit"}, []string{"deg"})
	inner := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.BinaryTypes.String, Metadata: about})
	var out bytes.Buffer
	if err := ipc.NewWriter(&out, ipc.WithSchema(arrow.NewSchema([]arrow.Field{
		{Name: "ra", Type: arrow.PrimitiveTypes.Float64, Metadata: about}, {Name: "s", Type: inner},
		{Name: "t", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)},
		{Name: "d", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
	}, nil))).Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	added := []format.Field{{Name: "added", Type: format.Float64, Unit: "mag"}}
	f.Fuzz(func(t *testing.T, message []byte) {
		arrowNotes(base64.StdEncoding.EncodeToString(message))
		longer, err := extendArrow(base64.StdEncoding.EncodeToString(message), added)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a word")
			}
			return
		}
		if n := arrowNotes(longer)["added"]; n.Unit != "mag" {
			t.Fatalf("the added column has the notes %+v", n)
		}
	})
}

// FuzzNotes reads any text as the metadata of a table that describes its columns.
func FuzzNotes(f *testing.F) {
	for i, text := range []string{
		`<VOTABLE><FIELD name="ra" unit="deg" ucd="pos"><DESCRIPTION>d</DESCRIPTION></FIELD></VOTABLE>`,
		"datatype:\n- {name: ra, datatype: float64, unit: deg}\n",
	} {
		f.Add(uint8(i), text)
	}
	f.Fuzz(func(t *testing.T, key uint8, text string) {
		fields := []format.Field{{Name: "ra"}, {Name: "dec"}}
		Annotate(fields, []format.KeyValue{{Key: annotators[int(key)%len(annotators)].key, Value: text}, {Key: "unit.dec", Value: text}})
		if fields[0].Name != "ra" || fields[1].Name != "dec" {
			t.Fatalf("%q has changed names: %+v", text, fields)
		}
	})
}
