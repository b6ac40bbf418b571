package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/internal/costmodel"
)

func contains(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

func TestDevicesTakesNoFile(t *testing.T) {
	refuse(t, statusRequest, []string{"devices", "a.csv"}, `"a.csv"`)
}

func TestGPUIndexes(t *testing.T) {
	var x indexes
	for _, c := range []struct{ text, bad string }{
		{"0", ""}, {"3,0, 12", ""}, {"-1", "-1"}, {"1.5", "1.5"}, {"1,1", "twice"}, {"", "list"}, {"1,", "empty"}, {"9999999999", "number"},
	} {
		err := x.Set(c.text)
		if c.bad == "" && err != nil || c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)) {
			t.Errorf("--gpus %s: %v, want %q", c.text, err, c.bad)
		}
	}
	if x.Set("3,0, 12"); x.String() != "3,0,12" {
		t.Errorf("3,0,12 is %s", &x)
	}
}

// Flags of devices that the run will not use are refused, not passed over.
func TestFlagsOfOtherDevices(t *testing.T) {
	in := csvOf(t, "x", "1", "2")
	for flags, parts := range map[string][]string{
		"--device cpu --gpus 0,1":   {"--gpus 0,1", "--device cpu"},
		"--trace t.svg":             {"--trace t.svg", "--device hybrid"},
		"--trace t.csv --gpus 0":    {"--trace t.csv", "--gpus"},
		"--partition dyn":           {"--partition dyn", "--device hybrid"},
		"--partition sq -d gpu":     {"--partition sq", "--device hybrid"},
		"--counts":                  {"--counts", "-o"},
		"--counts --clusters c.csv": {"--counts", "-o"},
	} {
		refuse(t, statusRequest, append([]string{"dbscan", in, "-c", "x", "--eps", "1", "--min-points", "2"}, strings.Fields(flags)...), parts...)
	}
	succeed(t, "dbscan", in, "-c", "x", "--eps", "1", "--min-points", "2", "--gpus", "0", "--partition", "adaptive", "-q")
}

// auto looks for a GPU only where the command can use one and the rows are
// worth it.
func TestWhichRowsAreWorthAGPU(t *testing.T) {
	slow := &costmodel.Calibration{Dim: 1, Epsilon: 1, CPU: costmodel.Rate{Seconds: 2}, GPU: &costmodel.Rate{Seconds: 1}}
	for _, c := range []struct {
		device     string
		registered bool
		threads    int64
		rows       int
		measured   *costmodel.Calibration
		eps        float64
		want       bool
	}{
		{"cpu", true, 1, 1e9, nil, 1, false},
		{"cpu", true, 1, 1e9, slow, 1, false},
		{"gpu", true, 1, 1, nil, 1, true},
		{"auto", true, 1, 49_999, nil, 1, false},
		{"auto", true, 1, 50_000, nil, 1, true},
		{"auto", true, 8, 399_999, nil, 1, false},
		{"auto", true, 8, 400_000, nil, 1, true},
		{"auto", false, 1, 1e9, nil, 1, false},
		{"auto", false, 1, 1e9, slow, 1, false},
		{"auto", true, 8, 10, slow, 1, true},
		{"auto", true, 8, 1e9, slow, 0.2, false},
		{"auto", true, 8, 1e9, slow, 0, true},
	} {
		f := runFlags{device: choice{value: c.device}, threads: integer{value: c.threads}, gpu: gpuFlags{registered: c.registered, rows: 50_000}}
		if got := f.worthwhile(c.rows, c.eps, c.measured); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestGPUOnlyWhenAsked(t *testing.T) {
	f := runFlags{device: choice{value: "auto"}, gpu: gpuFlags{registered: true, rows: onlyAsked}}
	if f.worthwhile(1e9, 1, nil) {
		t.Error("auto takes a GPU that was not seen to pay")
	}
	if f.device.value = "gpu"; !f.worthwhile(1, 1, nil) {
		t.Error("a GPU that is asked for is not taken")
	}
}

func TestCalibrate(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	in := filepath.Join(t.TempDir(), "in.parquet")
	succeed(t, "gen", "uniform", "-n", "5000", "-q", "-o", in)
	r := succeed(t, "calibrate", in, "-c", "x,y", "--eps", "1", "--device", "cpu", "--json")
	var s struct {
		Device string
		Result struct {
			Pairs, Candidates int64
			Seconds           float64 `json:"cpu_seconds"`
			File              string
		}
	}
	if err := json.Unmarshal([]byte(r.stdout), &s); err != nil {
		t.Fatal(err)
	}
	if s.Device != "cpu" || s.Result.Pairs < 1000 || s.Result.Candidates < 2*s.Result.Pairs || !(s.Result.Seconds > 0) {
		t.Errorf("%s", r.stdout)
	}
	if dir := filepath.Join(cache, "skyjoin"); filepath.Dir(s.Result.File) != dir || len(names(t, dir)) != 1 {
		t.Errorf("%s is not the only file in %s: %v", s.Result.File, dir, names(t, dir))
	}
	// A file that is damaged is named, and does no harm.
	if err := os.WriteFile(s.Result.File, []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	r = succeed(t, "join", in, "-c", "x,y", "--eps", "1")
	if !contains(r.stderr, "calibration", "not used", s.Result.File) {
		t.Errorf("%s", r.stderr)
	}
	refuse(t, statusRequest, []string{"calibrate", in, "-c", "x,y"}, "--eps")
	refuse(t, statusFailed, []string{"calibrate", in + ".none", "-c", "x,y", "--eps", "1"}, ".none")
}
