package ecsv

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"skyjoin/internal/format"
)

// What is described is parsed, quotes, line ends and marks of YAML included.
func TestRoundTrip(t *testing.T) {
	elem := format.Field{Type: format.Float32}
	h := New(",")
	h.Describe([]format.Field{
		{Name: "ra", Type: format.Float64, Unit: "deg", UCD: "pos.eq.ra;meta.main", Description: "Right ascension: it's the \"first\""},
		{Name: "a, {b}", Type: format.List, Elem: &elem, Description: "two\nlines # é"},
	})
	h.SetMeta([]format.KeyValue{{Key: "eps", Value: "1 arcsec"}, {Key: "note: x", Value: "- [a]"}}, func(string) bool { return false })
	want := &Header{Delimiter: ",", Columns: []Column{
		{Name: "ra", Datatype: "float64", Unit: "deg", UCD: "pos.eq.ra;meta.main", Description: "Right ascension: it's the \"first\""},
		{Name: "a, {b}", Datatype: "string", Subtype: "float32[null]", Description: "two\nlines # é"},
	}, Meta: []format.KeyValue{{Key: "eps", Value: "1 arcsec"}, {Key: "note: x", Value: "- [a]"}}}
	got, err := Parse(strings.Join(h.Lines(), "\n"))
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Header{})); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	if got.Says() {
		t.Error("a header of fields and metadata says more than they do")
	}
}

// What nothing changes is written as it was; columns that are gone take with them
// what was made of them, and an anchor that others refer to stays.
func TestTreeIsKept(t *testing.T) {
	const text = `datatype:
- {name: sc.ra, unit: deg, datatype: float64, format: '%.3f'}
- {name: sc.dec, unit: deg, datatype: float64}
- {name: t, datatype: string, meta: {a: [1, 2]}}
- {name: arr, datatype: string, subtype: 'int64[2,3]'}
meta: !!omap
- {n: 3}
- {run: old}
- nested: {x: [1, {y: null}]}
- __serialized_columns__:
    sc:
      __class__: astropy.coordinates.sky_coordinate.SkyCoord
      dec: !astropy.table.SerializedColumn
        unit: &id001 !astropy.units.Unit {unit: deg}
        value: !astropy.table.SerializedColumn {name: sc.dec}
      ra: !astropy.table.SerializedColumn
        unit: *id001
        value: !astropy.table.SerializedColumn {name: sc.ra}
    t:
      __class__: astropy.time.core.Time
      unit: *id001
      value: !astropy.table.SerializedColumn {name: t}
schema: astropy-2.0
`
	h, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var fields []format.Field
	for i, c := range h.Columns {
		fields = append(fields, c.Field(i))
	}
	none := func(string) bool { return false }
	h.Describe(fields)
	h.SetMeta(nil, none)
	if d := cmp.Diff(text, h.YAML()); d != "" || !h.Says() {
		t.Error(d)
	}
	fields[0].Name, fields[3].Elem.Type = "other", format.Float64
	h.Describe(fields)
	h.SetMeta([]format.KeyValue{{Key: "n", Value: "3"}, {Key: "new", Value: "1"}}, func(key string) bool { return key == "run" })
	want := `datatype:
- {name: "other", unit: "deg", datatype: float64}
- {name: sc.dec, unit: deg, datatype: float64}
- {name: t, datatype: string, meta: {a: [1, 2]}}
- {name: arr, datatype: string, subtype: "float64[2,3]"}
meta: !!omap
- {n: 3}
- nested: {x: [1, {y: null}]}
- __serialized_columns__:
    t:
      __class__: astropy.time.core.Time
      unit: &id001 !astropy.units.Unit {unit: deg}
      value: !astropy.table.SerializedColumn {name: t}
- {"new": "1"}
schema: astropy-2.0
`
	if d := cmp.Diff(want, h.YAML()); d != "" {
		t.Error(d)
	}
}

// Only values of one line are metadata, as a block has a meaning of its own.
func TestMetaLeavesOutWhatIsNoScalar(t *testing.T) {
	h, err := Parse("# meta: !!omap\n# - {a: 1}\n# - b: |\n#     two\n#     lines\n# - c: [1, 2]\n# - {d: x}\n")
	if d := cmp.Diff([]format.KeyValue{{Key: "a", Value: "1"}, {Key: "d", Value: "x"}}, h.Meta); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
}

// Blanks at the ends of lines do not count, where folded text would have two.
func TestBlanksAtEnds(t *testing.T) {
	h, err := Parse("# meta: !!omap\n# - cite: >\n#     How to cite: \n#     https://x.org \n")
	if err != nil {
		t.Fatal(err)
	}
	h.SetMeta(nil, func(string) bool { return false })
	if got := text(entry(entry(h.tree, "meta"), "cite")); got != "How to cite: https://x.org\n" {
		t.Errorf("%q", got)
	}
}

func TestDamaged(t *testing.T) {
	for _, text := range []string{"datatype:\n- {name: ra, unit: 'deg", "datatype: 7", "datatype: [{name: a}", "\x00", "a: b: c"} {
		if _, err := Parse(text); err == nil || !strings.HasPrefix(err.Error(), "the YAML is damaged: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What is set of a column is not set of what it has below, and comments that cannot be
// written where they were do no harm.
func TestEntriesOfTheSameName(t *testing.T) {
	const header = "datatype: # of all\n- {name: a, datatype: int8, meta: {name: kept}} # the first\n"
	joined := Join(Part{YAML: header, Names: map[string]string{"a": "b"}})
	if h, err := Parse(joined); err != nil || len(h.Columns) != 1 || h.Columns[0].Name != "b" || !strings.Contains(joined, "kept") {
		t.Errorf("%v, %+v of %q", err, h, joined)
	}
	written := Rewritten("x: {datatype: y} # z\n", []format.Field{{Name: "a", Type: format.Float64}}, func(string) bool { return false })
	if h, err := Parse(written); err != nil || len(h.Columns) != 1 || !strings.Contains(written, "datatype: y") {
		t.Errorf("%v, %+v of %q", err, h, written)
	}
}
