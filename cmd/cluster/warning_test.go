package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// warningsOf runs a command as a table and as JSON, which must have the same
// warnings, and returns them.
func warningsOf(t *testing.T, args ...string) []string {
	t.Helper()
	var s struct{ Warnings []string }
	if err := json.Unmarshal([]byte(cmdtest.Succeed(t, append(slices.Clone(args), "--json")...).Stdout), &s); err != nil {
		t.Fatal(err)
	}
	table := cmdtest.Succeed(t, args...).Stderr
	for _, w := range s.Warnings {
		if !strings.Contains(table, w) {
			t.Errorf("%v: %q is not in\n%s", args, w, table)
		}
	}
	if strings.Contains(table, "warning") != (len(s.Warnings) > 0) {
		t.Errorf("%v: JSON has %d warnings, the table is\n%s", args, len(s.Warnings), table)
	}
	return s.Warnings
}

// An identifier of 2⁵³ and more loses digits where another is no whole number:
// the column, the row and the value are named by whatever reads the file.
func TestWarningOfLostDigits(t *testing.T) {
	in := cmdtest.CSVOf(t, "id,x,y", "1,0,0", "9007199254740993,1,0", "2.5,0,1")
	whole := cmdtest.CSVOf(t, "id,x,y", "1,0,0", "9007199254740993,1,0", "2,0,1")
	const want = "column id is read as float64, as not all of its numbers are whole: 9007199254740993 in row 1 of "
	for _, line := range []string{"info IN", "convert IN", "dbscan IN -c x,y --eps 1 --min-points 2", "join IN -c x,y --eps 1", "match IN OTHER -c x,y --metric euclidean --radius 1", "match OTHER IN -c x,y --metric euclidean --radius 1", "join IN IN -c x,y --eps 1"} {
		for _, file := range []string{in, whole} {
			args := strings.Fields(strings.NewReplacer("IN", file, "OTHER", whole).Replace(line))
			if line == "convert IN" {
				args = append(args, "-o", t.TempDir()+"/out.parquet", "--force")
			}
			got := warningsOf(t, args...)
			if file == whole && len(got) > 0 || file == in && (len(got) != 1 || got[0] != want+in+" becomes 9007199254740992") {
				t.Errorf("%s: %q", line, got)
			}
		}
	}
}
