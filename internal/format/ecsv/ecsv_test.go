package ecsv

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skyjoin/internal/format"
)

// What Append writes Parse reads, quotes, line ends and marks of YAML included.
func TestRoundTrip(t *testing.T) {
	want := &Header{Delimiter: ",", Columns: []Column{
		{Name: "ra", Datatype: "float64", Unit: "deg", UCD: "pos.eq.ra;meta.main", Description: "Right ascension: it's the \"first\""},
		{Name: "a, {b}", Datatype: "string", Subtype: "float32[null]", Description: "two\nlines # é"},
	}, Meta: []format.KeyValue{{Key: "eps", Value: "1 arcsec"}, {Key: "note: x", Value: "- [a]"}}}
	got, err := Parse(string(want.Append(nil)))
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
}

// Only values of one line are metadata, as a block has a meaning of its own.
func TestMetaLeavesOutWhatIsNoScalar(t *testing.T) {
	h, err := Parse("# meta: !!omap\n# - {a: 1}\n# - b: |\n#     two\n#     lines\n# - c: [1, 2]\n# - {d: x}\n")
	if d := cmp.Diff([]format.KeyValue{{Key: "a", Value: "1"}, {Key: "d", Value: "x"}}, h.Meta); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
}

func TestDamaged(t *testing.T) {
	for _, text := range []string{"datatype:\n- {name: ra, unit: 'deg", "datatype: 7", "datatype: [{name: a}", "\x00", "a: b: c"} {
		if _, err := Parse(text); err == nil || !strings.HasPrefix(err.Error(), "the YAML is damaged: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
