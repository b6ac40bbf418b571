package catalog

import (
	"context"
	"fmt"
	"testing"
)

// One value with a fraction turns a column of integers into floats, and those beyond
// 2⁵³ may lose digits: the first one is named, in one file or where files come
// together. Integers that stay such, or that float64 holds, are none.
func TestRoundings(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"id,x\n1,1\n9007199254740993,2\n2.5,3\n9007199254740995,4\n"}, "[{id float64 FILE 1 9007199254740993 9.007199254740992e+15}]"},
		{[]string{"id,x\n1.5,1\n-1152921504606846977,2\n"}, "[{id float64 FILE 1 -1152921504606846977 -1.152921504606847e+18}]"},
		{[]string{"id,x\n1e5,1\n+18446744073709551615,2\n"}, "[{id float64 FILE 1 +18446744073709551615 1.8446744073709552e+19}]"},
		{[]string{"id\tx\n1.5\t1\n123456789012345678901234567890\t2\n"}, "[{id float64 FILE 1 123456789012345678901234567890 1.2345678901234568e+29}]"},
		{[]string{"id,x\n1,1\n9007199254740993,2\n"}, "[]"},
		{[]string{"id,x\n1.5,1\n9007199254740992,2\n1152921504606846976,3\n"}, "[]"},
		{[]string{"id,x\n9007199254740993,1\nnan,2\n"}, "[]"}, // nan is a null here
		{[]string{"id,x\n9007199254740993,1\nabc,2\n1.5,2\n"}, "[]"},
		{[]string{"id,x\n1,1\n", "id,x\n9007199254740993,1\n", "id,x\n2.5,1\n"}, "[{id float64 FILE 0 9007199254740993 9.007199254740992e+15}]"},
		{[]string{"@relation r\n@attribute id numeric\n@data\n1\n-9007199254740993\n9007199254740995\n"}, "[{id numeric FILE 1 -9007199254740993 -9.007199254740992e+15}]"},
		{[]string{"@relation r\n@attribute id integer\n@data\n1\n9007199254740992\n"}, "[]"},
		{[]string{"# %ECSV 1.0\n# ---\n# datatype:\n# - {name: id, datatype: float64}\nid\n9007199254740993\n"}, "[{id float64 FILE 0 9007199254740993 9.007199254740992e+15}]"},
		{[]string{"# %ECSV 1.0\n# ---\n# datatype:\n# - {name: id, datatype: int64}\nid\n9007199254740993\n"}, "[]"},
		{[]string{"id x\n9007199254740993 1\n2.5 2\n"}, "[{id float64 FILE 0 9007199254740993 9.007199254740992e+15}]"},
	} {
		var paths []string
		at := ""
		for i, text := range c.files {
			paths = append(paths, writeText(t, fmt.Sprintf("f%d.%s", i, map[byte]string{'@': "arff", '#': "ecsv", 'i': "csv"}[text[0]]), text))
			if i == len(c.files)/2 {
				at = paths[i]
			}
		}
		cat, err := Open(context.Background(), paths, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := cat.Roundings()
		for i := range got {
			if got[i].Path == at {
				got[i].Path = "FILE"
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%q: %v, want %s", c.files, got, c.want)
		}
		cat.Close()
	}
}
