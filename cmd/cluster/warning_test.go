package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
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
	const want = "column id is float64, in which 9007199254740993 in row 1 of "
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

// Distances whose squares vanish are not what they seem: where values differ by less
// than 1.5e-154, or by less once they are scaled, it is said; radii and edges that are
// as small are refused.
func TestWarningOfSquares(t *testing.T) {
	tiny := cmdtest.CSVOf(t, "x,y,c", "1e-200,0,a", "2e-200,0,b", "1,1,a")
	other := cmdtest.CSVOf(t, "x,y", "3e-200,0", "2,0")
	plain := cmdtest.CSVOf(t, "x,y,c", "1e-130,0,a", "2e-130,0,b", "1,1,a")
	const says = "squares of distances below 1.5e-154 vanish in float64: "
	huge := cmdtest.CSVOf(t, "x,y", "-1e200,0", "1,0", "3e300,0")
	const far = "squares of distances from 1.3e154 on are too large for float64: "
	const want = says + "1e-200 and 2e-200 of x are taken for the same or nearly so"
	for line, want := range map[string]string{
		"dbscan IN -c x,y --eps 1 --min-points 2": want, "join IN -c x,y --eps 1": want, "knn IN -c x,y -k 1 -o OUT --force": want, "kdist IN -c x,y -k 1": want, "hist IN -c x,y --bins 0,1": want,
		"hdbscan IN -c x,y --min-cluster-size 2": want, "optics IN -c x,y --min-samples 2": want, "stat IN -c x,y --expr r --reduce sum": want,
		"classify --train IN --label c --features x,y -k 1 IN":                    want,
		"match IN OTHER -c x,y --metric euclidean --radius 1":                     want,
		"match OTHER IN -c x,y --metric euclidean --radius 1 --where-b x==1e-200": says + "1e-200 and 3e-200 of x are taken for the same or nearly so",
		"join IN -c x,y --eps 1 --where x!=1e-200":                                "",
		"join OTHER -c x,y --eps 1":                                               "",
		"kdist HUGE -c x,y -k 1":                                                  far + "-1e+200 and 3e+300 of x are taken to be infinitely far apart",
		"scan HUGE -c x,y --min-points 2":                                         far + "-1e+200 and 3e+300 of x are taken to be infinitely far apart",
		"dbscan HUGE -c x,y --eps 1 --min-points 2 --scale 1e200,1":               "",
		"dbscan HUGE -c x,y --eps 1 --min-points 2 --where x>1e10":                "",
		"join PLAIN -c x,y --eps 1 --scale 1,1e-200":                              far + "0 and 1 of y, which is divided by 1e-200, are taken to be infinitely far apart",
		"join PLAIN -c x,y --eps 1":                                               "",
		"join PLAIN -c x,y --eps 1 --scale 1e40,1":                                says + "1e-130 and 2e-130 of x, which is divided by 1e+40, are taken for the same or nearly so",
		"join PLAIN -c x,y --eps 1 --scale 1,1e200":                               says + "0 and 1 of y, which is divided by 1e+200, are taken for the same or nearly so",
		"join IN -c x,y --metric sky --eps 1deg":                                  want,
		"join PLAIN -c x,y --metric sky --eps 1deg":                               "",
		"dbscan IN -c x --box 10 --eps 1 --min-points 2":                          want,
		"stat IN -c x,y --expr r --reduce sum --where x!=2e-200 --progress=never": "",
	} {
		got := strings.Join(warningsOf(t, strings.Fields(strings.NewReplacer("IN", tiny, "OTHER", other, "PLAIN", plain, "HUGE", huge, "OUT", filepath.Join(t.TempDir(), "out.csv")).Replace(line))...), "|")
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string]string{
		"dbscan IN -c x,y --eps 1e-160 --min-points 2":                    "--eps 1e-160: it is too small, as squares of distances below 1.5e-154 vanish",
		"join IN -c x,y --metric sky --eps 1e-160arcsec":                  "--eps 1e-160arcsec: it is too small",
		"match IN OTHER -c x,y --metric euclidean --radius 1e-170":        "--radius 1e-170: it is too small",
		"hist IN -c x,y --bins 1e-170,1":                                  "--bins 1e-170,1: an edge is too near 0",
		"rdf IN -c x,y --box 10 --bins lin:1e-170:1:3":                    "an edge is too near 0",
		"classify --train IN --label c --features x,y --radius 1e-170 IN": "--radius 1e-170",
	} {
		cmdtest.Refuse(t, exit.Request, strings.Fields(strings.NewReplacer("IN", tiny, "OTHER", other).Replace(line)), want)
	}
	r := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "join", tiny, "-c", "x,y", "--eps", "1e-153", "--json"))
	if fmt.Sprint(r.Result["pairs"]) != "1" {
		t.Errorf("--eps 1e-153: %v", r.Result)
	}
}

