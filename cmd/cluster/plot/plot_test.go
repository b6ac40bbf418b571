package plot

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

// run carries out a command line without arguments that have blanks.
func run(t *testing.T, line string) {
	t.Helper()
	cmdtest.Succeed(t, append(strings.Fields(line), "-q", "--force")...)
}

// about is what a figure says of how it was made.
var about = regexp.MustCompile(`(?s)<metadata>.*?</metadata>|<title>.*?</title>`)

// svg is an SVG without what it says of how it was made.
func svg(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return about.ReplaceAllString(string(b), "")
}

var inText = regexp.MustCompile(`(?s)<text.*?>([^<]*)</text>`)

// written is all text of a figure, without blanks.
func written(t *testing.T, path string) string {
	t.Helper()
	var b strings.Builder
	for _, m := range inText.FindAllStringSubmatch(svg(t, path), -1) {
		b.WriteString(strings.ReplaceAll(m[1], " ", ""))
	}
	return b.String()
}

// made makes catalogs to draw in a folder of its own.
func made(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	run(t, "gen clumps -n 600 --seed 1 -o c.parquet")
	run(t, "gen sky -n 1500 --seed 2 -o field.parquet")
	run(t, "gen randoms -n 500 --ra 0,10 --dec 0,10 --seed 1 -o g.parquet")
	run(t, "gen randoms -n 900 --ra 0,10 --dec 0,10 --seed 2 -o r.parquet")
	run(t, "gen uniform -n 400 --dim 3 --seed 3 -o box.parquet")
}

// The figure of a table is that of the command which wrote the table.
func TestDrawsAgain(t *testing.T) {
	made(t)
	for _, c := range []struct{ line, flag, table, kind string }{
		{"hist c.parquet -c x,y --bins lin:0:50:10 -o T", "-p", "h.parquet", ""},
		{"hist c.parquet -c x,y --bins log:1:50:6 -o T", "-p", "h.csv", ""},
		{"rdf c.parquet -c x,y --box 100 --bins lin:0:20:10 -o T", "-p", "g.ecsv", ""},
		{"corr g.parquet --random r.parquet --bins log:10arcmin:5deg:6 -o T", "-p", "w.vot", ""},
		{"corr g.parquet --random r.parquet --bins log:10arcmin:5deg:6 --patches 8 -o T", "-p", "w8.fits", ""},
		{"corr g.parquet --random r.parquet --bins log:10arcmin:5deg:6 --patches 8 -o T", "--plot-covariance", "v.parquet", "matrix"},
		{"corr box.parquet --random box.parquet -c x,y,z --bins lin:1:9:4 --kind smu --mu lin:0:1:3 -o T", "-p", "smu.parquet", ""},
		{"corr box.parquet --random box.parquet -c x,y,z --bins lin:1:9:4 --kind wp --pi lin:0:9:3 -o T", "-p", "wp.parquet", ""},
		{"kdist c.parquet -c x,y -k 4 -o T", "-p", "k.parquet", ""},
		{"scan c.parquet -c x,y --min-points 5 -o T", "-p", "s.parquet", ""},
		{"scan field.parquet -c ra,dec --min-points 5 --unit deg -o T", "-p", "sd.ecsv", ""},
		{"hdbscan c.parquet -c x,y --min-cluster-size 10 --tree T", "--plot-tree", "tree.parquet", ""},
		{"hdbscan field.parquet -c ra,dec --min-cluster-size 10 --tree T --select leaf", "--plot-tree", "tsky.parquet", ""},
		{"optics c.parquet -c x,y --min-samples 5 --extract dbscan:2 -o T", "--plot-reachability", "o.parquet", ""},
		{"optics c.parquet -c x,y --min-samples 5 --extract dbscan:2 -o T", "-p", "om.parquet", "map"},
		{"hdbscan c.parquet -c x,y --min-cluster-size 10 -o T", "-p", "hd.parquet", ""},
		{"dbscan field.parquet -c ra,dec,pmra,pmdec --scale 0.25deg,0.6,0.6 --eps 1 --min-points 10 -o T", "-p", "db.parquet", ""},
		{"dbscan field.parquet -c ra,dec,pmra,pmdec --scale 0.25deg,0.6,0.6 --eps 1 --min-points 10 -o T", "--plot-panels", "pan.parquet", "panels"},
		{"dbscan c.parquet -c x,y --metric periodic --box 100 --eps 2 --min-points 5 -o T", "-p", "per.parquet", ""},
		{"classify c.parquet --train c.parquet --label true_cluster --features x,y -k 3 -o T", "-p", "cl.parquet", "confusion"},
	} {
		run(t, strings.ReplaceAll(c.line, " T", " "+c.table)+" "+c.flag+" first.svg --serif")
		line := "plot " + c.table + " -p again.svg --serif"
		if c.kind != "" {
			line += " --kind " + c.kind
		}
		run(t, line)
		if svg(t, "first.svg") != svg(t, "again.svg") {
			t.Errorf("%s is not as %s draws it", c.table, c.line)
		}
	}
}

