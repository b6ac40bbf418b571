package main

import (
	"os"
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
		{"--gpu-tiling naive --gpu-output global", "hist, rdf and corr", []string{"hist", "rdf", "corr"}},
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
