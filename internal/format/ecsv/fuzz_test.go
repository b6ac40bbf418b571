package ecsv

import (
	"strings"
	"testing"

	"skyjoin/internal/format"
)

// FuzzParse reads any text as a header. One that is read can be written for its own
// columns and for others, and has them when it is read again.
func FuzzParse(f *testing.F) {
	f.Add("# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n# - {name: a, datatype: int8, unit: deg, meta: !!omap [{ucd: pos}]}\n# meta: !!omap\n# - {k: v}\n")
	f.Add("datatype:\n- name: \"\\u00b5\"\n  description: |\n    two\n    lines\n")
	f.Add("a: &a [*a, *a]\ndatatype: [*a]")
	f.Add("datatype: [{name: s.ra, datatype: string, subtype: 'int64[2,3]'}]\nmeta: !!omap\n- __serialized_columns__: {s: {ra: !astropy.table.SerializedColumn {name: s.ra, unit: &u {unit: deg}}, dec: *u}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Parse(text)
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "\n") {
				t.Fatalf("not an error of one line: %q", err)
			}
			return
		}
		var own []format.Field
		names := map[string]string{}
		for i, c := range h.Columns {
			c.Notation()
			c.Shape()
			own = append(own, c.Field(i))
			names[c.Name] = c.Name + "_1"
		}
		reads := func(written string) *Header {
			again, err := Parse(written)
			if err != nil {
				t.Fatalf("%q is written as %q: %v", text, written, err)
			}
			return again
		}
		for _, fields := range [][]format.Field{own, {{Name: "added", Type: format.Float64, Unit: "mag"}}, nil} {
			if again := reads(WithMixins(Rewritten(text, fields, func(string) bool { return false }))); len(again.Columns) != len(fields) {
				t.Fatalf("%q for %d fields has the columns %+v", text, len(fields), again.Columns)
			}
		}
		reads(Join(Part{YAML: text, Names: names, Suffix: "_1"}, Part{YAML: text, Names: map[string]string{"a": "b"}, Suffix: "_2"}))
	})
}
