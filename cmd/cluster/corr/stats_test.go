package corr

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
)

// counted returns the numbers of a key of the bins of a summary.
func counted(t *testing.T, r cmdtest.Result, key string) []string {
	t.Helper()
	var s struct {
		Result struct {
			Bins []map[string]json.Number `json:"bins"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
		t.Fatalf("%v in %s", err, r.Stdout)
	}
	var out []string
	for _, b := range s.Result.Bins {
		v, ok := b[key]
		if !ok {
			t.Fatalf("no key %s in %s", key, r.Stdout)
		}
		out = append(out, v.String())
	}
	return out
}

// The pairs of galaxies within ten radii, as others have counted them: ordered
// pairs, self included.
func TestHistOfGalaxies(t *testing.T) {
	in := cmdtest.TestData(t, "shapley_galaxies.csv")
	// Pairs at just a radius are within it: edges are a hair more.
	edges := []string{"0"}
	for _, r := range []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10} {
		edges = append(edges, strconv.FormatFloat(r*(1+1e-14), 'g', -1, 64))
	}
	edges[0] = "0deg"
	got := counted(t, cmdtest.Succeed(t, "hist", in, "-c", "RA,Dec", "--bins", strings.Join(edges, ","), "--json"), "count")
	sum := 0
	for i, ordered := range []int{4865, 5911, 11809, 29391, 85669, 343765, 901055, 2201107, 7228097, 15002757} {
		n, err := strconv.Atoi(got[i])
		if err != nil {
			t.Fatal(err)
		}
		if sum += n; sum != (ordered-4215)/2 {
			t.Errorf("%d pairs within %s, want %d", sum, edges[i+1], (ordered-4215)/2)
		}
	}
}

func TestHist(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,w", "0,1", "0,2", "1,3", ",9")
	for _, c := range []struct {
		args      []string
		count     []string
		weight    []string
		pairs     string
		under     string
		atOrAbove string
	}{
		{[]string{"--bins", "0,0.5,2"}, []string{"1", "2"}, nil, "3", "0", "0"},
		{[]string{"--bins", "0,0.5,2", "--with", in}, []string{"5", "4"}, nil, "9", "0", "0"},
		{[]string{"--bins", "0.5,0.9", "--weights", "w"}, []string{"0"}, []string{"0"}, "3", "1", "2"},
		{[]string{"--bins", "lin:0:2:2", "--weights", "w"}, []string{"1", "2"}, []string{"2", "9"}, "3", "0", "0"},
		{[]string{"--bins", "lin:0:2:2", "--where", "w < 3"}, []string{"1", "0"}, nil, "1", "0", "0"},
	} {
		r := cmdtest.Succeed(t, append([]string{"hist", in, "-c", "x", "--json"}, c.args...)...)
		if got := counted(t, r, "count"); !slices.Equal(got, c.count) {
			t.Errorf("%v: counts %v, want %v", c.args, got, c.count)
		}
		if c.weight != nil {
			if got := counted(t, r, "weight"); !slices.Equal(got, c.weight) {
				t.Errorf("%v: weights %v, want %v", c.args, got, c.weight)
			}
		}
		s := cmdtest.SummaryOf(t, r)
		for key, want := range map[string]string{"pairs": c.pairs, "under": c.under, "over": c.atOrAbove} {
			if got := fmt.Sprint(s.Result[key]); got != want {
				t.Errorf("%v: %s %s, want %s", c.args, key, got, want)
			}
		}
	}
}

// Cases C27 and C31, at the command line.
func TestHistCases(t *testing.T) {
	box := cmdtest.CSVOf(t, "x,y,z", "0.5,0,0", "9.5,0,0", "5.0,0,0")
	if got := counted(t, cmdtest.Succeed(t, "hist", box, "-c", "x,y,z", "--box", "10", "--bins", "0.1,2,4.6", "--json"), "count"); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("periodic: %v", got)
	}
	sky := cmdtest.CSVOf(t, "ra,dec", "0,0", "100,0", "180,0")
	if got := counted(t, cmdtest.Succeed(t, "hist", sky, "--bins", "70deg,90,110,170,181", "--json"), "count"); !slices.Equal(got, []string{"1", "1", "0", "1"}) {
		t.Errorf("beyond 90 degrees: %v", got)
	}
}

func TestStatsRefusals(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y,z,n", "0.5,0,0,1", "9.5,0,0,2", "5.0,0,0,3")
	sky := cmdtest.CSVOf(t, "ra,dec,d", "0,0,1", "100,0,2", "180,0,3")
	empty := cmdtest.CSVOf(t, "x,y,z")
	for _, c := range []struct {
		status int
		args   []string
		parts  []string
	}{
		{2, []string{"hist", in, "-c", "x"}, []string{"--bins"}},
		{2, []string{"hist", in, "-c", "x", "--bins", "log:0:1:3"}, []string{"log:0:1:3", "positive"}},
		{2, []string{"hist", in, "-c", "x", "--bins", "2,1"}, []string{"ascend"}},
		{2, []string{"hist", in, "-c", "x", "--bins", "lin:0:1deg:3"}, []string{"plain numbers"}},
		{2, []string{"hist", sky, "--bins", "lin:0:1:3"}, []string{"unit", "deg"}},
		{2, []string{"hist", sky, "--bins", "lin:0:1furlong:3"}, []string{"furlong"}},
		{2, []string{"hist", in, "-c", "x,y,z", "--box", "10", "--bins", "0,5.5"}, []string{"5.5", "5"}},
		{2, []string{"hist", in, "-c", "x", "--bins", "0,1", "--weights-b", "w"}, []string{"second catalog"}},
		{2, []string{"hist", in, "-c", "x", "--bins", "0,1", "--where-b", "n > 1"}, []string{"--where-b", "second catalog"}},
		{2, []string{"rdf", in, "-c", "x", "--box", "10", "--bins", "0,1", "--columns-b", "y"}, []string{"--columns-b", "second catalog"}},
		{2, []string{"knn", in, "-c", "x", "-k", "1", "-o", "-", "--columns-b", "y"}, []string{"--columns-b", "second catalog"}},
		{2, []string{"join", in, "-c", "x", "--eps", "1", "-o", "-", "--where-b", "n > 1"}, []string{"--where-b", "second catalog"}},
		{2, []string{"match", sky, "--radius", "1deg", "-o", "-", "--distance-b", "d"}, []string{"--distance-b d", "without --distance"}},
		{1, []string{"stat", in, "-c", "x", "--expr", "r", "--reduce", "sum", "--emit-cuda", "nowhere/k.cu"}, []string{"cannot write nowhere/k.cu: no such"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--covariance", "bootstrap"}, []string{"--patches"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--realisations", "9"}, []string{"--covariance bootstrap"}},
		{1, []string{"hist", empty, "-c", "x", "--bins", "0,1"}, []string{"no "}},
		{2, []string{"rdf", in, "-c", "x,y,z", "--bins", "0,1"}, []string{"--box"}},
		{2, []string{"rdf", in, "-c", "x,y,z", "--box", "10,10,0", "--bins", "0,1"}, []string{"periodic"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--bins", "0,1"}, []string{"--random"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--kind", "w"}, []string{"--kind w"}},
		{2, []string{"corr", sky, "--random", sky, "--bins", "0,1deg", "--kind", "wp"}, []string{"--distance"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--kind", "wp"}, []string{"--pi"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--pi", "0,1"}, []string{"--pi"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--patches", "rings:3"}, []string{"rings:3"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--patches", "9"}, []string{"9 patches", "3 rows"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--patches", "healpix:2"}, []string{"box"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--patches", "column:x"}, []string{"whole numbers"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--plot-covariance", "c.png"}, []string{"--patches"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--rr", in}, []string{"--save-rr"}},
		{2, []string{"corr", in, "-c", "x,y,z", "--random", in, "--bins", "0,1", "--omega-m", "0.3"}, []string{"--redshift"}},
		{2, []string{"corr", in, "-c", "x,y", "--random", in, "--bins", "0,1", "--kind", "smu"}, []string{"3 coordinates"}},
		{2, []string{"convert", in, "-c", "x,y,x", "-o", "-"}, []string{"--columns x,y,x", "x is named twice"}},
		{2, []string{"gen", "randoms", "-n", "3", "-o", "-", "--ra", "1"}, []string{"FROM,TO"}},
		{2, []string{"gen", "randoms", "-n", "3", "-o", "-", "--dec", "50,10"}, []string{"ascend"}},
		{2, []string{"gen", "randoms", "-n", "3", "-o", "-", "--nside", "8"}, []string{"--footprint"}},
		{2, []string{"gen", "randoms", "-n", "3", "-o", "-", "--footprint", sky, "--nside", "12"}, []string{"power of two"}},
		{2, []string{"gen", "sky", "-n", "3", "-o", "-", "--ra", "1,2"}, []string{"randoms"}},
	} {
		cmdtest.Refuse(t, c.status, c.args, c.parts...)
	}
}

// Case C33 with the commands: LS = 7/30, whatever the unit of random weights.
func TestCorrByHand(t *testing.T) {
	data := cmdtest.CSVOf(t, "x,w", "0,1", "1,2", "2,1", "3,1")
	for _, w := range []string{"1", "7"} {
		random := cmdtest.CSVOf(t, "x,w", "0.5,"+w, "1.5,"+w, "2.5,"+w)
		r := cmdtest.Succeed(t, "corr", data, "--random", random, "-c", "x", "--weights", "w", "--bins", "0.25,1.25", "--json")
		for key, want := range map[string]float64{"xi": 7.0 / 30, "dd_norm": 5.0 / 9, "dr_norm": 16.0 / 30, "rr_norm": 8.0 / 12, "dd": 3, "dr": 6, "rr": 2} {
			got, err := strconv.ParseFloat(counted(t, r, key)[0], 64)
			if err != nil || math.Abs(got-want) > 1e-14 {
				t.Errorf("%s = %v, want %v (%v)", key, got, want, err)
			}
		}
	}
	// No random pair in the first bin: null, and only there.
	r := cmdtest.Succeed(t, "corr", cmdtest.CSVOf(t, "x", "0", "1"), "--random", cmdtest.CSVOf(t, "x", "0", "10"), "-c", "x", "--bins", "0.5,1.5,9.5,10.5", "--json")
	if !strings.Contains(r.Stdout, `"xi":null`) {
		t.Errorf("ξ without random pairs is not null in %s", r.Stdout)
	}
	if n := strings.Count(r.Stdout, `"xi":null`); n != 2 {
		t.Errorf("%d bins without ξ, want 2", n)
	}
}

// The pairs of randoms are kept and used again; the answer is the same, and
// other randoms or bins are refused.
func TestCorrReusesRandomPairs(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	cmdtest.Succeed(t, "gen", "clumps", "-n", "300", "--dim", "3", "-q", "-o", at("data.parquet"))
	cmdtest.Succeed(t, "gen", "uniform", "-n", "500", "--dim", "3", "--seed", "2", "-q", "-o", at("random.parquet"))
	base := []string{"corr", at("data.parquet"), "--random", at("random.parquet"), "-c", "x,y,z", "--patches", "5", "--json"}
	run := func(args ...string) []string { return append(slices.Clone(base), args...) }
	first := cmdtest.Succeed(t, run("--bins", "log:1:40:5", "--save-rr", at("rr.parquet"), "-o", at("a.csv"))...)
	second := cmdtest.Succeed(t, run("--bins", "log:1:40:5", "--rr", at("rr.parquet"), "-o", at("b.csv"))...)
	for _, key := range []string{"dd", "dr", "rr", "xi", "error"} {
		if a, b := counted(t, first, key), counted(t, second, key); !slices.Equal(a, b) {
			t.Errorf("%s: %v, with the pairs that were kept %v", key, a, b)
		}
	}
	a, errA := os.ReadFile(at("a.csv"))
	b, errB := os.ReadFile(at("b.csv"))
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Errorf("the tables differ (%v, %v)", errA, errB)
	}
	for _, name := range []string{"cov_0", "cov_4", "real_0", "real_4"} {
		if got := cmdtest.Column(t, at("a.csv"), name); len(got) != 5 {
			t.Errorf("column %s: %v", name, got)
		}
	}
	for _, name := range []string{"rr.fits", "rr.ecsv"} {
		cmdtest.Succeed(t, run("--bins", "log:1:40:5", "--save-rr", at(name))...)
		again := cmdtest.Succeed(t, run("--bins", "log:1:40:5", "--rr", at(name))...)
		if a, b := counted(t, first, "rr"), counted(t, again, "rr"); !slices.Equal(a, b) {
			t.Errorf("%s: %v, want %v", name, b, a)
		}
	}
	for _, name := range []string{"rr.csv", "rr.vot", "rr.xml"} { // could not be read back
		cmdtest.Refuse(t, exit.Request, run("--bins", "log:1:40:5", "--save-rr", at(name)), "--save-rr", ".parquet, .fits or .ecsv")
	}
	cmdtest.Refuse(t, exit.Request, run("--bins", "log:1:40:6", "--rr", at("rr.parquet")), "the bins")
	cmdtest.Refuse(t, exit.Request, run("--bins", "log:1:40:5", "--rr", at("rr.parquet"), "--patches", "6"), "5", "6")
	cmdtest.Refuse(t, exit.Request, run("--bins", "log:1:40:5", "--rr", at("rr.parquet"), "--where-b", "x < 90"), "randoms")
	cmdtest.Refuse(t, exit.Request, run("--bins", "log:1:40:5", "--rr", at("data.parquet")), "--save-rr")
}

// Every kind runs, and writes its table and its figures.
func TestCorrKinds(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	cmdtest.Succeed(t, "gen", "randoms", "-n", "400", "--ra", "350,10", "--dec", "-8,8", "-q", "-o", at("pos.csv"))
	cmdtest.Succeed(t, "gen", "randoms", "-n", "800", "--ra", "350,10", "--dec", "-8,8", "--seed", "5", "-q", "-o", at("rpos.csv"))
	for _, name := range []string{"pos.csv", "rpos.csv"} {
		cmdtest.Succeed(t, "convert", at(name), "--let", "z = 0.05 + 0.0001*dec", "-q", "-o", at("z"+name))
	}
	for _, c := range []struct {
		kind string
		args []string
		rows int
	}{
		{"w", []string{"--bins", "log:0.2deg:8deg:6"}, 6},
		{"xi", []string{"--redshift", "z", "--bins", "log:1:20:4"}, 4},
		{"rppi", []string{"--redshift", "z", "--bins", "log:1:20:4", "--pi", "lin:0:1:2"}, 8},
		{"smu", []string{"--distance", "z", "--bins", "lin:0.001:0.006:3"}, 60},
		{"wp", []string{"--redshift", "z", "--bins", "log:1:20:4", "--pi", "lin:0:1:2", "--omega-m", "0.25"}, 4},
		{"xi0", []string{"--redshift", "z", "--bins", "log:1:20:3", "--mu", "lin:0:1:2"}, 3},
		{"xi2", []string{"--redshift", "z", "--bins", "log:1:20:3", "--mu", "lin:0:1:2", "--covariance", "bootstrap", "--realisations", "20"}, 3},
	} {
		out := at(c.kind + ".ecsv")
		args := append([]string{"corr", at("zpos.csv"), "--random", at("zrpos.csv"), "--kind", c.kind, "-q", "-o", out, "--patches", "healpix:4",
			"-p", at(c.kind + ".png"), "-p", at(c.kind + ".svg")}, c.args...)
		if c.kind == "w" || c.kind == "xi" {
			args = append(args, "--plot-covariance", at(c.kind+"-cov.png"))
		}
		cmdtest.Succeed(t, args...)
		if c.kind == "w" {
			cmdtest.Succeed(t, append(args, "--force")...) // all are replaced
		}
		if got := cmdtest.Column(t, out, "xi"); len(got) != c.rows {
			t.Errorf("%s: %d rows, want %d", c.kind, len(got), c.rows)
		}
	}
	cmdtest.Succeed(t, "corr", at("zpos.csv"), "--random", at("zrpos.csv"), "--bins", "log:0.2deg:8deg:6", "-q", "--estimator", "natural",
		"--compare", at("w.ecsv"), "-o", at("ratio.csv"), "-p", at("ratio.png"))
	if got := cmdtest.Column(t, at("ratio.csv"), "ratio"); len(got) != 6 {
		t.Errorf("ratios %v", got)
	}
	cmdtest.Refuse(t, exit.Request, []string{"corr", at("zpos.csv"), "--random", at("zrpos.csv"), "--bins", "log:0.2deg:8deg:7", "--compare", at("w.ecsv"), "-o", at("no.csv")}, "bins")
}

// g(r) of even points is 1.
func TestMeanSeparations(t *testing.T) {
	in := cmdtest.CSVOf(t, "x", "0", "1", "3", "7", "7.5")
	for _, c := range []struct{ args, want string }{
		{"hist --bins 0,2,5,10", "[0.75 3.375 6.75]"}, // 0.5 1 | 2 3 4 4.5 | 6 6.5 7 7.5
		{"rdf --box 20 --bins 0,2,5,10", "[0.75 3.375 6.75]"},
		{"corr --box 20 --bins 0,2,5,10", "[0.75 3.375 6.75]"},
	} {
		args := strings.Fields(c.args)
		r := cmdtest.Succeed(t, append(append([]string{args[0], in, "-c", "x", "--mean-separation", "--json"}, args[1:]...), "-t", "2")...)
		var s struct {
			Result struct {
				Bins []struct {
					Mean float64 `json:"mean_separation"`
				}
			}
		}
		if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, b := range s.Result.Bins {
			got = append(got, b.Mean)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", c.args, got, c.want)
		}
	}
	r := cmdtest.Succeed(t, "hist", cmdtest.CSVOf(t, "ra,dec", "10,0", "10.5,0", "14,0"), "--bins", "0.1deg,1deg,5deg", "--mean-separation", "--json")
	if !cmdtest.Contains(r.Stdout, `"mean_separation":0.50000000000`, `"mean_separation":3.7500000000`) {
		t.Errorf("on the sky: %s", r.Stdout)
	}
}

// Two ends may be in two units, and the bins are in the finer of them. A list of
// edges has one unit: in 1arcsec,2,3deg nobody knows what 2 is.
func TestBinsInTwoUnits(t *testing.T) {
	for text, want := range map[string]string{
		"log:1arcmin:1deg:3": "[1 3.914867641 15.32618865 60] arcmin", "1deg,0.5arcsec,3arcmin": "",
		"0.5arcsec,3arcmin,1deg": "", "0,3arcmin,1deg": "", "1arcsec,2,3deg": "", "1,2deg,3arcsec": "", "0.1deg,0.2rad": "", "lin:1rad:2deg:3": "",
		"1rad,2": "[1 2] rad", "1,2,3deg": "[1 2 3] deg", "lin:0:1deg:2": "[0 0.5 1] deg", "log:10mas:1arcsec:2": "[10 100 1000] mas",
	} {
		b := flags.Bins{Text: text}
		bins, unit, err := b.Parse("--bins", true)
		if want == "" {
			if err == nil {
				t.Errorf("%s is %v %s", text, bins.Edges(), unit)
			}
			continue
		}
		if got := fmt.Sprintf("%.10g %s", bins.Edges(), unit); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
}

// In a periodic box the pairs of randoms are known: ξ is g(r) - 1, and points
// without correlation have none in any coordinates.
func TestCorrOfABox(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.parquet")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "3000", "--dim", "3", "-q", "-o", in)
	values := func(key string, args ...string) (v []float64) {
		t.Helper()
		var s struct {
			Result struct{ Bins []map[string]float64 }
		}
		r := cmdtest.Succeed(t, append(args, in, "-c", "x,y,z", "--box", "100", "--json")...)
		if err := json.Unmarshal([]byte(r.Stdout), &s); err != nil {
			t.Fatal(err)
		}
		for _, b := range s.Result.Bins {
			v = append(v, b[key])
		}
		return v
	}
	bins := []string{"--bins", "lin:10:30:4"}
	g := values("g", append([]string{"rdf"}, bins...)...)
	xi := values("xi", append([]string{"corr"}, bins...)...)
	if len(xi) != 4 || len(g) != 4 {
		t.Fatalf("%d and %d bins", len(xi), len(g))
	}
	for i := range g {
		if math.Abs(g[i]-1-xi[i]) > 1e-12 {
			t.Errorf("bin %d: xi %v, g %v", i, xi[i], g[i])
		}
	}
	for _, args := range []string{
		"--kind wp --pi lin:0:20:4 --los z", "--kind rppi --pi 0,5,20 --los x", "--kind smu --mu lin:0:1:3 --los y",
		"--kind xi0 --los z", "--kind xi2 --los z --mu lin:0:1:50",
	} {
		all := append(append([]string{"corr"}, bins...), strings.Fields(args)...)
		xi, errors := values("xi", all...), values("error", all...)
		for i, x := range xi {
			if !(errors[i] > 0) || math.Abs(x) > 6*errors[i] {
				t.Errorf("%s, bin %d: %v ± %v", args, i, x, errors[i])
			}
		}
	}
	for _, args := range []string{"--estimator ls", "--patches cells:2", "--rr x.parquet", "--save-rr x.parquet", "--scale 2,2,2", "--box 100,100,0"} {
		want, _, _ := strings.Cut(args, " ")
		all := append([]string{"corr", in, "-c", "x,y,z", "--bins", "1,2"}, strings.Fields(args)...)
		if want == "--box" {
			want = "side 2 of the box is 0"
		} else {
			all = append(all, "--box", "100")
		}
		cmdtest.Refuse(t, exit.Request, all, want)
	}
	// rp and π are each within half of the side that they are measured along, and
	// farther together: the whole box to its corners.
	wide := func(box, pi string) []string {
		return []string{"corr", in, "-c", "x,y,z", "--box", box, "--kind", "wp", "--los", "z", "--bins", "lin:10:50:4", "--pi", pi}
	}
	r := cmdtest.Succeed(t, append(wide("100", "lin:0:50:4"), "--json")...)
	wp, errors := counted(t, r, "xi"), counted(t, r, "error")
	for i := range wp {
		if x, e := number(t, wp[i]), number(t, errors[i]); !(e > 0) || math.Abs(x) > 6*e {
			t.Errorf("the whole box, bin %d: %v ± %v", i, x, e)
		}
	}
	cmdtest.Succeed(t, wide("100,100,1000", "0,100")...)
	cmdtest.Refuse(t, exit.Request, wide("100", "lin:0:51:4"), "--pi lin:0:51:4", "last edge 51", "half of the side 100 of the box along z")
	cmdtest.Refuse(t, exit.Request, wide("100,99,1000", "lin:0:51:4"), "--bins lin:10:50:4", "last edge 50", "half of the side 99 of the box along y")
}

func TestRDF(t *testing.T) {
	in, plot := filepath.Join(t.TempDir(), "in.parquet"), filepath.Join(t.TempDir(), "rdf.png")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "4000", "--dim", "3", "-q", "-o", in)
	r := cmdtest.Succeed(t, "rdf", in, "-c", "x,y,z", "--box", "100", "--bins", "lin:5:45:4", "-p", plot, "--json")
	for i, text := range counted(t, r, "g") {
		g, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Abs(g-1) > 0.03 {
			t.Errorf("g = %v in bin %d", text, i)
		}
	}
	if _, err := os.Stat(plot); err != nil {
		t.Error(err)
	}
	both := cmdtest.Succeed(t, "rdf", in, in, "-c", "x,y,z", "--box", "100", "--bins", "0,0.001", "--json")
	if got := counted(t, both, "count"); got[0] != "4000" {
		t.Errorf("%s pairs at 0 of a catalog with itself, want 4000", got[0])
	}
}

// Randoms are in their footprint, which may cross RA 0, and spread evenly.
func TestGenRandoms(t *testing.T) {
	dir := t.TempDir()
	box, in := filepath.Join(dir, "box.csv"), filepath.Join(dir, "in.csv")
	cmdtest.Succeed(t, "gen", "randoms", "-n", "4000", "--ra", "350,10", "--dec", "30,60", "-q", "-o", box)
	ra, dec := cmdtest.Column(t, box, "ra"), cmdtest.Column(t, box, "dec")
	east, north := 0, 0
	for i := range ra {
		x, _ := strconv.ParseFloat(ra[i], 64)
		y, _ := strconv.ParseFloat(dec[i], 64)
		if !(x >= 350 && x < 360 || x >= 0 && x < 10) || y < 30 || y > 60 {
			t.Fatalf("row %d is at (%v, %v)", i, x, y)
		}
		if x < 180 {
			east++
		}
		if y > math.Asin((0.5+math.Sqrt(3)/2)/2)*180/math.Pi { // half of the area
			north++
		}
	}
	for _, n := range []int{east, north} {
		if math.Abs(float64(n)-2000) > 5*math.Sqrt(1000) {
			t.Errorf("%d of 4000 rows in half of the area", n)
		}
	}
	cmdtest.Succeed(t, "convert", box, "--let", "z = dec/100", "-q", "-o", in)
	out := filepath.Join(dir, "out.csv")
	cmdtest.Succeed(t, "gen", "randoms", "-n", "500", "--footprint", in, "--nside", "8", "--draw", "z", "-q", "-o", out)
	z := cmdtest.Column(t, out, "z")
	known := map[string]bool{}
	for _, v := range cmdtest.Column(t, in, "z") {
		known[v] = true
	}
	for i, v := range z {
		if !known[v] {
			t.Errorf("row %d has z = %s, which no row of the catalog has", i, v)
		}
	}
	for i, text := range cmdtest.Column(t, out, "dec") {
		if y, _ := strconv.ParseFloat(text, 64); y < 20 || y > 70 {
			t.Errorf("row %d is at Dec %v", i, y)
		}
	}
	again := filepath.Join(dir, "again.csv")
	cmdtest.Succeed(t, "gen", "randoms", "-n", "500", "--footprint", in, "--nside", "8", "--draw", "z", "-t", "1", "-q", "-o", again)
	a, _ := os.ReadFile(out)
	b, _ := os.ReadFile(again)
	if string(a) != string(b) {
		t.Error("the same seed gives other rows")
	}
}

// Randoms that lie elsewhere make no correlation function, though every
// estimator has a number for it; those of a part of the data are pointed out.
func TestRandomsElsewhere(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	field := func(name, ra, seed string) {
		cmdtest.Succeed(t, "gen", "randoms", "-n", "1500", "--ra", ra, "--dec", "0,20", "--seed", seed, "-q", "-o", at(name))
	}
	field("here.csv", "350,10", "1")
	field("too.csv", "350,10", "2")
	field("half.csv", "0,20", "3")
	field("there.csv", "100,120", "4")
	run := func(randoms string, more ...string) []string {
		return append([]string{"corr", at("here.csv"), "--random", at(randoms), "--bins", "log:0.1deg:5deg:4"}, more...)
	}
	if r := cmdtest.Succeed(t, run("too.csv")...); strings.Contains(r.Stderr, "there are none") {
		t.Errorf("randoms of the same field: %s", r.Stderr)
	}
	if r := cmdtest.Succeed(t, run("half.csv")...); !strings.Contains(r.Stderr, "% of the data lie where there are none") {
		t.Errorf("randoms of a half of the field: %s", r.Stderr)
	}
	for randoms, key := range map[string]bool{"too.csv": false, "half.csv": true} {
		value, has := cmdtest.SummaryOf(t, cmdtest.Succeed(t, run(randoms, "--json")...)).Result["data_without_randoms"]
		share, _ := strconv.ParseFloat(fmt.Sprint(value), 64)
		if has != key || has && !(share > 0.3 && share < 0.6) {
			t.Errorf("%s: the share of the data outside is %v", randoms, value)
		}
	}
	for _, estimator := range []string{"ls", "natural", "dp"} {
		cmdtest.Refuse(t, exit.Request, run("there.csv", "--estimator", estimator, "-o", at("w.csv")), "no row of the data lies among the randoms", " deg from any", "units")
	}
	if _, err := os.Stat(at("w.csv")); err == nil {
		t.Error("a table was written")
	}
	plan := func(randoms string) []string {
		return append([]string{"plan"}, run(randoms, "--patches", "5", "--tiles", "2", "-o", at("plan"))...)
	}
	cmdtest.Refuse(t, exit.Request, plan("there.csv"), "no row of the data lies among the randoms", " deg from any")
	if r := cmdtest.Succeed(t, plan("half.csv")...); !strings.Contains(r.Stderr, "% of the data lie where there are none") {
		t.Errorf("a plan with randoms of a half of the field: %s", r.Stderr)
	}
	// A box in kpc and another one in Mpc.
	cmdtest.Succeed(t, "gen", "uniform", "-n", "800", "--dim", "3", "-q", "-o", at("box.parquet"))
	cmdtest.Succeed(t, "convert", at("box.parquet"), "--let", "u = x * 1000 + 1e5", "--let", "v = y * 1000", "--let", "w = z * 1000", "-q", "-o", at("kpc.csv"))
	cmdtest.Refuse(t, exit.Request, []string{"corr", at("box.parquet"), "--random", at("kpc.csv"), "-c", "x,y,z", "--columns-b", "u,v,w", "--bins", "lin:1:20:4"}, "among the randoms", "units")
}

// Bins beyond half of a box are refused with both numbers.
func TestBinsBeyondTheBox(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,y", "0,0", "1,1", "2,3")
	for _, command := range []string{"rdf", "hist", "plan hist --tiles 2 -o " + filepath.Join(t.TempDir(), "plan"), "corr"} {
		args := append(strings.Fields(command), in, "-c", "x,y", "--bins", "lin:0:3:4", "--box", "10,5")
		cmdtest.Refuse(t, exit.Request, args, "--bins lin:0:3:4", "last edge 3", "half of the side 5", "along y")
	}
	cmdtest.Succeed(t, "hist", in, "-c", "x,y", "--bins", "lin:0:3:4", "--box", "10,6", "-q") // 3 is half of it
}

// Rows of weight 0 change neither ξ nor its error, which is (1+ξ)/√3 with three
// pairs that carry weight; nor do they in a box.
func TestErrorsOfWeights(t *testing.T) {
	used := []string{"0,5,5,1", "1,5,5,1", "2,5,5,1", "3,5,5,1"}
	var all []string
	for i := 1; i < 8; i++ {
		all = append(all, fmt.Sprintf("0.%d,5,5,0", i))
	}
	random := cmdtest.CSVOf(t, "x,y,z,w", "0.5,5,5,1", "1.5,5,5,1", "2.5,5,5,1")
	for k, rows := range [][]string{used, append(all, used...)} {
		in := cmdtest.CSVOf(t, append([]string{"x,y,z,w"}, rows...)...)
		of := []string{"corr", in, "--random", random, "-c", "x,y,z", "--bins", "0.25,1.25", "--weights", "w"}
		if got := counted(t, cmdtest.Succeed(t, append(of, "--json")...), "error"); got[0] != "0.7216878364870323" {
			t.Errorf("catalog %d: error %v, want 1.25/√3", k, got)
		}
		box := []string{in, "-c", "x,y,z", "--bins", "0.25,1.25", "--weights", "w", "--box", "10", "--json"}
		r := cmdtest.Succeed(t, append([]string{"rdf"}, box...)...)
		if x, e := counted(t, r, "g"), counted(t, r, "error"); number(t, e[0]) != number(t, x[0])/math.Sqrt(3) {
			t.Errorf("catalog %d in a box: g %v ± %v, want g/√3", k, x, e)
		}
	}
	randoms := filepath.Join("testdata", "randoms_for_rows_with_weight.csv")
	for _, name := range []string{"rows_with_weight.csv", "rows_with_and_without_weight.csv"} {
		of := []string{"corr", filepath.Join("testdata", name), "--random", randoms, "-c", "x,y,z", "--bins", "0.25,1.25", "--weights", "w", "--json"}
		r := cmdtest.Succeed(t, of...)
		if x, e := counted(t, r, "xi"), counted(t, r, "error"); number(t, e[0]) != (1+number(t, x[0]))/math.Sqrt(3) {
			t.Errorf("%s: ξ %v ± %v, want (1 + ξ)/√3 of the 3 pairs with weight", name, x, e)
		}
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A patch that holds randoms and no data is resampled as the others are, and
// pointed out. The errors are of leaving out each of the four patches, by brute
// force.
func TestPatchWithoutData(t *testing.T) {
	data, random := filepath.Join("testdata", "no_data_in_patch_4.csv"), filepath.Join("testdata", "randoms_in_patches_1_to_4.csv")
	of := []string{"corr", data, "--random", random, "-c", "x,y,z", "--bins", "0.2,0.9,1.7", "--patches", "column:p"}
	r := cmdtest.Succeed(t, append(of, "--json")...)
	for i, text := range counted(t, r, "error") {
		if want := []float64{0.397599, 0.188061}[i]; math.Abs(number(t, text)-want) > 1e-6 {
			t.Errorf("bin %d: error %s, want %v", i, text, want)
		}
	}
	if res := cmdtest.SummaryOf(t, r).Result; fmt.Sprintf("%v %v", res["patches_without_data"], res["realisations"]) != "1 4" {
		t.Errorf("patches_without_data is %v and realisations %v, want 1 and 4", res["patches_without_data"], res["realisations"])
	}
	for _, more := range [][]string{nil, {"--covariance", "bootstrap"}} {
		if r := cmdtest.Succeed(t, append(of[:len(of):len(of)], more...)...); !strings.Contains(r.Stderr, "1 of 4 hold randoms but no data") {
			t.Errorf("%v: the summary does not say that a patch holds no data: %s", more, r.Stderr)
		}
	}
	of[1] = random
	if r := cmdtest.Succeed(t, of...); strings.Contains(r.Stderr, "no data") {
		t.Errorf("data in all patches: %s", r.Stderr)
	}
}

// Randoms of which one row carries all weight have no pairs that weigh anything: RR
// is 0, not what rounding leaves, and ξ is empty.
func TestOneRowCarriesAllWeight(t *testing.T) {
	data := cmdtest.CSVOf(t, "x,w,p", "0,1,1", "1,1,2", "2,1,1", "3,1,2")
	for _, rows := range [][]string{{"0.5,0.1,1", "1.5,0,1", "2.5,0,2"}, {"0.5,0.7186,1", "1.5,1e-40,1", "2.5,1e-35,2"}} {
		random := cmdtest.CSVOf(t, append([]string{"x,w,p"}, rows...)...)
		of := []string{"corr", data, "--random", random, "-c", "x", "--bins", "0.25,1.25", "--weights", "w", "--json"}
		for _, more := range [][]string{nil, {"--patches", "column:p"}, {"--patches", "column:p", "--covariance", "bootstrap"}} {
			res := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(of[:len(of):len(of)], more...)...)).Result
			bin := res["bins"].([]any)[0].(map[string]any)
			if got := fmt.Sprintf("%v %v %v %v", res["rr_weight"], bin["rr_weight"], bin["rr_norm"], bin["xi"]); got != "0 0 <nil> <nil>" {
				t.Errorf("%v: RR weighs %v in all, and in the bin, its share and ξ: want 0, 0 and none", more, got)
			}
		}
	}
}

// --plot-y chooses the axis of the figure: by default values that are not positive
// are below 0, and on a logarithmic axis they are explained in the legend.
func TestPlotY(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.parquet")
	cmdtest.Succeed(t, "gen", "clumps", "-n", "1000", "--dim", "3", "--seed", "3", "-o", in, "-q")
	base := []string{"corr", in, "-c", "x,y,z", "--box", "100", "--bins", "log:0.5:30:8", "-q", "--force"}
	drawn := map[string]string{}
	for _, axis := range []string{"", "log", "linear", "symlog", "scaled"} {
		path := filepath.Join(dir, "xi.svg")
		args := append(base[:len(base):len(base)], "-p", path)
		if axis != "" {
			args = append(args, "--plot-y", axis)
		}
		cmdtest.Succeed(t, args...)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, drawn[axis], _ = strings.Cut(string(b), "</metadata>") // which records the axis that was asked for
	}
	if drawn[""] == "" || drawn[""] != drawn["symlog"] {
		t.Error("with negative values the axis is not symlog")
	}
	for _, axis := range []string{"log", "linear", "scaled"} {
		if drawn[axis] == drawn[""] {
			t.Errorf("--plot-y %s changes nothing", axis)
		}
	}
	cmdtest.Refuse(t, 2, append(base, "--kind", "rppi", "--pi", "lin:0:9:3", "--los", "z", "-p", filepath.Join(dir, "h.svg"), "--plot-y", "log"), "--plot-y log", "heat map")
	cmdtest.Refuse(t, 2, append(base, "--plot-y", "log"), "--plot")
}
