//go:build cuda && linux

package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// A table of every paper is made on emulated GPUs, with all values, after a machine
// without a GPU has left them out.
func TestGPUReproduce(t *testing.T) {
	for _, c := range [][2]string{{"000", "Table IV"}, {"001", "Table 5"}, {"002", "Figure 13"}, {"002", "Figure 16"}, {"003", "Table 5"}, {"004", "Table 7"}} {
		dir := filepath.Join(t.TempDir(), c[0])
		args := []string{"reproduce", c[0], c[1], "--scale", "0.00002", "-t", "2", "-o", dir}
		for _, gpu := range []bool{false, true} {
			env := noDriver(t)
			if gpu {
				env = emulator(t)
				args = append(args, "--resume")
			}
			r := cmdtest.RunBinary(t, env, args...)
			if r.Status != 0 || strings.Contains(r.Stdout, "Emulated GPU") != gpu {
				t.Fatalf("%s: status %d, %s, %s", c, r.Status, r.Stdout, r.Stderr)
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, c[0]+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		values := 0
		for _, l := range lines {
			if l[1] != c[1] {
				continue
			}
			if v, err := strconv.ParseFloat(l[6], 64); err != nil || v < 0 || !strings.Contains(l[8], "Emulated GPU") {
				t.Errorf("%q has no value of the GPU", l)
			}
			values++
		}
		if values < 3 {
			t.Errorf("%s: %d values", c, values)
		}
	}
}
