package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// The process takes no more than --memory and 48 MiB, or is refused with what it
// would take.
func TestMemoryIsOfTheProcess(t *testing.T) {
	binary := cmdtest.Binary(t) // before the folder changes
	t.Chdir(t.TempDir())
	cmdtest.Succeed(t, "gen", "uniform", "-n", "300000", "--dim", "3", "-o", "u.parquet", "-q")
	cmdtest.Succeed(t, "gen", "sky", "-n", "300000", "-o", "s.parquet", "-q")
	const most = 100 // MiB
	for i, line := range strings.Split(`join u.parquet -c x,y --eps 0.5 -o o.parquet
knn u.parquet -c x,y -k 10 -o o.parquet
match s.parquet s.parquet --radius 1arcsec -o o.parquet
dbscan u.parquet -c x,y --eps 0.5 --min-points 5 -o o.parquet
dbscan s.parquet --eps 10arcsec --min-points 5 -o o.parquet
classify --train s.parquet --label true_cluster --features pmra,pmdec,parallax -k 5 s.parquet -o o.parquet
hist s.parquet --bins log:1arcsec:1arcmin:10 -o o.csv
corr s.parquet --random s.parquet --bins log:1arcsec:1arcmin:10 -o o.csv
rdf u.parquet -c x,y,z --box 100 --bins lin:0:1:10 -o o.csv
convert s.parquet -o o.vot`, "\n") {
		if testing.Short() && i > 2 {
			continue
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(binary, append(strings.Fields(line), "--memory", "100MiB", "--force", "--json")...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			if !strings.Contains(stderr.String(), "give it more with --memory") {
				t.Errorf("%s: %v, %s", line, err, &stderr)
			}
			continue
		}
		// Not ru_maxrss, which begins at what this process has.
		var s struct {
			Peak int64 `json:"peak_memory_bytes"`
		}
		if err := json.Unmarshal(stdout.Bytes(), &s); err != nil || s.Peak == 0 {
			t.Fatalf("%s: %v, %s", line, err, &stdout)
		}
		if peak := s.Peak >> 20; peak > most+48 {
			t.Errorf("%s took %d MiB with --memory %dMiB", line, peak, most)
		}
	}
}
