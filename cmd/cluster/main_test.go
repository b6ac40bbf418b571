package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
)

func TestHelp(t *testing.T) {
	root := cmdtest.Succeed(t)
	for _, part := range []string{"cluster info", "cluster kdist", "cluster dbscan", "cluster gen", "Exit status:"} {
		if !strings.Contains(root.Stdout, part) {
			t.Errorf("the help does not show %q", part)
		}
	}
	for _, c := range command.Root(&job.App{}, commands...).Commands() {
		help := cmdtest.Succeed(t, c.Name(), "--help").Stdout
		for _, part := range []string{"Examples:", "cluster " + c.Name(), "Exit status:", "130  interrupted"} {
			if !strings.Contains(help, part) {
				t.Errorf("the help of %s does not show %q", c.Name(), part)
			}
		}
		_, listed, _ := strings.Cut(help, "\nFlags:\n")
		if listed, _, _ = strings.Cut(listed, "\n\n"); strings.Count(listed, "\n") >= 16 && !strings.Contains(listed, "--help ") {
			t.Errorf("the help of %s lists more than everyday flags:\n%s", c.Name(), listed)
		}
		all := ""
		if c.Flags().Lookup("help-all") != nil {
			all = cmdtest.Succeed(t, c.Name(), "--help-all").Stdout
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if all != "" && !strings.Contains(all, "--"+f.Name+" ") {
				t.Errorf("the help of all flags of %s does not have --%s", c.Name(), f.Name)
			}
		})
		for line := range strings.Lines(help) {
			if len([]rune(line)) > 110 {
				t.Errorf("the help of %s has a line of %d letters: %s", c.Name(), len([]rune(line)), line)
			}
			if strings.HasPrefix(line, strings.Repeat(" ", 50)) {
				t.Errorf("the help of %s leaves no room for what flags do: %s", c.Name(), line)
			}
		}
	}
}

// Flags of the help are there, and are not more than a screen has room for.
func TestEverydayFlags(t *testing.T) {
	for _, words := range [][]string{{"dbscan"}, {"corr"}, {"plan", "match"}} {
		short := cmdtest.Succeed(t, append(words, "--help")...).Stdout
		all := cmdtest.Succeed(t, append(words, "--help-all")...).Stdout
		if got := cmdtest.Succeed(t, append([]string{"help", "--help-all"}, words...)...).Stdout; got != all {
			t.Errorf("help --help-all %v is not %v --help-all: %s", words, words, got)
		}
		for _, part := range []string{"What is computed:", "Input:", "Output:", "The run:", "--null-b", "--allow-empty"} {
			if strings.Contains(short, part) || !strings.Contains(all, part) && (part != "--null-b" || words[0] != "dbscan") {
				t.Errorf("%v: %s is in the short help, or not in the long one", words, part)
			}
		}
	}
	if text := cmdtest.Succeed(t, "join", "--help-all").Stdout; strings.Index(text, "Published methods:") > strings.Index(text, "--gpu-pattern") || !strings.Contains(text, "\nDevice:\n") {
		t.Errorf("the published methods are not by themselves:\n%s", text)
	}
}

func TestHelpOnCommands(t *testing.T) {
	if got, want := cmdtest.Succeed(t, "help", "dbscan").Stdout, cmdtest.Succeed(t, "dbscan", "--help").Stdout; got != want {
		t.Errorf("help dbscan is not the help of dbscan: %s", got)
	}
	if got, want := cmdtest.Succeed(t, "help").Stdout, cmdtest.Succeed(t).Stdout; got != want {
		t.Errorf("help is not the help of all: %s", got)
	}
	cmdtest.Refuse(t, 2, []string{"help", "dbscn"}, `did you mean "dbscan"?`)
	cmdtest.Refuse(t, 2, []string{"help", "galaxies"}, `unknown command "galaxies"`)
	cmdtest.Refuse(t, 2, []string{"help", "dbscan", "eps"}, `no command "eps" of cluster dbscan`)
}

// Flags of devices that the run will not use are refused, not passed over.
func TestFlagsOfOtherDevices(t *testing.T) {
	in := cmdtest.CSVOf(t, "x", "1", "2")
	for flags, parts := range map[string][]string{
		"--device cpu --gpus 0,1":   {"--gpus 0,1", "--device cpu"},
		"--trace t.svg":             {"--trace t.svg", "--device hybrid"},
		"--trace t.csv --gpus 0":    {"--trace t.csv", "--gpus"},
		"--partition dyn":           {"--partition dyn", "--device hybrid"},
		"--partition sq -d gpu":     {"--partition sq", "--device hybrid"},
		"--counts":                  {"--counts", "-o"},
		"--counts --clusters c.csv": {"--counts", "-o"},
	} {
		cmdtest.Refuse(t, exit.Request, append([]string{"dbscan", in, "-c", "x", "--eps", "1", "--min-points", "2"}, strings.Fields(flags)...), parts...)
	}
	cmdtest.Succeed(t, "dbscan", in, "-c", "x", "--eps", "1", "--min-points", "2", "--gpus", "0", "-q")
}

func TestUnknownNames(t *testing.T) {
	cmdtest.Refuse(t, exit.Request, []string{"frobnicate"}, `unknown command "frobnicate"`)
	cmdtest.Refuse(t, exit.Request, []string{"frobnicate", "--json"}, `unknown command "frobnicate"`)
	cmdtest.Refuse(t, exit.Request, []string{"--frob"}, "unknown flag --frob")
	cmdtest.Refuse(t, exit.Request, []string{"--versoin"}, "did you mean --version?")
}

// commands make all commands.
var commands = command.Needed(table, nil)

func TestMain(m *testing.M) { cmdtest.Main(m, commands...) }

// The command that a line begins with is the only one that is made, with the
// name that it has in the table.
func TestNeeded(t *testing.T) {
	others := []string{"again", "config", "man", "run"} // need all
	for _, e := range table {
		made := command.Root(&job.App{}, command.Needed(table, []string{e.Name})...).Commands()
		if !slices.Contains(others, e.Name) && len(made) != 1 || !slices.ContainsFunc(made, func(c *cobra.Command) bool { return c.Name() == e.Name }) {
			t.Errorf("%d commands are made for %s", len(made), e.Name)
		}
	}
	for _, args := range [][]string{nil, {"help", "dbscan"}, {"--help"}, {"dbscn"}, {"__complete", "db"}, {"completion", "bash"}} {
		if got := len(command.Needed(table, args)); got != len(table) {
			t.Errorf("%q: %d commands, all are needed", args, got)
		}
	}
}