func TestOverlaid(t *testing.T) {
	made(t)
	run(t, "corr g.parquet --random r.parquet --bins log:10arcmin:5deg:6 -o w1.parquet")
	run(t, "corr r.parquet --random g.parquet --bins log:20arcmin:3deg:4 -o w2.parquet")
	run(t, "plot w1.parquet w2.parquet --series bright,faint -p w.svg --plot-y scaled")
	if s := written(t, "w.svg"); strings.Count(s, "bright") != 1 || strings.Count(s, "faint") != 1 || !strings.Contains(s, "θw(θ)(arcmin)") {
		t.Error("the legend or the axis lacks a name")
	}
	run(t, "hist c.parquet -c x,y --bins lin:0:50:5 -o h1.csv")
	run(t, "hist c.parquet -c x,y --bins lin:0:60:6 -o h2.csv")
	run(t, "plot h1.csv h2.csv -p h.svg")
	if s := written(t, "h.svg"); !strings.Contains(s, "h1h2") {
		t.Error("the histograms have no names")
	}
	for line, want := range map[string]string{
		"plot w1.parquet h1.csv -p x.svg":                 "h1.csv",
		"plot w1.parquet w2.parquet --series a -p x.svg":  "--series a: 1 names for 2 files",
		"plot c.parquet --x x --y y --series a -p x.svg":  "--series is for correlation or histogram",
		"plot c.parquet --x x -p x.svg":                   "--x and --y go together",
		"plot h1.csv --x lo --y hi --plot-y log -p x.svg": "--plot-y is for correlation",
		"plot h1.csv":                                           "-p is needed",
		"plot -p x.svg":                                         "no input file",
		"plot h1.csv --kind scan -p x.svg":                      "no figure of the kind scan",
		"plot h1.csv --kind matrix -p x.svg":                    "no covariance",
		"plot w1.parquet --kind matrix -p x.svg":                "no covariance",
		"plot c.parquet --kind confusion -p x.svg":              "--x and --y",
		"plot c.parquet --x x --y y --labels x -p x.svg":        "is no cluster number",
		"plot c.parquet --x x --y y --labels nope -p x.svg":     "nope",
		"plot field.parquet --x ra --y dec --invert-y -p x.svg": "--invert-y",
		"plot h1.csv --again x.svg":                             "draws nothing of h1.csv",
	} {
		cmdtest.Refuse(t, exit.Request, append(strings.Fields(line), "-q"), want)
	}
}

