package validity

import (
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
