package main

import (
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

func TestCompletion(t *testing.T) {
	in := cmdtest.CSVOf(t, `ra,dec,"a,b",radius`, "1,2,3,4")
	for _, c := range []struct{ args, want string }{
		{"dbscan FILE -c r", "ra radius"},
		{"dbscan FILE -c ra,d", "ra,dec"},
		{"dbscan FILE -c ra,", `ra,ra ra,dec ra,"a,b" ra,radius`},
		{"dbscan FILE --weights rad", "radius"},
		{"dbscan FILE --metric ", "euclidean sky periodic"},
		{"dbscan FILE --border ", "first nearest"},
		{"dbscan none.csv -c r", ""},
		{"dbs", "dbscan"},
	} {
		args := strings.Split(c.args, " ")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "FILE", in)
		}
		var got []string
		for line := range strings.Lines(cmdtest.Succeed(t, append([]string{"__complete"}, args...)...).Stdout) {
			if word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); !strings.HasPrefix(word, ":") {
				got = append(got, word)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.args, got, c.want)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := cmdtest.Succeed(t, "completion", shell); !strings.Contains(r.Stdout, "cluster") {
			t.Errorf("no completion for %s", shell)
		}
	}
}
