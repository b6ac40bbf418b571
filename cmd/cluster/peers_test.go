package main

import (
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
)

// Flags of other programs are refused with the flag that does the same.
func TestFlagsOfOtherPrograms(t *testing.T) {
	for line, want := range map[string]string{
		"dbscan --min-samples":                   "--min-points? (it counts the row itself",
		"dbscan --min_samples":                   "--min-points?",
		"dbscan --minPts":                        "--min-points?",
		"dbscan --radius":                        "--eps? (on the sky it has its unit",
		"dbscan --linking-length":                "--eps?",
		"plan dbscan --min_samples":              "--min-points?",
		"join --max-sep":                         "--eps?",
		"join --n_jobs":                          "--threads?",
		"knn --n-neighbors":                      "-k? (K counts other rows",
		"kdist --min-samples":                    "-k? (K counts other rows, so it is min_samples or minPts less 1",
		"match --params":                         "--radius?",
		"match --jointype":                       "--join?",
		"match --values2":                        "--columns-b?",
		"hist --nbins":                           "--bins? (the bins are one value",
		"corr --min_sep":                         "--bins?",
		"corr --pimax":                           "--pi?",
		"corr --npatch":                          "--patches?",
		"corr --bin_slop":                        "every pair is counted exactly",
		"rdf --boxsize":                          "--box?",
		"hdbscan --cluster_selection_method":     "--select?",
		"hdbscan --allow-single-cluster":         "--single-cluster?",
		"hdbscan --min-points":                   "--min-samples?",
		"optics --xi":                            "--extract? (it is xi:X",
		"outliers --n_neighbors":                 "-k?",
		"classify --n-neighbors":                 "-k?",
		"dbscan --leaf_size":                     "rows are compared exactly",
		"dbscan --metric haversine":              "what others call haversine is sky here",
		"knn --unit arcseconds":                  "what others call arcseconds is arcsec here",
		"corr --estimator landy-szalay":          "what others call landy-szalay is ls here",
		"dbscan --min-point":                     "--min-points?", // a slip
		"dbscan --something-that-no-program-has": "unknown flag --something-that-no-program-has; see",
	} {
		args := strings.Fields(line)
		if !strings.Contains(want, "here") {
			args = append(args, "1")
		}
		cmdtest.Refuse(t, exit.Request, args, want)
	}
}

// Commands of other programs lead to those that do the same.
func TestCommandsOfOtherPrograms(t *testing.T) {
	for name, want := range map[string]string{
		"crossmatch": `"match"`, "tskymatch2": `"match"`, "FoF": `"dbscan --min-points 2"`, "search_around_sky": `"join"`, "kneighbors": `"knn"`,
		"lof": `"outliers"`, "wtheta": `"corr"`, "DD": `"hist"`, "randoms": `"gen randoms"`, "dbscam": `"dbscan"`,
	} {
		cmdtest.Refuse(t, exit.Request, []string{name, "a.csv"}, "did you mean "+want+"?")
	}
}

// Each name that the table has for a command is none of its own flags, and leads
// to one.
func TestPeersOfFlags(t *testing.T) {
	tried := 0
	for _, c := range command.Root(&job.App{}, commands...).Commands() {
		for _, p := range flags.Peers[c.Name()] {
			for name := range strings.FieldsSeq(p.Names) {
				got, found := flags.PeerOf(c, name)
				if !found || got.Flag != p.Flag || c.Flags().Lookup(name) != nil {
					t.Errorf("%s --%s leads to %q, want %q; a flag of its own: %v", c.Name(), name, got.Flag, p.Flag, c.Flags().Lookup(name) != nil)
				}
				tried++
			}
		}
	}
	if tried < 200 {
		t.Errorf("%d names", tried)
	}
}
