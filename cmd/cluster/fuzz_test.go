package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
)

// fuzzed are the trials of commands that read catalogs and end by themselves. Runs
// of files are not among them: they carry out commands in processes of their own.
func fuzzed(d *trialData) (all [][]string) {
	seen := map[string]bool{}
	for _, c := range trials {
		args := d.args(c.line)
		if !slices.Contains([]string{"man", "devices", "submit", "status", "tile", "merge", "relabel", "gen", "calibrate", "reproduce", "config", "again", "run"}, args[0]) && !seen[c.line] {
			seen[c.line] = true
			all = append(all, append(args, "-q"))
		}
	}
	return all
}

// answers carries out a command line: an exit status that there is, an error in two
// lines at most, no crash, in time.
func answers(t *testing.T, d *trialData, args []string) {
	t.Helper()
	if err := os.RemoveAll(d.path("work")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(d.path("work"), 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var stdout, stderr bytes.Buffer
	status := command.Run(ctx, &job.App{Stdin: strings.NewReader("x\n1\n"), Stdout: &stdout, Stderr: &stderr, Version: cmdtest.Version}, args, command.Needed(table, args)...)
	line := "cluster " + strings.Join(args, " ")
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s: it has not ended after 20 seconds", line)
	case strings.Contains(stderr.String(), "internal error"):
		t.Fatalf("%s: %s", line, &stderr)
	case !slices.Contains([]int{exit.Done, exit.Failed, exit.Request}, status), status != exit.Done && stderr.Len() == 0:
		t.Fatalf("%s: status %d, stderr %q", line, status, &stderr)
	}
	for _, name := range cmdtest.Names(t, d.path("work")) {
		if strings.HasPrefix(name, ".") || status != exit.Done {
			t.Fatalf("%s: status %d, %s is left", line, status, name)
		}
	}
}

// A command line leaves no memory behind: a process may carry out any number.
func TestCommandLinesLeaveNothing(t *testing.T) {
	held := func() uint64 {
		for range 100 {
			cmdtest.Cluster(t, "match", "nowhere.csv", "nowhere.csv", "-c", "x,y", "--radius", "1")
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapObjects
	}
	before := held()
	if after := held(); after > before+100*10 {
		t.Errorf("100 command lines leave %d objects", after-before)
	}
}

// FuzzCommand gives a command any file in the place of one of its catalogs.
func FuzzCommand(f *testing.F) {
	d := newTrialData(f)
	lines := fuzzed(d)
	const endings = 4
	ending := [endings]string{".csv", ".parquet", ".fits", ".ecsv"}
	files := func(args []string) (at []int) {
		for i, a := range args {
			if st, err := os.Stat(a); err == nil && st.Mode().IsRegular() && !strings.HasSuffix(a, ".toml") {
				at = append(at, i)
			}
		}
		return at
	}
	seen := map[string]bool{}
	for i, args := range lines {
		for k, at := range files(args) {
			if first := args[0] + string(rune('0'+k)); seen[first] {
				continue
			} else {
				seen[first] = true
			}
			as := d.path("seed.ecsv") // has all metadata, as text
			cmdtest.Succeed(f, "convert", args[at], "-o", as, "-q", "--force")
			text, err := os.ReadFile(as)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), uint8(k), uint8(endings-1), text)
		}
	}
	f.Fuzz(func(t *testing.T, line, which, end uint8, text []byte) {
		args := slices.Clone(lines[int(line)%len(lines)])
		at := files(args)
		if len(at) == 0 {
			return
		}
		path := filepath.Join(t.TempDir(), "in"+ending[end%endings])
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		args[at[int(which)%len(at)]] = path
		answers(t, d, args)
	})
}

// FuzzRequest gives any values to flags of a command. Flags that name files or
// devices, or ask for more work than a test can do, are left out.
func FuzzRequest(f *testing.F) {
	d := newTrialData(f)
	lines := fuzzed(d)
	left := strings.Fields("clusters compare emit-cuda explain footprint output plot plot-covariance plot-panels plot-scores random train rr save-rr trace from-tree linkage mst " +
		"plot-tree tree plot-reachability with device gpus memory progress poll chance draw plot-width font-size output-format device-b")
	flagsOf := func(args []string) (names []string) {
		cmd, _, err := command.Root(&job.App{}, commands...).Find(args)
		if err != nil {
			return nil
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" && !slices.Contains(left, f.Name) {
				names = append(names, f.Name)
			}
		})
		return names
	}
	var all [][]string // once: cobra keeps every flag of which it was told how to complete it
	for i, args := range lines {
		all = append(all, flagsOf(args))
		for k, name := range all[i] {
			if (i+k)%37 == 0 {
				f.Add(uint8(i), uint8(k), flagValues[name], uint8(k+1), "1")
			}
		}
	}
	f.Fuzz(func(t *testing.T, line, first uint8, one string, second uint8, other string) {
		args, names := slices.Clone(lines[int(line)%len(lines)]), all[int(line)%len(lines)]
		if len(names) == 0 {
			return
		}
		for _, g := range []struct {
			flag  uint8
			value string
		}{{first, one}, {second, other}} {
			longest := 200
			if strings.Trim(g.value, "0123456789 +-") == "" {
				longest = 3 // a thousand tiles, neighbours or folds are asked for on purpose
			}
			if strings.HasPrefix(g.value, "@") || strings.Contains(g.value, "{") || len(g.value) > longest {
				return
			}
			args = append(args, "--"+names[int(g.flag)%len(names)]+"="+g.value)
		}
		answers(t, d, args)
	})
}
