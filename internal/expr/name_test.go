package expr

import "testing"

// A name that Name writes is read as that column.
func TestName(t *testing.T) {
	for column, want := range map[string]string{
		"ra": "ra", "pos[0]": "pos[0]", "Pmra.x$": "Pmra.x$", "BP-RP": `"BP-RP"`, "in": `"in"`, "LIKE": `"LIKE"`, "Pi": `"Pi"`, "true": `"true"`,
		`a "b"`: `"a ""b"""`, "2mass": `"2mass"`, "</script>": `"</script>"`, "ü": "ü", "a\nb": "\"a\nb\"", "pos[0": `"pos[0"`, "__x": "__x",
	} {
		text := Name(column)
		if text != want {
			t.Errorf("%q is written %s, want %s", column, text, want)
		}
		e, err := Parse(text + " > 1")
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := e.Columns(); len(got) != 1 || got[0] != column {
			t.Errorf("%s names %q, want %q", text, got, column)
		}
	}
}
