package main

import (
	"os"
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
		if successor := flags.Renamed[flag]; !now[path+" --"+flag] && !now[path+" --"+successor] {
			t.Errorf("%s of the last release is gone without a successor in flags.Renamed", line)
		}
	}
	if len(now) < 200 {
		t.Errorf("%d flags", len(now))
	}
}

// A flag that is renamed is refused with its new name.
func TestRenamedFlagIsRefused(t *testing.T) {
	flags.Renamed["radius-of-old"] = "eps"
	defer delete(flags.Renamed, "radius-of-old")
	cmdtest.Refuse(t, exit.Request, []string{"join", "a.csv", "--radius-of-old", "1"}, "--radius-of-old is --eps now")
}
