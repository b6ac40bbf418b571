package main

import (
	"fmt"
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
	"skyjoin/cmd/cluster/internal/job"
)

// severalTimes are the flags that may be given several times: a value adds to
// those before it.
var severalTimes = []string{"let", "let-b", "plot", "plot-covariance", "random", "trace", "upload", "where", "where-b", "where-train", "with"}

// valuesGiven are values of flags that flagValues has none for.
var valuesGiven = map[string]string{"threads": "2", "memory": "1GiB", "device": "cpu", "progress": "never", "index": "0", "method": "lof",
	"rr": "rr.csv", "scan/eps": "1:2:3", "extract": "dbscan:1", "poll": "5s"}

// Every flag of every command takes several values, or refuses a second one by
// the names of both: none is lost in silence.
func TestFlagsGivenTwice(t *testing.T) {
	seen := map[string]bool{}
	tried := 0
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		for _, c := range cmd.Commands() {
			walk(c, append(slices.Clone(path), c.Name()))
		}
		if cmd.HasSubCommands() {
			return
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			_, several := f.Value.(pflag.SliceValue)
			if want := slices.Contains(severalTimes, f.Name); several != want {
				t.Errorf("cluster %s --%s: takes several values: %v, want %v", strings.Join(path, " "), f.Name, several, want)
			}
			seen[f.Name] = true
			if several || f.Name == "help" {
				return
			}
			tried++
			shown := "--" + f.Name
			if f.Shorthand == "o" || f.Shorthand == f.Name {
				shown = "-" + f.Shorthand
			}
			if f.Value.Type() == "bool" {
				cmdtest.Refuse(t, exit.Request, append(slices.Clone(path), "--"+f.Name, "--"+f.Name), shown+" is given twice")
				cmdtest.Refuse(t, exit.Request, append(slices.Clone(path), "--"+f.Name, "--"+f.Name+"=false"), shown+" is given twice, as true and as false")
				return
			}
			value := firstValue(t, cmd, f)
			cmdtest.Refuse(t, exit.Request, append(slices.Clone(path), "--"+f.Name, value, "--"+f.Name, "another"), shown+" is given twice, as "+value+" and as another")
		})
	}
	walk(command.Root(&job.App{}, commands...), nil)
	for _, name := range severalTimes {
		if !seen[name] {
			t.Errorf("no command has --%s", name)
		}
	}
	if tried < 300 {
		t.Errorf("only %d flags are tried", tried)
	}
}

// firstValue returns a value that the flag takes.
func firstValue(t *testing.T, cmd *cobra.Command, f *pflag.Flag) string {
	values := []string{}
	for _, of := range []map[string]string{valuesGiven, flagValues} {
		values = append(values, of[cmd.Name()+"/"+f.Name], of[f.Name])
	}
	other := command.Root(&job.App{}, commands...) // the flag itself stays as it is
	same, _, err := other.Find(strings.Fields(cmd.CommandPath())[1:])
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range append(values, "1", "2", "0.5", "1,2", "a.csv") {
		if v == "" {
			continue
		}
		err := same.Flags().Set(f.Name, v)
		if err == nil {
			return v
		}
		if _, all, ok := strings.Cut(fmt.Sprint(err), "it is one of "); ok {
			first, _, _ := strings.Cut(all, ",")
			return first
		}
	}
	t.Fatalf("no value is known of %s --%s: give it one in valuesGiven", cmd.CommandPath(), f.Name)
	return ""
}

// Row filters given several times leave the rows for which all are true.
func TestWhereGivenTwice(t *testing.T) {
	in := filepath.Join("testdata", "where-twice.csv")
	for _, c := range []struct {
		where []string
		want  string
	}{
		{[]string{"m<10"}, "5"},
		{[]string{"m<10", "m>2"}, "5"},
		{[]string{"m>2", "m<16"}, "5 15"},
		{[]string{"m<10 or m>15", "ra>10"}, "16"},
		{[]string{"m<10 or m>15", "ra>9", "m != 16"}, "5"},
	} {
		out := filepath.Join(t.TempDir(), "out.csv")
		args := []string{"convert", in, "-o", out, "-q"}
		for _, w := range c.where {
			args = append(args, "--where", w)
		}
		cmdtest.Succeed(t, args...)
		if got := strings.Join(cmdtest.Column(t, out, "m"), " "); got != c.want {
			t.Errorf("--where %q leaves m = %s, want %s", c.where, got, c.want)
		}
	}
	cmdtest.Refuse(t, exit.Request, []string{"convert", in, "-o", "-", "--where", "m<10) or (m>15", "--where", "ra>10"}, "--where m<10) or (m>15", "at character 5")
	cmdtest.Refuse(t, exit.Request, []string{"convert", in, "-o", "-", "--where", "m<10", "--where", "q>2"}, "--where (m<10) and (q>2)", `no column "q"`)
	cmdtest.Refuse(t, exit.Request, []string{"convert", in, "-o", "-", "--where", "m<10", "--where", ""}, "--where is empty")
	both := cmdtest.Succeed(t, "join", in, in, "-c", "ra,dec", "--eps", "2arcsec", "--where-b", "m>2", "--where-b", "m<16", "--json").Stdout
	one := cmdtest.Succeed(t, "join", in, in, "-c", "ra,dec", "--eps", "2arcsec", "--where-b", "m>2 and m<16", "--json").Stdout
	if got, want := cmdtest.SummaryOf(t, cmdtest.Result{Stdout: both}).Result["pairs"], cmdtest.SummaryOf(t, cmdtest.Result{Stdout: one}).Result["pairs"]; got != want || got == nil {
		t.Errorf("--where-b given twice: %v pairs, want %v", got, want)
	}
}

// Of two outputs none is dropped: nothing is written.
func TestOutputsGivenTwice(t *testing.T) {
	in, err := filepath.Abs(filepath.Join("testdata", "where-twice.csv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	base := []string{"dbscan", in, "-c", "ra,dec", "--eps", "2arcsec", "--min-points", "2"}
	for _, more := range [][]string{{"-o", "a.csv", "-o", "b.fits"}, {"--clusters", "a.csv", "--clusters", "b.csv"}, {"--plot-panels", "a.png", "--plot-panels", "b.png"}} {
		cmdtest.Refuse(t, exit.Request, append(slices.Clone(base), more...), more[0]+" is given twice", more[1], more[3])
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("%v is written (%v)", left, err)
	}
}
