package calibrate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

func TestCalibrate(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	in := filepath.Join(t.TempDir(), "in.parquet")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "5000", "-q", "-o", in)
	r := cmdtest.Succeed(t, "calibrate", in, "-c", "x,y", "--eps", "1", "--device", "cpu", "--json")
	var s struct {
		Device string
		Result struct {
			Pairs, Candidates int64
			Seconds           float64 `json:"cpu_seconds"`
			File              string
		}
	}
	if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
		t.Fatal(err)
	}
	if s.Device != "cpu" || s.Result.Pairs < 1000 || s.Result.Candidates < 2*s.Result.Pairs || !(s.Result.Seconds > 0) {
		t.Errorf("%s", r.Stdout)
	}
	if dir := filepath.Join(cache, "skyjoin"); filepath.Dir(s.Result.File) != dir || len(cmdtest.Names(t, dir)) != 1 {
		t.Errorf("%s is not the only file in %s: %v", s.Result.File, dir, cmdtest.Names(t, dir))
	}
	// A file that is damaged is named, and does no harm.
	if err := os.WriteFile(s.Result.File, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	r = cmdtest.Succeed(t, "join", in, "-c", "x,y", "--eps", "1")
	if !cmdtest.Contains(r.Stderr, "calibration", "not used", s.Result.File) {
		t.Errorf("%s", r.Stderr)
	}
	cmdtest.Refuse(t, exit.Request, []string{"calibrate", in, "-c", "x,y"}, "--eps")
	cmdtest.Refuse(t, exit.Failed, []string{"calibrate", in + ".none", "-c", "x,y", "--eps", "1"}, ".none")
}
