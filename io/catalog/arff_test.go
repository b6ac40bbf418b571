package catalog

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestARFF(t *testing.T) {
	text := lines("% note", "@RELATION 'my stars'", "", "@Attribute ra real", "@attribute 'proper motion' NUMERIC", `@attribute "n\"x" integer`,
		"@attribute\tclass\t{star, 'dwarf galaxy'}", "@attribute s string", "@attribute d date \"yyyy-MM-dd\"", "@Data", "% more",
		"10.5, -3, 7, star, 'it\\'s', \"2020-01-01\"", "", "?,?,?,?,?,?", "1e3,nan,-1,'dwarf galaxy','?',x")
	c := open(t, writeText(t, "t.arff", text))
	want := lines("ra float64?: 10.5 · 1000", "proper motion float64?: -3 · NaN", `n"x int64?: 7 · -1`,
		`class string?: "star" · "dwarf galaxy"`, `s string?: "it's" · "?"`, `d string?: "2020-01-01" · "x"`)
	if d := cmp.Diff(want, table(t, c)); d != "" {
		t.Error(d)
	}
	if got := c.Metadata(); len(got) != 1 || got[0] != (KeyValue{"relation", "my stars"}) {
		t.Errorf("metadata %v", got)
	}
}

func TestARFFErrors(t *testing.T) {
	const head = "@relation r\n@attribute a real\n@attribute b integer\n@data\n"
	for _, c := range []struct{ name, text, want string }{
		{"no data", "@relation r\n@attribute a real\n", "the file ends before its @data line"},
		{"no attributes", "@data\n", "line 1: @data comes before any @attribute"},
		{"stray", "@relation r\nra,dec\n", "line 2: ra,dec stands where @relation, @attribute or @data should"},
		{"duplicate", "@attribute a real\n@attribute a real\n", `line 2: a second attribute is named "a"`},
		{"type", "@attribute a relational\n", "line 1: attribute a has the type relational; numeric, real, integer, string, date and {value, …} are read"},
		{"no type", "@attribute a\n", "line 1: @attribute needs a name and a type, such as @attribute ra numeric"},
		{"open brace", "@attribute a {x,y\n", "line 1: the values of attribute a have no closing }"},
		{"open quote", "@attribute 'a real\n", "line 1: the quote of 'a real is never closed"},
		{"sparse", head + "{0 1.5, 1 2}\n", "line 5: the row is sparse, {index value, …}; write all values of it"},
		{"ragged", head + "1,2\n1\n", "line 6: the row has 1 cell, 1; there are 2 columns"},
		{"bad real", head + "x,2\n", `line 5: column a has "x", which is no float64`},
		{"bad integer", head + "1,2.5\n", `line 5: column b has "2.5", which is no int64`},
	} {
		path := writeText(t, "t.arff", c.text)
		_, err := Open(context.Background(), []string{path}, Options{})
		if err == nil || err.Error() != path+": "+c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}
