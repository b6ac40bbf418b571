package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

// What version 0.1.0 wrote is read, and its command lines give what they gave:
// testdata/0.1.0 has one of each, made of in.csv. Its plan is refused in a line.
func TestOutputsOfOlderVersions(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/0.1.0")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	labelled := read("labelled.csv")
	same := func(what, got string) {
		t.Helper()
		if got != labelled {
			t.Errorf("%s: %s", what, got)
		}
	}
	find := []string{"dbscan", "in.csv", "-c", "ra,dec", "--eps", "4arcmin", "--min-points", "4"}
	same("dbscan", cmdtest.Succeed(t, append(find, "-o", "-", "-q")...).Stdout)
	for _, format := range []string{"parquet", "fits", "vot", "ecsv"} {
		in := "labelled." + format
		same(in, cmdtest.Succeed(t, "convert", in, "-o", "-", "-q").Stdout)
		got := cmdtest.Succeed(t, "predict", in, "in.csv", "-o", "-", "-q").Stdout
		if want := column(labelled, "cluster"); column(got, "cluster") != want {
			t.Errorf("predict %s: %s, want %s", in, column(got, "cluster"), want)
		}
	}

	corr := []string{"corr", "in.csv", "--random", "randoms.csv", "-c", "ra,dec", "--bins", "log:1arcmin:1deg:4", "--rr", "rr.parquet"}
	cmdtest.Succeed(t, append(corr, "-o", "again.csv", "--compare", "corr.csv", "-p", "corr.svg", "-q")...)
	for _, name := range []string{"lo", "hi", "dd", "dr", "rr", "xi"} {
		if got, want := column(read("again.csv"), name), column(read("corr.csv"), name); got != want {
			t.Errorf("corr: %s is %s, was %s", name, got, want)
		}
	}

	for _, line := range []string{"tile plan --index 0", "merge plan -o out.csv", "status plan"} { // of another form
		cmdtest.Refuse(t, exit.Failed, strings.Fields(line), "plan is of version 3 of plans", "make the plan anew")
	}

	var was, is map[string]any
	if err := json.Unmarshal([]byte(read("summary.json")), &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(cmdtest.Succeed(t, append(find, "-o", filepath.Join(dir, "new.csv"), "--json")...).Stdout), &is); err != nil {
		t.Fatal(err)
	}
	kept(t, "", was, is)
}

// column are the values of a column of CSV.
func column(csv, name string) string {
	var values []string
	at := -1
	for line := range strings.Lines(csv) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		for i, c := range cells {
			if at < 0 && c == name {
				at = i
			}
		}
		if at < 0 {
			return "no column " + name
		}
		values = append(values, cells[at])
	}
	return strings.Join(values, " ")
}

// kept reports what a summary had and has no more, and answers that differ.
func kept(t *testing.T, path string, was, is map[string]any) {
	t.Helper()
	for key, old := range was {
		now, ok := is[key]
		if !ok {
			t.Errorf("the summary has no %s%s", path, key)
		}
		if deeper, ok := old.(map[string]any); ok {
			below, _ := now.(map[string]any)
			kept(t, path+key+".", deeper, below)
		} else if path == "result." && now != old {
			t.Errorf("%s%s is %v, was %v", path, key, now, old)
		}
	}
}
