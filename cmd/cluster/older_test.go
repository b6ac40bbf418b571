package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// What version 0.1.0 wrote is read, and its command lines give what they gave:
// testdata/0.1.0 has one of each, made of in.csv. The second of its plan's two tiles is
// still to be computed.
func TestOutputsOfOlderVersions(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/0.1.0")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	move(t, "plan", "/data/in.csv", filepath.Join(dir, "in.csv"))
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

	cmdtest.Succeed(t, "tile", "plan", "--index", "1", "-q")
	same("merge", cmdtest.Succeed(t, "merge", "plan", "-o", "-", "-q").Stdout)

	var was, is map[string]any
	if err := json.Unmarshal([]byte(read("summary.json")), &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(cmdtest.Succeed(t, append(find, "-o", filepath.Join(dir, "new.csv"), "--json")...).Stdout), &is); err != nil {
		t.Fatal(err)
	}
	kept(t, "", was, is)
}

// move has a plan, a tile of which is computed, say where its catalog is now: pieces
// name the plan by its hash.
func move(t *testing.T, plan, from, to string) {
	t.Helper()
	replace := func(path, from, to string) (old, now []byte) {
		old, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(old, []byte(from)) {
			t.Fatalf("%s does not say %s (%v)", path, from, err)
		}
		now = bytes.ReplaceAll(old, []byte(from), []byte(to))
		if err := os.WriteFile(path, now, 0o666); err != nil {
			t.Fatal(err)
		}
		return old, now
	}
	id := func(text []byte) string {
		sum := sha256.Sum256(text)
		return hex.EncodeToString(sum[:8])
	}
	text, err := os.ReadFile(filepath.Join(plan, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(`"modified": "(.*)"`).FindSubmatch(text)
	modified, err := time.Parse(time.RFC3339Nano, string(at[1]))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(to, modified, modified); err != nil {
		t.Fatal(err)
	}
	old, now := replace(filepath.Join(plan, "plan.json"), from, to)
	replace(filepath.Join(plan, "tiles", "00000", "tile.json"), id(old), id(now))
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
