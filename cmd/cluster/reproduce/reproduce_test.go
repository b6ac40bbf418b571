package reproduce

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

func TestReproduce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "measured")
	args := []string{"reproduce", "003", "fig7a", "--scale", "0.0002", "-t", "1", "-o", dir}
	r := cmdtest.Succeed(t, args...)
	if !cmdtest.Contains(r.Stdout, "## Figure 7a", "| Expo8D10M 0.012 |", "Measured at scale 0.0002", "A: ", "1 threads") || !cmdtest.Contains(r.Stderr, "Figure 7a, Expo2D2M 0.002\n") {
		t.Errorf("%q, %q", r.Stdout, r.Stderr)
	}
	again := cmdtest.Succeed(t, append(args, "--resume")...)
	if again.Stdout != r.Stdout || again.Stderr != "" {
		t.Errorf("measured again: %q, %q", again.Stdout, again.Stderr)
	}
	cmdtest.Refuse(t, exit.Request, args, "--resume", "another folder")
	var got Result
	if r := cmdtest.Succeed(t, append(args, "--resume", "--json")...); json.Unmarshal([]byte(r.Stdout), &got) != nil || got.Command != "reproduce" || got.Paper != "003" || got.Scale != 0.0002 || len(got.Outputs) != 1 {
		t.Errorf("%s", r.Stdout)
	}
	for _, v := range got.Values {
		if v.Table != "Figure 7a" || v.Row == "" || v.Column == "" || !strings.Contains(v.Machine, "1 threads") || v.Measured <= 0 {
			t.Errorf("%+v", v)
		}
	}
	if lines := strings.Count(r.Stdout, "\n| "); len(got.Values) < lines-3 {
		t.Errorf("%d values of %d rows", len(got.Values), lines)
	}
	for _, c := range []struct{ args, parts []string }{
		{[]string{"reproduce"}, []string{"needs a paper"}},
		{[]string{"reproduce", "042"}, []string{`"042"`, "003"}},
		{[]string{"reproduce", "003", "Table 9"}, []string{`"Table 9"`, "Table 3, Figure 7a"}},
		{[]string{"reproduce", "003", "--scale", "0"}, []string{"--scale 0"}},
		{[]string{"reproduce", "003", "--scale", "1.5"}, []string{"--scale 1.5"}},
		{[]string{"reproduce", "003", "--resume"}, []string{"--resume", "-o"}},
	} {
		cmdtest.Refuse(t, exit.Request, c.args, c.parts...)
	}
}
