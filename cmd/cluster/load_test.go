package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// Fifty processes at once, which share a catalog, outputs and the folder of
// calibrations, and two that submit one plan: every output is that of one process.
func TestManyAtOnce(t *testing.T) {
	binary := cmdtest.Binary(t)
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cmdtest.Succeed(t, "gen", "sky", "-n", "5000", "-o", "sky.parquet", "-q")
	const dbscan = "dbscan sky.parquet --eps 3arcmin --min-points 5 -q -t 1 --force -o "
	cmdtest.Succeed(t, strings.Fields(dbscan+"want.parquet")...)
	cmdtest.Succeed(t, strings.Fields("plan dbscan sky.parquet --eps 3arcmin --min-points 5 --tiles 6 -o plan -q")...)
	lines := []string{"submit local plan --processes 2 -q", "submit local plan --processes 2 -q"}
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	for i := range rounds {
		lines = append(lines, dbscan+"all.parquet", dbscan+fmt.Sprintf("own%d.parquet", i), "calibrate sky.parquet -c ra,dec --eps 3arcmin -q -t 1", "kdist sky.parquet -c ra,dec -k 4 --device auto -q -t 1")
	}
	var all sync.WaitGroup
	for _, line := range lines {
		all.Go(func() {
			if out, err := exec.Command(binary, strings.Fields(line)...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v %s", line, err, out)
			}
		})
	}
	all.Wait()
	cmdtest.Succeed(t, "merge", "plan", "-o", "merged.parquet", "-q")
	want, err := os.ReadFile("want.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range cmdtest.Names(t, ".") {
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s is left", name)
		}
		if text, err := os.ReadFile(name); strings.HasSuffix(name, ".parquet") && name != "sky.parquet" && (err != nil || string(text) != string(want)) {
			t.Errorf("%s is not what one process writes (error %v)", name, err)
		}
	}
	for _, name := range cmdtest.Names(t, "plan/tiles") {
		if len(name) != 5 {
			t.Errorf("plan/tiles/%s is left", name)
		}
	}
}
