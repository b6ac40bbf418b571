package convert

import (
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

// Columns that an output cannot hold are left out and named, or lists kept as text;
// those that are asked for by name are an error.
func TestColumnsThatAnOutputCannotHold(t *testing.T) {
	in := cmdtest.Write(t, "in.ecsv", "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: id, datatype: int64}\n# - {name: v, datatype: string, subtype: 'int64[null]'}\n# - {name: t, datatype: datetime64}\n# schema: astropy-2.0\nid v t\n1 [1,2] 2015-01-01\n2 \"\" 2016-01-01\n")
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	back := func(path string) string {
		out := at("back.csv")
		cmdtest.Succeed(t, "convert", path, "-o", out, "-q")
		return text(t, out)
	}
	for _, c := range []struct {
		args       []string
		ext, want  string
		warned     string
		leftColumn string
	}{
		{nil, ".mrt", "id\n1\n2\n", "cannot hold v (string of int64[null]), t (datetime64): left out", "1"},
		{[]string{"--keep-all"}, ".mrt", "id,v\n1,\"[1,2]\"\n2,\n", "cannot hold t (datetime64): left out", "2"},
		{nil, ".fits", "id,v\n1,\"[1,2]\"\n2,[]\n", "cannot hold t (datetime64): left out", "2"},
		{[]string{"--keep-all", "--columns", "v,id"}, ".tbl", "v,id\n\"[1,2]\",1\n,2\n", "", "2"},
	} {
		out := at("o" + c.ext)
		r := cmdtest.Succeed(t, append([]string{"convert", in, "-o", out}, c.args...)...)
		if c.warned == "" && strings.Contains(r.Stderr, "warning") || !strings.Contains(r.Stderr, c.warned) || !strings.Contains(r.Stderr, "columns  "+c.leftColumn) {
			t.Errorf("%s %v: said %s", c.ext, c.args, r.Stderr)
		}
		if got := back(out); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.ext, c.args, got, c.want)
		}
	}
	cmdtest.Refuse(t, exit.Request, []string{"convert", in, "--columns", "v", "-o", at("o.tex")}, `column "v"`, "--keep-all writes it as text")
	cmdtest.Refuse(t, exit.Request, []string{"convert", in, "--columns", "t", "-o", at("o.fits")}, `column "t" (datetime64) cannot be written to FITS`)
	out := at("o.tbl")
	if r := cmdtest.Succeed(t, "dbscan", in, "-c", "id", "--eps", "1", "--min-points", "2", "-o", out); !strings.Contains(r.Stderr, "cannot hold v (string of int64[null]), t (datetime64)") {
		t.Errorf("dbscan said %s", r.Stderr)
	}
}

// Two columns of one name are told apart.
func TestColumnsOfOneName(t *testing.T) {
	for form, rows := range map[string]string{"csv": "x,x,x_1,x\n1,2,3,4\n", "dat": "x x x_1 x\n1 2 3 4\n", "ecsv": "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x, datatype: int64}\n# - {name: x, datatype: int64}\n# - {name: x_1, datatype: int64}\n# - {name: x, datatype: int64}\nx x x_1 x\n1 2 3 4\n"} {
		in := cmdtest.Write(t, "in."+form, rows)
		for _, ext := range []string{"csv", "fits", "parquet", "ecsv"} {
			out := filepath.Join(t.TempDir(), "out."+ext)
			cmdtest.Succeed(t, "convert", in, "-o", out, "-q")
			csv := filepath.Join(t.TempDir(), "back.csv")
			cmdtest.Succeed(t, "convert", out, "-o", csv, "-q")
			if got, want := text(t, csv), "x,x_2,x_1,x_3\n1,2,3,4\n"; got != want {
				t.Errorf("%s by %s: %q, want %q", form, ext, got, want)
			}
		}
		if said := cmdtest.Succeed(t, "info", in).Stdout; !strings.Contains(said, "column 2 is called x_2, as another column is named x") {
			t.Errorf("info says %s", said)
		}
	}
}