// Offsets and separations of a match, by the differences that were put in.
func TestOffsets(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := [2]string{"ra,dec\n", "ra,dec\n"}
	for i := range 20 {
		lines[0] += fmt.Sprintf("%d,60\n", 10*i)
		lines[1] += fmt.Sprintf("%v,%v\n", float64(10*i)+2./3600, 60+1./3600) // cos 60° = 1/2: both are 1 arcsec
	}
	for i, name := range []string{"a.csv", "b.csv"} {
		if err := os.WriteFile(name, []byte(lines[i]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "match a.csv b.csv --radius 5arcsec -o m.parquet")
	run(t, "plot m.parquet -p off.svg")
	if s := written(t, "off.svg"); !strings.Contains(s, "Δα∗−1(arcsec)") || !strings.Contains(s, "rows(20)") {
		t.Error("the offsets are not about 1 arcsec")
	}
	run(t, "plot m.parquet --kind separations -p sep.svg")
	if s := written(t, "sep.svg"); !strings.Contains(s, "matchesperbin") {
		t.Error("the histogram is not of matches")
	}
}

// The numbers of a figure, and the clusters as regions.
func TestDataAndRegions(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("c.csv", []byte("ra,dec,cluster\n359.9,0,4\n0.1,0,4\n10,80,1\n20,0,-1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, "plot c.csv --regions c.reg --plot-data c.dat.csv")
	reg, err := os.ReadFile("c.reg")
	if err != nil {
		t.Fatal(err)
	}
	want := "# Region file format: DS9 version 4.1\nglobal color=green width=1\nicrs\n" +
		"circle(0.0000000,+0.0000000,360.000\") # text={4 (2)}\ncircle(10.0000000,+80.0000000,0.001\") # text={1 (1)}\n"
	if string(reg) != want {
		t.Errorf("the regions are\n%s, want\n%s", reg, want)
	}
	if got := strings.Join(cmdtest.Lines(t, "c.dat.csv"), " "); got != "x,y,label 359.9,0,4 0.1,0,4 10,80,1 20,0,-1" {
		t.Errorf("the numbers are %s", got)
	}
	if err := os.WriteFile("h.csv", []byte("lo,hi,count\n0,1,5\n1,3,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, "plot h.csv -p h.svg --plot-data d.csv")
	if got := strings.Join(cmdtest.Lines(t, "d.csv"), " "); got != "series,lo,hi,value h,0,1,5 h,1,3,2" {
		t.Errorf("the bars are %s", got)
	}
	cmdtest.Refuse(t, exit.Request, []string{"plot", "h.csv", "--regions", "x.reg"}, "--regions is for map")
	cmdtest.Refuse(t, exit.Request, []string{"plot", "c.csv", "--x", "cluster", "--y", "dec", "--regions", "x.reg"}, "clusters on the sky")
	cmdtest.Refuse(t, exit.Request, []string{"plot", "c.csv", "--regions", "c.csv", "--force"}, "c.csv")
}

func TestTraces(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"t.json": `[{"device":"cpu","worker":0,"start":0,"end":1.5,"rows":3,"neighbors":4},{"device":"gpu","worker":1,"start":0.5,"end":2,"rows":3,"neighbors":4}]`,
		"t.csv":  "device,worker,start,end,rows,neighbors\ncpu,0,0.000000,1.500000,3,4\ngpu,1,0.500000,2.000000,3,4\n",
		"x.json": `{"a":1}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "plot t.json -p a.svg")
	run(t, "plot t.csv -p b.svg")
	if a := svg(t, "a.svg"); a != svg(t, "b.svg") || !strings.Contains(a, ">gpu</text>") {
		t.Error("traces of both formats are not drawn alike")
	}
	cmdtest.Refuse(t, exit.Request, []string{"plot", "x.json", "-p", "c.svg"}, "x.json", "no trace")
	cmdtest.Refuse(t, exit.Request, []string{"plot", "t.json", "-p", "c.svg", "--where", "start > 1"}, "--where")
}

// Labels as other programs write them, rows without one, and the line that made a figure.
func TestLabels(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("c.csv", []byte("x,y,group\n1,2,0\n2,3,0\n4,4,1.0\n5,5,-1\n6,6,\n7,7,nan\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, "plot c.csv --x x --y y --labels group -p m.svg")
	s := written(t, "m.svg")
	for _, want := range []string{"0(2)", "1(1)", "noise(1)"} {
		if !strings.Contains(s, want) {
			t.Errorf("the legend has no %s", want)
		}
	}
	if got := cmdtest.Succeed(t, "plot", "--again", "m.svg").Stdout; got != "cluster plot c.csv --x=x --y=y --labels=group --plot=m.svg\n" {
		t.Errorf("the line is %s", got)
	}
}
