package validity

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

func TestIndex(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,k,name", "0,7,a", "1,7,a", "2,7,a", "3,7,a", "10,9,a", "12,9,a", "50,-1,a", "60,,a")
	out := filepath.Join(t.TempDir(), "clusters.csv")
	r := cmdtest.Succeed(t, "validity", in, "-c", "x", "--labels", "k", "--json", "--clusters", out)
	if !strings.Contains(r.Stdout, `"dbcv":0.7`) || !strings.Contains(r.Stdout, `"clusters":2,"noise":1`) {
		t.Errorf("summary %s", r.Stdout)
	}
	for column, want := range map[string]string{"cluster": "7 9", "size": "4 2", "separation": "8 8", "validity": "0.85 0.75"} {
		if got := strings.Join(cmdtest.Column(t, out, column), " "); got != want {
			t.Errorf("%s %q, want %q", column, got, want)
		}
	}
	one := cmdtest.Succeed(t, "validity", cmdtest.CSVOf(t, "x,cluster", "0,0", "1,0", "9,-1"), "-c", "x", "--json")
	if !strings.Contains(one.Stdout, `"dbcv":null`) {
		t.Errorf("of one cluster: %s", one.Stdout)
	}
	table := cmdtest.Succeed(t, "validity", cmdtest.CSVOf(t, "x,cluster", "0,0", "1,0", "9,-1"), "-c", "x").Stderr
	if strings.Contains(table, "NaN") || !strings.Contains(table, "none") {
		t.Errorf("of one cluster:\n%s", table)
	}
	squared := cmdtest.Succeed(t, "validity", in, "-c", "x", "--labels", "k", "--json", "--squared")
	if squared.Stdout == r.Stdout || !strings.Contains(squared.Stdout, `"squared":true`) {
		t.Errorf("squared: %s", squared.Stdout)
	}
}

// Labels that are whole numbers in a column of floats are as good as integers.
func TestLabelsInFloats(t *testing.T) {
	result := func(args ...string) string {
		return fmt.Sprint(cmdtest.SummaryOf(t, cmdtest.Succeed(t, append([]string{"validity", "-c", "x", "--labels", "k", "--json"}, args...)...)).Result)
	}
	floats := cmdtest.CSVOf(t, "x,k", "0,7.0", "1,7.0", "2,7.0", "3,7.0", "10,9.0", "12,9.0", "50,-1.0", "60,nan", "70,1.5")
	integers := cmdtest.CSVOf(t, "x,k", "0,7", "1,7", "2,7", "3,7", "10,9", "12,9", "50,-1", "60,")
	if a, b := result(floats, "--where", "x < 65"), result(integers); a != b {
		t.Errorf("in floats %s, in integers %s", a, b)
	}
	cmdtest.Refuse(t, exit.Request, []string{"validity", floats, "-c", "x", "--labels", "k"}, "--labels k", "1.5 in row 8", "whole numbers")
}

func TestRefused(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,k,name", "0,7,a", "1,7,b")
	for _, c := range []struct{ args, says string }{
		{"", "cluster"},
		{"--labels name", "whole numbers"},
		{"--labels no", "no"},
	} {
		cmdtest.Refuse(t, exit.Request, append([]string{"validity", in, "-c", "x"}, strings.Fields(c.args)...), c.says)
	}
}
