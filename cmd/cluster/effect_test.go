package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
)

// A trial is a command line to which flags are added one at a time.
type trial struct {
	line  string   // with the names of files in braces
	flags []string // with their values; nil: all flags of the command, with those of flagValues
}

// The first trials of a command have no outputs, where that can be; further ones
// have what a flag needs.
var trials = []trial{
	{"info {a}", nil},
	{"convert {a} -o {out}", nil},
	{"dbscan {a} -c x,y --eps 5 --min-points 4 -o {out}", nil},
	{"dbscan {a} -c x,y --eps 3 --min-points 4", []string{"--counts"}},
	{"dbscan {sky} --eps 3deg --min-points 4 -p {work}/m.svg --plot-panels {work}/n.svg --cmd w,z", []string{
		"--style talk", "--serif", "--plot-width 100", "--font-size 9", "--projection aitoff", "--cmd z,redshift", "--pm z,redshift"}},
	{"dbscan {sky} --eps 3deg --min-points 4 -p {work}/m.svg --projection aitoff", []string{"--centre-ra 10"}},
	{"dbscan {sky} --eps 3 --min-points 4 --distance redshift:redshift -o {out}", []string{"--h0 60", "--omega-m 0.2", "--counts"}},
	{"predict {labelled} {b}", nil},
	{"predict {skylabelled} {sky} -p {work}/m.svg", []string{"--style talk", "--serif", "--plot-width 100", "--font-size 9", "--projection aitoff"}},
	{"kdist {a} -c x,y -k 3", nil},
	{"kdist {sky} -k 3", []string{"--unit deg"}},
	{"kdist {a} -c x,y -k 3 -p {work}/k.svg", []string{"--style talk", "--serif", "--plot-width 100", "--font-size 9"}},
	{"join {a} -c x,y --eps 3", nil},
	{"join {a} {b} -c x,y --eps 3", nil},
	{"join {sky} --eps 3deg", []string{"--unit arcmin"}},
	{"join {sky} --eps 3deg -o {out}", []string{"--unit arcmin", "--keep z"}},
	{"join {sky} {sky} --eps 3 --distance z", []string{"--distance-b w"}},
	{"knn {a} -c x,y -k 3 -o {out}", nil},
	{"knn {a} {b} -c x,y -k 3 -o {out}", nil},
	{"knn {sky} -k 3 -o {out}", []string{"--unit deg"}},
	{"knn {sky} {sky} -c ra,dec -k 3 -o {out}", []string{"--frame-b galactic", "--ra-hours-b"}},
	{"knn {sky} {sky} -k 3 --distance z -o {out}", []string{"--distance-b w"}},
	{"match {a} {b} -c x,y --radius 3", nil},
	{"match {a} {b} -c x,y --radius 3 -o {out}", []string{"--join 1or2", "--keep z"}},
	{"match {sky} {sky} --radius 3deg --find all -o {out}", []string{"--unit arcmin"}},
	{"match {sky} {sky} --radius 3deg --find all --error-a w --error-b w", []string{"--error-unit arcmin", "--error-unit-b arcmin"}},
	{"match {sky} {sky} --radius 30deg --find all --error-a w --error-b w --error-unit deg", []string{"--combine quadrature", "--nsigma 2"}},
	{"match {sky} --error-a w --error-unit deg", []string{"--combine quadrature", "--nsigma 2"}},
	{"match {sky} {sky} --radius 8 --distance z --find all", []string{"--distance-b w"}},
	{"match {sky} {sky} --radius 1arcsec --find all --epoch-a 2000 --epoch-b 2010 --epoch 2005 --pm-a w,z --pm-b w,z -o {out}", []string{"--epoch 9000", "--epoch-a 1990", "--epoch-b 1990", "--pm-a z,w", "--pm-b z,w"}},
	{"match {a} {b} -c x,y --radius 3 --chance 4", []string{"--chance 5", "--seed 5"}},
	{"match {a} -c x,y --radius 3", nil},
	{"match {a} -c x,y --radius 3 -o {out}", []string{"--action keep1"}},
	{"classify {b} --train {a} --label kind --features x,y -k 3 --vote distance -o {out} --probabilities", nil},
	{"classify {b} --train {a} --label kind --features x,y -k 3", []string{"--vote distance", "--scale 1,90"}},
	{"classify {b} --train {a} --label kind --features x,y -k 3 -o {out}", []string{"--probabilities", "--label w"}},
	{"classify {b} --train {a} --regress z --features x,y -k 3", []string{"--regress w"}},
	{"classify {b} --train {a} --label kind --features x,y -k 3 -p {work}/c.svg", []string{"--style talk", "--serif", "--plot-width 100", "--font-size 9"}},
	{"classify --train {a} --regress z --features x,y -k 3 --cv 3 --vote distance", nil},
	{"classify --train {a} --label kind --features x,y -k 1-3 --cv 3", []string{"--plot-scores {work}/s.svg"}},
	{"hist {a} -c x,y --bins lin:0:9:4", nil},
	{"hist {a} -c x,y --bins lin:0:9:4", []string{"--bins lin:0:9:5"}},
	{"hist {a} -c x,y --bins lin:0:9:4 -p {work}/h.svg", []string{"--style talk", "--serif", "--plot-width 100", "--font-size 9"}},
	{"hist {a} --with {b} -c x,y --bins lin:0:9:4 --weights w", []string{"--weights-b z", "--columns-b x,z", "--where-b x>20", "--null-b 0,0.5,7"}},
	{"hist {sky} --with {sky} --distance z --bins lin:0:9:4", []string{"--distance-b w"}},
	{"corr {a} --random {b} -c x,y --bins lin:0:9:4", nil},
	{"corr {a} --random {b} -c x,y --bins lin:0:9:4 --patches 4", []string{"--seed 5", "--covariance bootstrap", "--plot-covariance {work}/v.svg"}},
	{"corr {a} --random {b} -c x,y --bins lin:0:9:4 --patches 4 --covariance bootstrap", []string{"--realisations 5", "--seed 5"}},
	{"corr {a} --random {b} -c x,y --bins lin:0:9:4 -p {work}/h.svg", []string{"--style talk", "--serif", "--plot-width 100", "--font-size 9", "--compare {xi}", "--plot-y scaled"}},
	{"corr {a} --random {b} -c x,y,z --bins lin:1:9:4 --kind wp --pi lin:0:9:3", []string{"--los z"}},
	{"corr {a} --random {b} -c x,y,z --bins lin:1:9:4 --kind xi2", []string{"--mu lin:0:1:3"}},
	{"corr {sky} --random {sky} --redshift redshift --bins lin:1:900:4", []string{"--omega-m 0.2", "--distance-b z", "--kind xi0", "--redshift w"}},
	{"corr {a} --random {b} -c x,y,z --bins lin:1:9:4 --kind rppi --pi lin:0:9:3", []string{"--pi lin:0:9:2"}},
	{"corr {a} -c x,y,z --box 40 --bins lin:1:9:4 --kind rppi --los z --pi lin:0:9:3", []string{"--with {b}"}},
	{"corr {a} --with {b} -c x,y,z --box 40 --bins lin:1:9:4 --kind smu --los z", []string{"--los x", "--columns-b x,z,w", "--where-b x>20"}},
	{"corr {a} --with {b} -c x,y --box 40 --bins lin:1:9:4 --weights w", []string{"--weights-b z"}},
	{"rdf {a} -c x,y --box 40 --bins lin:0:9:4", nil},
	{"rdf {a} {b} -c x,y --box 40 --bins lin:0:9:4", []string{"--weights-b z", "--columns-b x,z", "--where-b x>20", "--null-b 0,0.5,7"}},
	{"rdf {a} -c x,y --box 40 --bins lin:0:9:4 -p {work}/h.svg", []string{"--style talk", "--serif", "--plot-width 100", "--font-size 9"}},
	{"stat {a} -c x,y --expr r --reduce sum", nil},
	{"stat {a} {b} -c x,y --expr r --reduce sum", []string{"--columns-b x,z", "--where-b x>20", "--null-b 0,0.5,7"}},
	{"stat {a} -c x,y --expr r --reduce min --per-row -o {out}", []string{"--reduce max"}},
	{"gen uniform -n 20 -o {out}", nil},
	{"gen sky -n 20 -o {out}", []string{"--centre 10,10", "--radius 2", "--faint 15", "--clusters 3"}},
	{"gen randoms -n 20 -o {out}", nil},
	{"gen randoms -n 20 -o {out} --footprint {sky}", []string{"--nside 4", "--draw w", "--columns z,w"}},
	{"plan dbscan {a} -c x,y --eps 3 --min-points 4 --tiles 2 -o {plan}", nil},
	{"plan dbscan {a} -c x,y --eps 3 --min-points 4 --tile-rows 20 -o {plan}", []string{"--tile-rows 30"}},
	{"plan match {a} {b} -c x,y --radius 3 --tiles 2 -o {plan}", nil},
	{"plan hist {a} -c x,y --bins lin:0:9:4 --tiles 2 -o {plan}", nil},
	{"plan corr {a} --random {b} -c x,y --bins lin:0:9:4 --tiles 2 -o {plan}", nil},
	{"plan corr {a} -c x,y --box 40 --bins lin:0:9:4 --tiles 2 -o {plan}", []string{"--with {b}"}},
	{"calibrate {a} -c x,y --eps 3", nil},
}