// Tiles warn of it as one run does, and so does whatever puts them together.
func TestWarningOfSquaresInTiles(t *testing.T) {
	tiny := cmdtest.CSVOf(t, "x,y", "1e-200,0", "2e-200,0", "1,1", "5,5", "6,6", "7,7")
	plain := cmdtest.CSVOf(t, "x,y", "0,0", "2,0", "1,1", "5,5", "6,6", "7,7")
	const want = "squares of distances below 1.5e-154 vanish in float64: 1e-200 and 2e-200 of x are taken for the same or nearly so"
	for line, want := range map[string]string{
		"dbscan IN -c x,y --eps 1 --min-points 2":                                 want,
		"dbscan PLAIN -c x,y --eps 1 --min-points 2":                              "",
		"dbscan PLAIN -c x,y --eps 1 --min-points 2 --scale 1e200,1 --where x<=1": strings.Replace(want, "1e-200 and 2e-200 of x", "0 and 1 of x, which is divided by 1e+200,", 1),
		"hist IN -c x,y --bins 0,1":                                               want,
		"match PLAIN IN -c x,y --metric euclidean --radius 1":                     strings.Replace(want, "1e-200 and 2e-200", "0 and 1e-200", 1),
		"corr IN --random PLAIN -c x,y --metric euclidean --bins 0.5,1,2":         strings.Replace(want, "1e-200 and 2e-200", "0 and 1e-200", 1),
	} {
		plan := filepath.Join(t.TempDir(), "plan")
		line := strings.Fields(strings.NewReplacer("IN", tiny, "PLAIN", plain).Replace(line))
		cmdtest.Succeed(t, append([]string{"plan", line[0], "--tiles", "2", "-o", plan, "-q"}, line[1:]...)...)
		warned := want == ""
		for _, tile := range []string{"0", "1"} {
			said := strings.Join(warningsOf(t, "tile", plan, "--index", tile), "|")
			if said != "" && said != want {
				t.Errorf("%s: tile %s: %q, want %q", line, tile, said, want)
			}
			warned = warned || said == want
		}
		if merged := strings.Join(warningsOf(t, "merge", plan), "|"); !warned || merged != want {
			t.Errorf("%s: merge %q, want %q; of tiles: %v", line, merged, want, warned)
		}
	}
}

// A result that a service cut off is no whole catalog, wherever the document says so;
// whatever reads it tells.
func TestWarningOfOverflow(t *testing.T) {
	table := `<TABLE><FIELD name="ra" datatype="double" unit="deg"/><FIELD name="dec" datatype="double" unit="deg"/><DATA><TABLEDATA>` +
		`<TR><TD>1</TD><TD>2</TD></TR><TR><TD>1</TD><TD>2.0001</TD></TR></TABLEDATA></DATA></TABLE>`
	document := func(name, before, after string) string {
		return cmdtest.Write(t, name, `<VOTABLE version="1.3"><RESOURCE type="results">`+before+table+after+`</RESOURCE></VOTABLE>`)
	}
	const overflow = `<INFO name="QUERY_STATUS" value="OVERFLOW"/>`
	whole := document("whole.vot", `<INFO name="QUERY_STATUS" value="OK"/>`, "")
	for _, in := range []string{document("before.vot", overflow, ""), document("after.vot", `<INFO name="QUERY_STATUS" value="OK"/>`, overflow)} {
		for _, line := range []string{"info IN", "dbscan IN --eps 1arcsec --min-points 2", "join IN --eps 1arcsec", "match IN OTHER --radius 1arcsec", "match OTHER IN --radius 1arcsec", "hist IN --bins lin:0deg:1deg:2"} {
			got := warningsOf(t, strings.Fields(strings.NewReplacer("IN", in, "OTHER", whole).Replace(line))...)
			if len(got) != 1 || !strings.HasPrefix(got[0], in+" is the beginning of a result: ") {
				t.Errorf("%s: %q", line, got)
			}
		}
	}
	if got := warningsOf(t, "info", whole); len(got) > 0 {
		t.Errorf("a whole result: %q", got)
	}
	failed := document("failed.vot", "", `<INFO name="QUERY_STATUS" value="ERROR">out of disk space</INFO>`)
	cmdtest.Refuse(t, exit.Failed, []string{"info", failed}, "the rows end early; the service says: out of disk space")
	empty := cmdtest.Write(t, "empty.vot", `<VOTABLE><RESOURCE><INFO name="QUERY_STATUS" value="ERROR">Column dec_ not found in table gaia</INFO></RESOURCE></VOTABLE>`)
	cmdtest.Refuse(t, exit.Failed, []string{"info", empty}, "the service says: Column dec_ not found in table gaia")
}
