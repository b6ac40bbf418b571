package convert

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

func TestConvert(t *testing.T) {
	in := cmdtest.CSVOf(t, "id,g,bp,rp", "5188146736371635584,18.5,19,18", "2,-999,-999,1", "3,,2,")
	dir := t.TempDir()
	last := in
	for _, name := range []string{"a.fits", "b.vot", "c.ecsv", "d.parquet", "e.xml", "f.csv"} {
		out := filepath.Join(dir, name)
		cmdtest.Succeed(t, "convert", last, "-o", out, "-q")
		last = out
	}
	got, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, name := range []string{"a.fits", "d.parquet", "f.csv"} {
		out := filepath.Join(dir, name+".null.csv")
		cmdtest.Succeed(t, "convert", filepath.Join(dir, name), "-o", out, "-q", "--null", "-999", "--let", "bp_rp = bp - rp", "--let", "red = bp_rp > 0.5")
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if want := "id,g,bp,rp,bp_rp,red\n5188146736371635584,18.5,19,18,1,true\n2,,,1,,\n3,,2,,,\n"; string(got) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestConvertSummary(t *testing.T) {
	in := cmdtest.CSVOf(t, "a,b", "1,2", "3,4")
	r := cmdtest.Succeed(t, "convert", in, "-o", filepath.Join(t.TempDir(), "o.fits"), "--json")
	var s struct {
		Command string
		Input   struct{ Rows int64 }
		Result  struct{ Rows, Columns int64 }
	}
	if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
		t.Fatal(err)
	}
	if s.Command != "convert" || s.Input.Rows != 2 || s.Result.Rows != 2 || s.Result.Columns != 2 {
		t.Errorf("%+v", s)
	}
}

func TestConvertRefuses(t *testing.T) {
	in := cmdtest.CSVOf(t, "a,b", "1,x", "3,y")
	out := filepath.Join(t.TempDir(), "o.fits")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"-o is needed", []string{in}},
		{".fits", []string{in, "-o", out + "x"}},
		{"defines no column", []string{in, "-o", out, "--let", "a + 1"}},
		{"there is a column a", []string{in, "-o", out, "--let", "a = 1"}},
		{`no column "z"`, []string{in, "-o", out, "--let", "c = z + 1"}},
		{"--let c = a +:", []string{in, "-o", out, "--let", "c = a +"}},
	} {
		r := cmdtest.Cluster(t, append([]string{"convert"}, c.args...)...)
		if r.Status != exit.Request || !strings.Contains(r.Stderr, c.want) {
			t.Errorf("%q: status %d, %s, want …%s…", c.args, r.Status, r.Stderr, c.want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("an output is there")
	}
}

// TestLet clusters by columns that are in no file, and keeps them.
func TestLet(t *testing.T) {
	for _, ext := range []string{".csv", ".parquet", ".fits"} {
		in := cmdtest.CSVOf(t, "a,b", "1,1", "2,2", "3,3", "30,3")
		src := filepath.Join(t.TempDir(), "in"+ext)
		cmdtest.Succeed(t, "convert", in, "-o", src, "-q")
		out := filepath.Join(t.TempDir(), "out.csv")
		cmdtest.Succeed(t, "dbscan", src, "-c", "d", "--let", "d = a / 10", "--where", "d < 2", "--eps", "0.15", "--min-points", "2", "-o", out, "-q")
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if want := "a,b,d,cluster,core\n1,1,0.1,0,true\n2,2,0.2,0,true\n3,3,0.3,0,true\n30,3,3,,\n"; string(got) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", ext, got, want)
		}
	}
}

// Null elements of lists stay null in every format.
func TestNullElements(t *testing.T) {
	want := []string{"v,n", `"[1.5,null]",1`, `"[null,null]",2`, ",3", "[2],4", "[null],5"}
	in := cmdtest.CSVOf(t, want...)
	for _, ext := range []string{".vot", ".parquet", ".fits", ".ecsv"} {
		there, back := filepath.Join(t.TempDir(), "there"+ext), filepath.Join(t.TempDir(), "back.csv")
		cmdtest.Succeed(t, "convert", in, "-o", there, "-q")
		cmdtest.Succeed(t, "convert", there, "-o", back, "-q")
		if got := cmdtest.Lines(t, back); !slices.Equal(got, want) {
			t.Errorf("%s: %q", ext, got)
		}
	}
}

// A catalog of which no column can be written is refused.
func TestNoColumnIsLeft(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.npy")
	head := "{'descr': '|V3', 'fortran_order': False, 'shape': (2,), }"
	data := "\x93NUMPY\x01\x00" + string([]byte{byte(len(head) + 1), 0}) + head + "\nabcdef"
	if err := os.WriteFile(in, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{"csv", "fits", "vot", "ecsv"} {
		cmdtest.Refuse(t, exit.Failed, []string{"convert", in, "-o", filepath.Join(dir, "out."+ext), "-q"}, "none of the columns")
	}
	if got := cmdtest.Names(t, dir); len(got) != 1 {
		t.Errorf("%q are there", got)
	}
}