// flagValues are what flags are given, of some commands as "command/flag".
var flagValues = map[string]string{
	"action": "keep1", "algorithm": "brute", "bins": "lin:0:9:5", "border": "nearest", "box": "36", "centre": "10,10", "chance": "4", "centre-ra": "10",
	"clusters": "{work}/c.csv", "cmd": "w,z", "columns": "x,z", "columns-b": "x,z", "compare": "{xi}", "covariance": "bootstrap", "cv": "4",
	"dec": "0,10", "dim": "3", "distance": "z", "distance-b": "z", "draw": "w", "emit-cuda": "{work}/k.cu", "epoch": "2005", "epoch-a": "2000",
	"epoch-b": "2010", "eps": "2", "error-a": "w", "error-b": "w", "error-unit": "mas", "error-unit-b": "mas", "combine": "quadrature", "nsigma": "2", "estimator": "dp", "explain": "{work}/e.csv",
	"faint": "15", "find": "all", "font-size": "9", "footprint": "{sky}", "gen/clusters": "3", "gpu-order": "sortbywl", "gpu-output": "global",
	"format": "csv", "format-b": "csv", "names": "x,y,z,w,kind,redshift,pmra,pmdec", "names-b": "x,y,z,w,kind,redshift,pmra,pmdec",
	"frame": "galactic", "frame-b": "galactic", "gpu-pattern": "full", "gpu-threads": "2", "gpu-tiling": "naive", "gpus": "0", "h0": "60", "hdu": "1", "hdu-b": "1", "join": "1or2", "k": "2",
	"keep": "z", "kind": "w", "label": "kind", "let": "q = x + 1", "let-b": "q = x + 1", "los": "z", "match/k": "1", "meet": "both", "metric": "sky", "min-points": "3", "min-radius": "1",
	"mu": "lin:0:1:4", "nside": "4", "null": "0,0.5,7", "null-b": "0,0.5,7", "omega-m": "0.2", "output": "{work}/o.csv", "partition": "sq", "patches": "3",
	"pi": "lin:0:4:4", "plot": "{work}/p.svg", "plot-covariance": "{work}/v.svg", "plot-panels": "{work}/n.svg", "plot-scores": "{work}/s.svg", "plot-y": "linear",
	"plot-width": "100", "pm": "w,z", "pm-a": "w,z", "pm-b": "w,z", "projection": "aitoff", "ra": "0,10", "radius": "2", "random": "{b}",
	"realisations": "5", "redshift": "redshift", "reduce": "count", "regress": "z", "rows": "7", "rr": "{rr}", "save-rr": "{work}/rr.parquet",
	"scale": "1,90", "seed": "5", "stage": "yes", "style": "talk", "tile-rows": "20", "tiles": "3", "trace": "{work}/t.csv", "unit": "deg",
	"vote": "distance", "weights": "w", "weights-b": "w", "where": "x > 20", "where-b": "x > 20", "where-train": "x > 20", "with": "{b}",
}

