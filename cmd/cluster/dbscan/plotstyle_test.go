package dbscan

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/hybrid"
	"skyjoin/io/figure"
)

// starField makes a mock field and returns it and a folder for figures.
func starField(t *testing.T) (field, dir string) {
	t.Helper()
	dir = t.TempDir()
	field = filepath.Join(dir, "field.parquet")
	cmdtest.Succeed(t, "gen", "sky", "-n", "3000", "--seed", "1", "-o", field, "-q")
	return field, dir
}

// pngSize returns the size of a PNG in pixels.
func pngSize(t *testing.T, path string) (w, h int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := png.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return c.Width, c.Height
}

// The width of a figure is what was asked for: mm at 300 dots per inch.
func TestPlotWidth(t *testing.T) {
	field, dir := starField(t)
	for _, c := range []struct {
		flags []string
		mm    float64
		dpi   float64
	}{
		{nil, 174, 300},
		{[]string{"--plot-width", "single"}, 84, 300},
		{[]string{"--plot-width", "120", "--serif", "--font-size", "9"}, 120, 300},
		{[]string{"--style", "talk"}, 254, 150},
	} {
		path := filepath.Join(dir, "map.png")
		cmdtest.Succeed(t, append([]string{"dbscan", field, "-c", "ra,dec", "--eps", "1arcmin", "--min-points", "5", "-p", path, "--force", "-q"}, c.flags...)...)
		w, _ := pngSize(t, path)
		if want := c.mm / 25.4 * c.dpi; float64(w) < want-1 || float64(w) > want+1 {
			t.Errorf("%v: %d pixels wide, want %s", c.flags, w, strconv.FormatFloat(want, 'f', 0, 64))
		}
	}
}

func TestPlotPanels(t *testing.T) {
	field, dir := starField(t)
	base := []string{"dbscan", field, "-c", "ra,dec", "--eps", "1arcmin", "--min-points", "5", "-q"}
	path := filepath.Join(dir, "panels.png")
	cmdtest.Succeed(t, append(base, "--plot-panels", path)...)
	three, _ := pngSize(t, path)
	if three < 2000 {
		t.Errorf("three panels are %d pixels wide", three)
	}
	cmdtest.Refuse(t, exit.Request, append(base, "--plot-panels", path), path, "--force")
	cmdtest.Refuse(t, exit.Request, append(base, "--plot-panels", filepath.Join(dir, "x.gif")), ".gif", ".png")
	other := filepath.Join(dir, "x.png")
	cmdtest.Refuse(t, exit.Request, append(base, "--plot-panels", other, "--pm", "pmra"), "--pm pmra", "two columns")
	cmdtest.Refuse(t, exit.Request, append(base, "--plot-panels", other, "--cmd", "bp_rp,gmag"), "gmag")
	cmdtest.Refuse(t, exit.Request, append(base, "-p", other, "--plot-panels", other), "named twice")
	cmdtest.Refuse(t, exit.Request, append(base, "-p", other, "--plot-width", "wide"), "wide", "single, double")
	cmdtest.Refuse(t, exit.Request, append(base, "-p", other, "--font-size", "99"), "--font-size 99: it must be in [4, 36]")
	cmdtest.Refuse(t, exit.Request, append(base, "-p", other, "--font-size", "0"), "--font-size 0: it must be in [4, 36]")
	cmdtest.Refuse(t, exit.Request, append(base, "-p", other, "--plot-width", "40"), "--plot-width 40: it must be in [60, 1000]")
	cmdtest.Refuse(t, exit.Request, append(base, "-p", other, "--projection", "mercator"), "mercator", "mollweide")
	cmdtest.Refuse(t, exit.Request, append(base, "--pm", "pmra,pmdec"), "--plot-panels")
	cmdtest.Refuse(t, exit.Request, append(base, "--projection", "aitoff"), "--plot")
	cmdtest.Refuse(t, exit.Request, []string{"dbscan", field, "-c", "pmra,pmdec", "--eps", "1", "--min-points", "5", "-q", "-p", other, "--centre-ra", "10"}, "maps of the sky")
	cmdtest.Refuse(t, exit.Request, []string{"dbscan", field, "-c", "pmra", "--eps", "1", "--min-points", "5", "-q", "--plot-panels", other}, "two coordinates")
	plain := cmdtest.CSVOf(t, "ra,dec", "1,2", "1.001,2")
	cmdtest.Refuse(t, exit.Request, []string{"dbscan", plain, "--eps", "1deg", "--min-points", "2", "--plot-panels", other}, "--pm, --cmd and --plx")
}

