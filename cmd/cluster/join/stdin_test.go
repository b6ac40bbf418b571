package join

import (
	"os"
	"path/filepath"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// A catalog comes from a pipe, in any format, on one side of a join or on both.
func TestCatalogFromPipe(t *testing.T) {
	const csv = "ra,dec\n1,1\n1.0001,1\n"
	out := filepath.Join(t.TempDir(), "out.csv")
	run := func(want int, stdin string, args ...string) {
		t.Helper()
		r := cmdtest.Piped(t, stdin, append(args, "--eps", "1arcsec", "-q", "--force", "-o", out)...)
		if r.Status != 0 {
			t.Errorf("%v: %s", args, r.Stderr)
		} else if got := cmdtest.Lines(t, out); len(got) != want+1 {
			t.Errorf("%v: %q", args, got)
		}
	}
	run(1, csv, "join", "-")
	run(4, csv, "join", "-", "-")
	run(2, csv, "join", "-", cmdtest.CSVOf(t, "ra,dec", "1.00005,1"))
	run(1, "1 1\n1.0001 1\n", "join", "-", "--names", "ra,dec")
	parquet := filepath.Join(t.TempDir(), "t.parquet")
	cmdtest.Succeed(t, "convert", cmdtest.CSVOf(t, "ra,dec", "1,1", "1.0001,1"), "-q", "-o", parquet)
	bytes, err := os.ReadFile(parquet)
	if err != nil {
		t.Fatal(err)
	}
	run(1, string(bytes), "join", "-")
	if r := cmdtest.Piped(t, "", "join", "-", "--eps", "1arcsec"); r.Status != 1 || r.Stderr != "cluster: -: the file is empty\n" {
		t.Errorf("nothing on stdin: %d, %s", r.Status, r.Stderr)
	}
}
