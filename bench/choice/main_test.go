package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every cell that can be is measured once, by all algorithms, and a second run
// goes on where the first ended.
func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.csv")
	args := []string{"-n", "300", "-d", "2-3", "-s", "5,200", "-data", "uniform,clumps", "-repeat", "1", "-once", "1ms", "-o", path}
	var first, again strings.Builder
	if err := run(context.Background(), args, &first); err != nil {
		t.Fatal(err)
	}
	cells, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(cells)), "\n")
	if len(lines) != 5 || !strings.HasPrefix(lines[0], "data,n,d,S,threads,radius,pairs,chosen,best,ratio,auto_s,grid_s,kdtree_s") {
		t.Fatalf("cells:\n%s", cells)
	}
	for _, line := range lines[1:] {
		if f := strings.Split(line, ","); len(f) != 18 || f[3] != "5" || f[7] != "grid" {
			t.Errorf("cell %s", line)
		}
	}
	for _, row := range []string{"| clumps | 300 | 5 |", "| uniform | 300 | 5 |", "of 4 cells are within 1.2"} {
		if !strings.Contains(first.String(), row) {
			t.Errorf("no %q in\n%s", row, first.String())
		}
	}
	if err := run(context.Background(), args, &again); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(cells) {
		t.Errorf("the second run measured again:\n%s", after)
	}
	var tables strings.Builder
	if err := run(context.Background(), []string{"-tables", path}, &tables); err != nil {
		t.Fatal(err)
	}
	if tables.String() != again.String() {
		t.Errorf("tables of the file:\n%s\nof the run that went on with it:\n%s", tables.String(), again.String())
	}
}

// A cell that is measured again replaces one whose ratio is not known, and one of a
// file without threads; what ran into its limit is compared by shares.
func TestTables(t *testing.T) {
	dir := t.TempDir()
	old, late := filepath.Join(dir, "old.csv"), filepath.Join(dir, "late.csv")
	for path, text := range map[string]string{
		old: `data,n,d,S,radius,pairs,chosen,best,ratio,auto_s,grid_s,kdtree_s
uniform,1000,2,10,1.5,100,grid,grid,1,0.5,0.4,>1.0
uniform,1000,3,10,1.5,,,,0,>8.0,>8.0,>8.0
`,
		late: header() + `
uniform,1000,2,10,1,1.5,100,grid,kdtree,1.25,0.5,,0.4,,,,,
uniform,1000,3,10,4,1.5,,,,≈0.5,>8~20,,>8~40,,,,,
uniform,1000,2,0,1,11.6,100,grid,,0,0.5,,,,,,,2.0
`} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, files := range [][]string{{old, late}, {late, old}} {
		var out strings.Builder
		if err := run(context.Background(), append([]string{"-tables"}, files...), &out); err != nil {
			t.Fatal(err)
		}
		row, sum := "| uniform | 1000 | 10 | **1.25** kdtree | ≈0.50 (4) |", "0 of 1 cells"
		if files[1] == old {
			row, sum = "| uniform | 1000 | 10 | <0.50 | ≈0.50 (4) |", "1 of 1 cells"
		}
		for _, want := range []string{row, sum, "1 of 1 within 1.2", "| uniform | 1000 | 2 | 11.6 | 0.1 | 500 | 2e+03 | 4× |"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%v: no %q in\n%s", files, want, out.String())
			}
		}
	}
}

func TestRadius(t *testing.T) {
	x := make([]float64, 1000)
	for i := range x {
		x[i] = float64(i)
	}
	// Rows near the ends have fewer neighbours, so that 6 takes a bit more than 3.
	if r := radius([][]float64{x}, 6); r < 3 || r > 4 {
		t.Errorf("6 neighbours within %v", r)
	}
}
