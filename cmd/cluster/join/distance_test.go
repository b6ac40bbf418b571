package join

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// Positions in space from parallaxes and redshifts: pairs along the line of
// sight are as far apart as their distances.
func TestDistanceOfParallaxAndRedshift(t *testing.T) {
	stars := cmdtest.CSVOf(t, "ra,dec,plx", "0,0,10", "0,0,8", "0,0,-1", "0,0,", "180,0,1000")
	out := filepath.Join(t.TempDir(), "out.csv")
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "join", stars, "--distance", "parallax:plx", "--eps", "130", "--json", "-o", out))
	cmdtest.Same(t, out, "row,neighbor,distance", "0,1,25", "0,4,101", "1,4,126")
	if got := fmt.Sprint(s.Input.SkippedWhy); !strings.Contains(got, "null in distance_pc:1") || !strings.Contains(got, "NaN in distance_pc:1") {
		t.Errorf("skipped %s", got)
	}
	galaxies := cmdtest.CSVOf(t, "ra,dec,z", "150,2,0.5", "150,2,0.51", "150,2,1")
	// astropy: FlatLambdaCDM(67.4, 0.315).comoving_distance
	cmdtest.Succeed(t, "join", galaxies, "--distance", "redshift:z", "--h0", "67.4", "--omega-m", "0.315", "--eps", "100", "-q", "--force", "-o", out)
	if got := cmdtest.Lines(t, out); len(got) != 2 || !strings.HasPrefix(got[1], "0,1,33.5393117") {
		t.Errorf("galaxies: %q", got)
	}
	// A prediction follows from what the clusters say of themselves.
	labelled := filepath.Join(t.TempDir(), "labelled.parquet")
	cmdtest.Succeed(t, "dbscan", galaxies, "--distance", "redshift:z", "--h0", "67.4", "--eps", "40", "--min-points", "2", "-q", "-o", labelled)
	predicted := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "predict", labelled, cmdtest.CSVOf(t, "ra,dec,z", "150,2,0.505"), "--json", "-q", "-o", filepath.Join(t.TempDir(), "p.csv")))
	if fmt.Sprint(predicted.Result["members"]) != "1" || fmt.Sprint(predicted.Parameters["h0"]) != "67.4" {
		t.Errorf("predicted %v, %v", predicted.Result, predicted.Parameters)
	}
	bad := filepath.Join(t.TempDir(), "o.csv")
	for flags, part := range map[string]string{
		"--distance parallax:p": `"p"`, "--distance parsec:plx": "parallax:COL or redshift:COL", "--distance parallax:plx --h0 70": "belong to redshifts",
		"--distance redshift:plx --omega-m 3": "--omega-m 3", "--distance redshift:plx --h0 -1": "--h0 -1", "--distance redshift:plx --h0 0": "must be positive",
		"--distance parallax:": "names no column",
	} {
		cmdtest.Refuse(t, 2, append([]string{"join", stars, "--eps", "1", "-o", bad}, strings.Fields(flags)...), part)
	}
}
