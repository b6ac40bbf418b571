package main

import (
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

// What is said of rows that a filter drops names the flag that has dropped them.
func TestFilteredByWhichFlag(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y,m,c", "0,0,1,a", "1,0,2,b", "0,1,3,a", "1,1,9,b")
	for line, want := range map[string]string{
		"dbscan IN -c x,y --eps 1 --min-points 2 --where m<5":                                         "where",
		"join IN IN -c x,y --eps 1 --where-b m<5":                                                     "where-b",
		"match IN IN -c x,y --radius 1 --where-b m<5":                                                 "where-b",
		"stat IN IN --expr a.x-b.x --reduce sum --where-b m<5":                                        "where-b",
		"classify --train IN --label c --features x,y -k 1 --where-train m<5 IN":                      "where-train",
		"classify --train IN --label c --features x,y -k 1 --where-train m<5 --cv loo":                "where-train",
		"classify --train IN --label c --features x,y -k 1 --where-train m<5 --cv loo --where m<2 IN": "where-train",
	} {
		args := strings.Fields(strings.ReplaceAll(line, "IN", in))
		table, js := cmdtest.Succeed(t, args...).Stderr, cmdtest.Succeed(t, append(args, "--json")...).Stdout
		if !strings.Contains(table, "filtered by --"+want+": 1 row\n") || !strings.Contains(js, `"filtered by --`+want+`":1`) {
			t.Errorf("%s does not say --%s:\n%s%s", line, want, table, js)
		}
	}
}

// A value of --null is a placeholder for people, and the key "sentinel" for programs.
func TestPlaceholdersAreNamed(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", "0,0", "-999,0", "0,1", "0,-999")
	args := []string{"dbscan", in, "-c", "x,y", "--eps", "1", "--min-points", "2", "--null", "-999"}
	if table := cmdtest.Succeed(t, args...).Stderr; !strings.Contains(table, "placeholder for missing in x: 1 row (first 1)") || strings.Contains(table, "sentinel") {
		t.Errorf("%s", table)
	}
	if js := cmdtest.Succeed(t, append(args, "--json")...).Stdout; !strings.Contains(js, `"sentinel in x":1,"sentinel in y":1`) {
		t.Errorf("%s", js)
	}
	cmdtest.Refuse(t, exit.Failed, append(args, "--strict"), "x placeholder for missing in 1, first row 1")
}