// All figures take the flags of figures.
func TestPlotWidthOfAll(t *testing.T) {
	dir := t.TempDir()
	box, galaxies, randoms := filepath.Join(dir, "box.parquet"), filepath.Join(dir, "g.parquet"), filepath.Join(dir, "r.parquet")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "500", "--dim", "3", "--seed", "1", "-o", box, "-q")
	cmdtest.Succeed(t, "gen", "randoms", "-n", "500", "--ra", "0,10", "--dec", "0,10", "--seed", "1", "-o", galaxies, "-q")
	cmdtest.Succeed(t, "gen", "randoms", "-n", "1000", "--ra", "0,10", "--dec", "0,10", "--seed", "2", "-o", randoms, "-q")
	path, xi := filepath.Join(dir, "f.png"), filepath.Join(dir, "xi.csv")
	corr := []string{"corr", galaxies, "--random", randoms, "--bins", "lin:0.5deg:5deg:4", "--patches", "8", "--force"}
	with := func(base []string, more ...string) []string { return append(base[:len(base):len(base)], more...) }
	for _, c := range [][]string{
		{"hist", box, "-c", "x,y,z", "--bins", "lin:0:100:10", "-p", path, "--force"},
		{"rdf", box, "-c", "x,y,z", "--box", "100", "--bins", "lin:0:40:10", "-p", path, "--force"},
		{"kdist", box, "-c", "x,y,z", "-k", "3", "-p", path, "--force"},
		with(corr, "-p", path, "-o", xi),
		with(corr, "-p", path, "--compare", xi),
		with(corr, "--plot-covariance", path),
	} {
		os.Remove(path)
		cmdtest.Succeed(t, with(c, "--plot-width", "100", "-q")...)
		if w, _ := pngSize(t, path); w < 1180 || w > 1182 {
			t.Errorf("%v: %d pixels wide, want 1181", c, w)
		}
	}
	trace := filepath.Join(dir, "t.png")
	fig, err := job.Timeline([]hybrid.Event{{Device: "cpu", End: 1}}, figure.Style{Width: 100}).Figure()
	if err == nil {
		err = fig.Save(trace)
	}
	if err != nil {
		t.Fatal(err)
	}
	if w, _ := pngSize(t, trace); w < 1180 || w > 1182 {
		t.Errorf("the trace is %d pixels wide, want 1181", w)
	}
}

// Panels show the few bright stars of a cluster; those that would spoil the axes, and
// those without a value, are counted in the summary.
func TestPanelsShowAllMembers(t *testing.T) {
	panels := filepath.Join(t.TempDir(), "panels.png")
	in := []string{"ra,dec,bp_rp,g"}
	for i := range 200 {
		in = append(in, fmt.Sprintf("%v,20,%v,%v", 10+float64(i)/1e5, 0.5+float64(i)/200, 13+float64(i)/40))
	}
	for _, c := range []struct {
		more []string
		want map[string]string
	}{
		{[]string{"10,20.0001,1.5,9"}, map[string]string{"members_outside": "0", "members_blank": "0"}},
		{[]string{"10,20.0001,1.5,9", "10,20.0002,1.5,-999", "10,20.0001,,12"}, map[string]string{"members_outside": "1", "members_blank": "1"}},
	} {
		file := cmdtest.CSVOf(t, append(in[:len(in):len(in)], c.more...)...)
		args := []string{"dbscan", file, "-c", "ra,dec", "--eps", "1arcsec", "--min-points", "3", "--plot-panels", panels, "--force"}
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(args, "--json")...))
		cmd := s.Result["panels"].([]any)[1].(map[string]any)
		for key, want := range c.want {
			if got := fmt.Sprint(cmd[key]); got != want {
				t.Errorf("%q: %s is %s, want %s", c.more, key, got, want)
			}
		}
		table := cmdtest.Succeed(t, args...).Stderr
		if said := strings.Contains(table, "bp_rp, g: 1 row of clusters outside the axes"); said != (len(c.more) > 1) {
			t.Errorf("%q: the summary says\n%s", c.more, table)
		}
	}
}
