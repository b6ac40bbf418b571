package main

import (
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

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
		"dbscan --eps 1deg --min-points 2 --star --border first":                  "--border first does nothing with --star",
		"dbscan --eps 1deg --min-points 2 --device cpu --partition adaptive":      "--partition adaptive: it divides rows among several devices",
		"corr --random IN --bins lin:0deg:1deg:2 --los mid":                       "--los mid: --kind w has no line of sight",
		"outliers --method glosh -k 2 --unit deg -o x.csv":                        "--unit deg does nothing with --method glosh",
		"outliers --method lof -k 1 --unit deg":                                   "--unit deg does nothing without -o or --method kdist",
		"optics --min-samples 2 --unit deg":                                       "--unit deg does nothing without -o",
		"submit local --poll 3s":                                                  "--poll is not for --engine local",
		"submit slurm --processes 2":                                              "--processes is not for --engine slurm",
		"submit --print --retries 1":                                              "--retries 1 does nothing with --print",
	} {
		cmdtest.Refuse(t, exit.Request, append(strings.Fields(strings.ReplaceAll(line, "IN", in)), in), want)
	}
	// A flag that is given as false is one that is not given.
	cmdtest.Succeed(t, "dbscan", in, "--eps", "1deg", "--min-points", "2", "--serif=false", "-q")
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
