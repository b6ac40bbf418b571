package main

import (
	"strings"
	"testing"
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

// auto looks for a GPU only where the command can use one and the rows are
// worth it.
func TestWhichRowsAreWorthAGPU(t *testing.T) {
	for _, c := range []struct {
		device     string
		registered bool
		threads    int64
		rows       int
		want       bool
	}{
		{"cpu", true, 1, 1e9, false},
		{"gpu", true, 1, 1, true},
		{"auto", true, 1, 49_999, false},
		{"auto", true, 1, 50_000, true},
		{"auto", true, 8, 399_999, false},
		{"auto", true, 8, 400_000, true},
		{"auto", false, 1, 1e9, false},
	} {
		f := runFlags{device: choice{value: c.device}, threads: integer{value: c.threads}, gpu: gpuFlags{registered: c.registered}}
		if got := f.worthwhile(c.rows); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
