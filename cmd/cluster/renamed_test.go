package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
)

// Every flag of the last release, testdata/flags.txt, is there or has a successor.
func TestFlagsOfTheLastReleaseAreKnown(t *testing.T) {
	now := map[string]bool{}
	var list func(cmd *cobra.Command)
	list = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { now[cmd.CommandPath()+" --"+f.Name] = true })
		for _, c := range cmd.Commands() {
			list(c)
		}
	}
	list(command.Root(&job.App{}, commands...))
	text, err := os.ReadFile("testdata/flags.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		path, flag, _ := strings.Cut(strings.TrimSpace(line), " --")
		if successor := flags.Renamed[flag]; !now[path+" --"+flag] && !now[path+" --"+successor] && flags.Elsewhere[flag] == "" {
			t.Errorf("%s of the last release is gone without a word in flags.Renamed or flags.Elsewhere", line)
		}
	}
	if len(now) < 200 {
		t.Errorf("%d flags", len(now))
	}
}

// The flags of published GPU kernels are refused by commands that have none, in a
// line that says where they act.
func TestFlagsOfPublishedKernelsElsewhere(t *testing.T) {
	line := map[string]string{}
	for _, c := range []struct {
		flags, where string
		act          []string
	}{
		{"--gpu-pattern brute --gpu-threads 32 --gpu-order workqueue", "join and knn", []string{"join", "knn"}},
		{"--gpu-tiling naive --gpu-output global", "hist, rdf, corr and stat", []string{"hist", "rdf", "corr", "stat"}},
	} {
		words := strings.Fields(c.flags)
		for i := 0; i < len(words); i += 2 {
			for _, e := range table {
				if slices.Contains(c.act, e.Name) || len(e.New(&job.App{}).Commands()) > 0 {
					continue
				}
				cmdtest.Refuse(t, exit.Request, []string{e.Name, "a.csv", words[i], words[i+1]}, words[i]+" is for the published GPU kernels of "+c.where, e.Name+" has none")
				line[e.Name] = ""
			}
		}
	}
	if len(line) < 20 {
		t.Errorf("%d commands", len(line))
	}
}

// A flag that is renamed is refused with its new name.
func TestRenamedFlagIsRefused(t *testing.T) {
	flags.Renamed["radius-of-old"] = "eps"
	defer delete(flags.Renamed, "radius-of-old")
	cmdtest.Refuse(t, exit.Request, []string{"join", "a.csv", "--radius-of-old", "1"}, "--radius-of-old is --eps now")
}

// Every column and every key of JSON that the last release writes is there or has a
// successor. testdata/outputs.txt has command lines, and what they wrote then.
func TestOutputsOfTheLastReleaseAreKnown(t *testing.T) {
	outputs := cmdtest.Lines(t, "testdata/outputs.txt")
	t.Chdir(t.TempDir())
	keys := map[string]bool{} // of the summary of the last command
	line, seen := "", 0
	for _, l := range outputs {
		if command, ok := strings.CutPrefix(l, "$ "); ok {
			line, keys = command, map[string]bool{}
			var args []string
			for i, part := range strings.Split(command, `"`) {
				if i%2 == 1 {
					args = append(args, part)
				} else {
					args = append(args, strings.Fields(part)...)
				}
			}
			if r := cmdtest.Succeed(t, args...); strings.Contains(command, "--json") {
				var summary any
				if err := json.Unmarshal([]byte(r.Stdout), &summary); err != nil {
					t.Fatalf("%s: %v", command, err)
				}
				addKeys(keys, "", summary)
			}
			continue
		}
		name, names, _ := strings.Cut(l, ": ")
		now, successors := keys, renamedKeys
		if name != "json" {
			now, successors = map[string]bool{}, flags.RenamedColumns
			for _, column := range strings.Split(header(t, name), ",") {
				now[column] = true
			}
		}
		for _, old := range strings.Fields(names) {
			seen++
			if !now[old] && !now[successors[old]] {
				t.Errorf("%s: %s: %s of the last release is gone without a successor", line, name, old)
			}
		}
	}
	if seen < 500 {
		t.Errorf("%d names", seen)
	}
}

// renamedKeys are the keys of JSON that had another name in the last release.
var renamedKeys = map[string]string{"result.neighbours": "result.neighbors"}

// addKeys adds the keys of a value of JSON, with those of the objects around them.
func addKeys(keys map[string]bool, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for k, e := range v {
			keys[path+k] = true
			addKeys(keys, path+k+".", e)
		}
	case []any:
		for _, e := range v {
			addKeys(keys, path, e)
		}
	}
}

// header returns the line of a CSV file that names its columns.
func header(t *testing.T, path string) string {
	for _, l := range cmdtest.Lines(t, path) {
		if !strings.HasPrefix(l, "#") {
			return l
		}
	}
	t.Fatalf("%s has no columns", path)
	return ""
}

// A column that is renamed is refused with its new name, wherever it is named.
func TestRenamedColumnIsRefused(t *testing.T) {
	flags.RenamedColumns["of_old"] = "x"
	defer delete(flags.RenamedColumns, "of_old")
	in := cmdtest.CSVOf(t, "x,y,class", "0,1,a", "0,2,b")
	for _, line := range []string{
		"dbscan IN -c of_old,y --eps 1 --min-points 2",
		"dbscan IN -c x,y --eps 1 --min-points 2 --where of_old>1",
		"dbscan IN -c x,y --eps 1 --min-points 2 --weights of_old",
		"convert IN -o - --let z=of_old+1",
		"convert IN -o - --columns of_old",
		"join IN IN -c x,y --columns-b of_old,y --eps 1",
		"join IN -c x,y --eps 1 --keep of_old -o -",
		"hist IN -c x,y --bins 0,1 --weights of_old",
		"stat IN -c x,y --expr r+a.of_old --reduce sum",
		"classify --train IN --label of_old --features x,y -k 1 IN",
		"plan dbscan IN -c of_old,y --eps 1 --min-points 2 --tiles 2 -o " + filepath.Join(t.TempDir(), "plan"),
	} {
		cmdtest.Refuse(t, exit.Request, strings.Fields(strings.ReplaceAll(line, "IN", in)), `there is no column "of_old"; it is "x" now`)
	}
}
