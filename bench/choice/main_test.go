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
	if len(lines) != 5 || !strings.HasPrefix(lines[0], "data,n,d,S,radius,pairs,chosen,best,ratio,auto_s,grid_s,kdtree_s") {
		t.Fatalf("cells:\n%s", cells)
	}
	for _, line := range lines[1:] {
		if f := strings.Split(line, ","); len(f) != 16 || f[3] != "5" || f[6] != "grid" {
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
	if err := run(context.Background(), append(args, "-algorithms", "grid"), &again); err == nil || !strings.Contains(err.Error(), "columns are") {
		t.Errorf("other columns in the same file: %v", err)
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