// without are flags whose answer is that of the run without them, and why.
var without = map[string]string{
	"help": "is no run", "json": "how it is shown", "quiet": "how it is shown", "progress": "how it is shown",
	"threads": "any number gives the same bytes", "memory": "the same bytes or none", "device": "any gives the same bytes",
	"algorithm": "any gives the same bytes", "rr": "the same bytes, sooner", "gpus": "where there are any", "gpu-pattern": "on GPUs", "gpu-threads": "on GPUs",
	"gpu-order": "on GPUs", "gpu-tiling": "on GPUs", "gpu-output": "on GPUs",
	"format": "as the file tells", "format-b": "as the file tells", "names": "as the file tells", "names-b": "as the file tells",
	"force": "permits", "pad": "permits", "allow-empty": "permits, as TestAllowEmpty shows", "let": "names what other flags may take", "let-b": "names what other flags may take",
}

// never are flags that no trial shows to do something, and why.
var never = map[string]string{
	"hdu": "of FITS, tested there", "hdu-b": "of FITS, tested there", "partition": "of several devices", "trace": "of several devices", "strict": "ends the run",
}

// trialFiles makes what trials read, and returns the names of the files.
func trialFiles(t *testing.T) *strings.Replacer {
	t.Helper()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	table := func(name, x, y string, shift float64) {
		var b bytes.Buffer
		fmt.Fprintf(&b, "%s,%s,z,w,kind,redshift,pmra,pmdec\n", x, y)
		for i := range 60 {
			fmt.Fprintf(&b, "%v,%v,%d,%d,%s,%v,%d,%d\n", float64(i*7%40)+shift, float64(i*i%31)+shift/3, 1+i*3%17, 1+i%3, []string{"p", "q"}[(i*i%31/16+i*i*i%53/40)%2], 0.1+float64(i%9)/10, i%5, i%7)
		}
		fmt.Fprintf(&b, "5,,1,1,p,0.5,0,0\n") // unusable
		if err := os.WriteFile(at(name), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table("a.csv", "x", "y", 0)
	table("b.csv", "x", "y", 0.5)
	table("sky.csv", "ra", "dec", 0)
	cmdtest.Succeed(t, "dbscan", at("a.csv"), "-c", "x,y", "--eps", "3", "--min-points", "4", "-o", at("labelled.parquet"), "-q")
	cmdtest.Succeed(t, "dbscan", at("sky.csv"), "--eps", "3deg", "--min-points", "4", "-o", at("skylabelled.parquet"), "-q")
	cmdtest.Succeed(t, "corr", at("a.csv"), "--random", at("b.csv"), "-c", "x,y", "--bins", "lin:0:9:4", "-o", at("xi.csv"), "--save-rr", at("rr.parquet"), "-q")
	t.Setenv("XDG_CACHE_HOME", at("cache")) // of calibrations
	work := at("work")
	return strings.NewReplacer("{a}", at("a.csv"), "{b}", at("b.csv"), "{sky}", at("sky.csv"), "{labelled}", at("labelled.parquet"), "{skylabelled}", at("skylabelled.parquet"),
		"{xi}", at("xi.csv"), "{rr}", at("rr.parquet"), "{work}", work, "{out}", filepath.Join(work, "out.csv"), "{plan}", filepath.Join(work, "plan"))
}

// outcome is the result of a command line: that of its summary, and all files.
// The parameters, which name every flag, do not count.
func outcome(t *testing.T, work string, args []string) (cmdtest.Result, string) {
	t.Helper()
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	r := cmdtest.Cluster(t, append(args, "--json")...)
	var s struct{ Input, Result json.RawMessage }
	json.Unmarshal([]byte(r.Stdout), &s) // of a refusal there is none
	seen := string(s.Result) + string(s.Input)
	err := filepath.WalkDir(work, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		seen += "\n" + path + "\n" + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, seen
}

// replaced returns args with a flag, which takes the place of what args give it.
func replaced(args, flag []string) []string {
	args = slices.Clone(args)
	if i := slices.Index(args, flag[0]); i >= 0 && len(flag) > 1 {
		args[i+1] = flag[1]
		return args
	}
	return append(args, flag...)
}

// Every flag of every command changes what comes of a run, or is refused in a
// line or two: none is ignored. And each name does something in some trial.
func TestFlagsAreNotIgnored(t *testing.T) {
	names := trialFiles(t)
	root := command.Root(&job.App{}, commands...)
	tried, useful := map[string]bool{}, map[string]bool{}
	for _, c := range trials {
		args := strings.Fields(names.Replace(c.line))
		cmd, _, err := root.Find(args)
		if err != nil {
			t.Fatal(err)
		}
		command := strings.TrimPrefix(cmd.CommandPath(), "cluster ")
		flags := c.flags
		if flags == nil {
			given := strings.Fields(c.line)
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				value, ok := flagValues[command+"/"+f.Name]
				if !ok {
					value, ok = flagValues[f.Name]
				}
				switch {
				case without[f.Name] != "" || slices.Contains(given, "--"+f.Name) || f.Shorthand != "" && slices.Contains(given, "-"+f.Shorthand):
				case f.Value.Type() == "bool":
					flags = append(flags, "--"+f.Name)
				case !ok:
					t.Errorf("flag --%s of %s is not tried: give it a value in flagValues", f.Name, command)
				default:
					flags = append(flags, "--"+f.Name+" "+value)
				}
			})
		}
		work := names.Replace("{work}")
		base, plain := outcome(t, work, args)
		if base.Status != exit.Done {
			t.Errorf("%s: %s", c.line, base.Stderr)
			continue
		}
		for _, flag := range flags {
			name, value, _ := strings.Cut(flag, " ")
			more := []string{name}
			if value != "" {
				more = append(more, names.Replace(value))
			}
			key := strings.TrimPrefix(name, "--")
			tried[key] = true
			r, seen := outcome(t, work, replaced(args, more))
			switch {
			case r.Status == exit.Request || r.Status == exit.Failed && key == "strict":
				if n := strings.Count(r.Stderr, "\n"); n < 1 || n > 2 {
					t.Errorf("%s %s: the message is not one or two lines: %q", c.line, flag, r.Stderr)
				}
			case r.Status != exit.Done:
				t.Errorf("%s %s: status %d: %s", c.line, flag, r.Status, r.Stderr)
			case seen == plain:
				t.Errorf("%s %s: the flag is ignored", c.line, flag)
			default:
				useful[key] = true
			}
		}
	}
	for flag := range tried {
		if !useful[flag] && never[flag] == "" {
			t.Errorf("--%s: refused in all trials; one should show what it does", flag)
		}
	}
}

func TestIdleFlagsAreRefused(t *testing.T) {
	in := cmdtest.CSVOf(t, "ra,dec", "1,2", "1,2.1")
	for line, want := range map[string]string{
		"join --eps 1deg --keep ra,dec":                            "--keep ra,dec does nothing without -o",
		"join --eps 1deg --unit deg":                               "--unit deg does nothing without -o",
		"dbscan --eps 1deg --min-points 2 --serif":                 "--serif does nothing without --plot, --plot-panels or --trace",
		"dbscan --eps 1deg --min-points 2 --counts":                "--counts does nothing without -o",
		"hist --bins lin:0deg:1deg:2 --plot-width 80":              "--plot-width 80 does nothing without --plot",
		"corr --random IN --bins lin:0deg:1deg:2 --seed 4":         "--seed 4 does nothing without --patches",
		"corr --random IN --bins lin:0deg:1deg:2 --compare xi.csv": "--compare xi.csv does nothing without --plot or -o",
		"join IN --eps 1deg --device cpu --gpu-order none":         "--gpu-order none does nothing without --device gpu or --device hybrid",

		"corr --random IN --bins lin:0deg:1deg:2 --seed 4 --patches healpix:2":    "--seed 4 does nothing without --patches K or --covariance bootstrap",
		"corr --random IN --bins lin:0deg:1deg:2 --seed 4 --patches column:ra":    "--seed 4 does nothing without --patches K or --covariance bootstrap",
		"corr --random IN --bins lin:0deg:1deg:2 --patches 2 --realisations 9":    "--realisations 9 does nothing without --covariance bootstrap",
		"classify --train IN --regress dec --features ra -k 1 --cv loo --seed 4":  "--seed 4 does nothing without --cv N",
		"dbscan --eps 1deg --min-points 2 --star --border nearest":                "--border nearest does nothing with --star",
		"plan dbscan --eps 1deg --min-points 2 --tiles 2 --star --border nearest": "--border nearest does nothing with --star",
		"stat --expr a.ra*b.ra --reduce sum -c ra,dec":                            "--columns ra,dec does nothing: --expr a.ra*b.ra has no a, b, r or difference of them",
		"submit local --poll 3s":     "--poll is not for --engine local",
		"submit slurm --processes 2": "--processes is not for --engine slurm",
		"submit --print --retries 1": "--retries 1 does nothing with --print",
	} {
		cmdtest.Refuse(t, exit.Request, append(strings.Fields(strings.ReplaceAll(line, "IN", in)), in), want)
	}
	// A flag that is given as false, or by its default, is one that is not given.
	cmdtest.Succeed(t, "dbscan", in, "--eps", "1deg", "--min-points", "2", "--serif=false", "-q")
	cmdtest.Succeed(t, "dbscan", in, "--eps", "1deg", "--min-points", "2", "--star", "--border", "first", "-q")
	for _, patches := range []string{"2", "kmeans:2"} {
		cmdtest.Succeed(t, "corr", in, "--random", in, "--bins", "lin:0deg:1deg:2", "--patches", patches, "--seed", "4", "-q")
	}
	cmdtest.Succeed(t, "corr", in, "--random", in, "--bins", "lin:0deg:1deg:2", "--patches", "healpix:4096", "--covariance", "bootstrap", "--seed", "4", "-q")
	// Whether a map has a middle to choose is seen of the rows.
	for name, want := range map[string]bool{"a.svg": true, "b.svg": false} {
		args := []string{"dbscan", in, "--eps", "1deg", "--min-points", "2", "--centre-ra", "20", "-p", filepath.Join(t.TempDir(), name)}
		if !want {
			args = append(args, "--projection", "aitoff")
		}
		if r := cmdtest.Succeed(t, args...); strings.Contains(r.Stderr, "--centre-ra 20 is for maps of the whole sky") != want {
			t.Errorf("%v: %s", args, r.Stderr)
		}
	}
}
