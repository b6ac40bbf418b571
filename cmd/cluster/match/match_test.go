package match

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// matched runs a match and returns the lines of its table and its summary.
func matched(t *testing.T, args ...string) ([]string, map[string]any) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.csv")
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(append([]string{"match"}, args...), "-o", out, "--json")...))
	return cmdtest.Lines(t, out), s.Result
}

func TestMatchFindAndJoin(t *testing.T) {
	a := cmdtest.CSVOf(t, "x,id", "0,9223372036854775807", "1,2", "7,3", ",4")
	b := cmdtest.CSVOf(t, "x,id,name", "0.5,5,p", "1.25,6,q", "20,7,r")
	base := []string{a, b, "-c", "x", "--radius", "0.75"}
	for flags, want := range map[string][]string{
		"":                            {"0,0,0.5,0,9223372036854775807,0.5,5,p", "1,1,0.25,1,2,1.25,6,q"},
		"--find all":                  {"0,0,0.5,0,9223372036854775807,0.5,5,p", "1,0,0.5,1,2,0.5,5,p", "1,1,0.25,1,2,1.25,6,q"},
		"--find best1":                {"0,0,0.5,0,9223372036854775807,0.5,5,p", "1,1,0.25,1,2,1.25,6,q"},
		"--find best2":                {"0,0,0.5,0,9223372036854775807,0.5,5,p", "1,1,0.25,1,2,1.25,6,q"},
		"--min-radius 0.3":            {"0,0,0.5,0,9223372036854775807,0.5,5,p"},
		"--join all1 --min-radius .3": {"0,0,0.5,0,9223372036854775807,0.5,5,p", "1,,,1,2,,,", "2,,,7,3,,,", "3,,,,4,,,"},
		"--join all2":                 {"0,0,0.5,0,9223372036854775807,0.5,5,p", "1,1,0.25,1,2,1.25,6,q", ",2,,,,20,7,r"},
	} {
		got, _ := matched(t, append(slices.Clone(base), strings.Fields(flags)...)...)
		if got[0] != "row,neighbor,distance,x_1,id_1,x_2,id_2,name" || !slices.Equal(got[1:], want) {
			t.Errorf("%q:\n%s\nwant\n%s", flags, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	got, result := matched(t, append(base, "--join", "1not2")...)
	if !slices.Equal(got, []string{"row,x_1,id_1", "2,7,3", "3,,4"}) {
		t.Errorf("1not2: %q", got)
	}
	for key, want := range map[string]string{"matches": "2", "candidates": "3", "ambiguous_1": "1", "ambiguous_2": "1", "unmatched_1": "2", "unmatched_2": "1", "rows": "2"} {
		if got := fmt.Sprint(result[key]); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
	if got, _ := matched(t, append(base, "--join", "2not1", "--keep", "name")...); !slices.Equal(got, []string{"neighbor,name", "2,r"}) {
		t.Errorf("2not1: %q", got)
	}
	// What a filter drops is not there, matched or not.
	if got, _ := matched(t, append(base, "--join", "1not2", "--where", "id < 4")...); !slices.Equal(got, []string{"row,x_1,id_1", "2,7,3"}) {
		t.Errorf("filtered: %q", got)
	}
	// The two nearest of each, within the radius or not.
	if got, _ := matched(t, a, b, "-c", "x", "-k", "1", "--find", "all", "--keep", "name"); !slices.Equal(got, []string{"row,neighbor,distance,name", "0,0,0.5,p", "1,1,0.25,q", "2,1,5.75,q"}) {
		t.Errorf("the nearest: %q", got)
	}
}

// Case C35: no match, and no rows, are tables with a header.
// K counts the rows beyond --min-radius: of neighbours at 0.36, 3.6 and 7.2
// arcsec.
func TestNearestOfTheAnnulus(t *testing.T) {
	a, b := filepath.Join("testdata", "one_star.csv"), filepath.Join("testdata", "stars_around_the_inner_radius.csv") // at 0.36, 3.6 and 7.2 arcsec
	for flags, want := range map[string][]string{
		"--radius 10arcsec --min-radius 1arcsec --find best1":     {"1"},
		"--radius 10arcsec --min-radius 1arcsec --find all -k 1":  {"1"},
		"--radius 10arcsec --min-radius 1arcsec --find all -k 2":  {"1", "2"},
		"--radius 10arcsec --min-radius 1arcsec --find all -k 3":  {"1", "2"},
		"--min-radius 1arcsec --radius 5arcsec --find all -k 2":   {"1"},
		"--radius 10arcsec --min-radius 4arcsec --find best -k 1": {"2"},
		"--radius 10arcsec --min-radius 8arcsec --find all -k 1":  nil,
		"--radius 10arcsec --find all -k 1":                       {"0"},
	} {
		got, _ := matched(t, append([]string{a, b, "--keep", "ra"}, strings.Fields(flags)...)...)
		var rows []string
		for _, line := range got[1:] {
			rows = append(rows, strings.Split(line, ",")[1])
		}
		if !slices.Equal(rows, want) {
			t.Errorf("%s: rows %q of B, want %q", flags, rows, want)
		}
	}
}

func TestMatchNothing(t *testing.T) {
	a, b := cmdtest.CSVOf(t, "ra,dec,id", "0,0,1"), cmdtest.CSVOf(t, "ra,dec,name", "180,0,x")
	none := cmdtest.CSVOf(t, "ra,dec,name")
	header := "row,neighbor,distance,ra_1,dec_1,id,ra_2,dec_2,name"
	for _, c := range []struct {
		a, b, join string
		want       []string
	}{
		{a, b, "1and2", nil}, {a, none, "1and2", nil}, {a, none, "all1", []string{"0,,,0,0,1,,,"}}, {a, b, "1or2", []string{"0,,,0,0,1,,,", ",0,,,,,180,0,x"}},
	} {
		got, result := matched(t, c.a, c.b, "--radius", "1deg", "--join", c.join, "--allow-empty")
		if got[0] != header || !slices.Equal(got[1:], c.want) || fmt.Sprint(result["matches"]) != "0" {
			t.Errorf("%s: %q, %v", c.join, got, result)
		}
	}
	if got, _ := matched(t, none, b, "--radius", "1deg", "--allow-empty"); len(got) != 1 || !strings.HasPrefix(got[0], "row,neighbor,distance,") {
		t.Errorf("an empty first catalog: %q", got)
	}
	out := filepath.Join(t.TempDir(), "out.parquet")
	cmdtest.Succeed(t, "match", a, b, "--radius", "1deg", "-q", "-o", out)
	info := cmdtest.Succeed(t, "info", out).Stdout
	for _, part := range []string{"rows 0", "row int64", "neighbor int64", "distance float64 deg", "id int64", "name string"} {
		if !strings.Contains(strings.Join(strings.Fields(info), " "), part) {
			t.Errorf("no %q in\n%s", part, info)
		}
	}
	if r := cmdtest.Succeed(t, "match", a, a, "--radius", "1deg"); !strings.Contains(r.Stderr, "same file") {
		t.Errorf("A = B is not noted:\n%s", r.Stderr)
	}
}

func TestMatchErrors(t *testing.T) {
	a := cmdtest.CSVOf(t, "x,e,name", "0,0.3,p", "10,0.1,q", "20,,r")
	b := cmdtest.CSVOf(t, "x,e", "0.5,0.2", "10.5,0.2", "20,1")
	got, _ := matched(t, a, b, "-c", "x", "--error-a", "e", "--error-b", "e", "--keep", "name")
	if !slices.Equal(got, []string{"row,neighbor,distance,name", "0,0,0.5,p"}) {
		t.Errorf("by errors: %q", got)
	}
	if got, _ := matched(t, a, b, "-c", "x", "--error-a", "e", "--error-b", "e", "--radius", "0.4", "--keep", "name"); len(got) != 1 {
		t.Errorf("by errors and radius: %q", got)
	}
	sky, far := cmdtest.CSVOf(t, "ra,dec,e", "10,0,500"), cmdtest.CSVOf(t, "ra,dec", "10,0.0001")
	for unit, want := range map[string]int{"mas": 2, "arcsec": 2, "rad": 2} {
		if got, _ := matched(t, sky, far, "--error-a", "e", "--error-unit", unit, "--keep", "e"); len(got) != want {
			t.Errorf("in %s: %q", unit, got)
		}
	}
	cmdtest.Refuse(t, 2, []string{"match", sky, far, "--error-a", "e"}, "--error-unit")
	cmdtest.Refuse(t, 2, []string{"match", a, b, "-c", "x", "--error-a", "e", "--error-unit", "mas"}, "not angles")
	cmdtest.Refuse(t, 2, []string{"match", a, b, "-c", "x", "--error-a", "x", "--error-b", "f"}, "f")
	negative := cmdtest.CSVOf(t, "x,e", "1,-2")
	cmdtest.Refuse(t, 2, []string{"match", negative, b, "-c", "x", "--error-a", "e"}, "-2", "cannot be negative")
}

// Errors of either side have a unit of their own, and are combined as the flags
// say: rows 5 arcsec apart, with errors of 3 and 4 arcsec.
func TestMatchCombinesErrors(t *testing.T) {
	a, b := cmdtest.CSVOf(t, "ra,dec,e", "10,0,3"), cmdtest.CSVOf(t, "ra,dec,f", "10,0.0013888,4000")
	one := cmdtest.CSVOf(t, "ra,dec,e", "10,0,3", "10,0.0013888,4")
	for flags, want := range map[string]string{
		"--error-unit arcsec --error-unit-b mas":                                     "1",
		"--error-unit arcsec --error-unit-b mas --combine quadrature":                "1", // 4.99968 of 5 arcsec
		"--error-unit arcsec --error-unit-b mas --combine quadrature --nsigma 0.999": "0",
		"--error-unit arcsec --error-unit-b mas --nsigma 0.72":                       "1", // of 7 arcsec
		"--error-unit arcsec --error-unit-b mas --nsigma 0.7":                        "0",
		"--error-unit mas":                                        "0",
		"--error-unit mas --nsigma 2":                             "1",
		"--error-unit arcsec --error-unit-b mas --radius 4arcsec": "0",
		"--error-unit deg --error-unit-b rad":                     "1",
	} {
		_, result := matched(t, append([]string{a, b, "--error-a", "e", "--error-b", "f"}, strings.Fields(flags)...)...)
		if got := fmt.Sprint(result["matches"]); got != want {
			t.Errorf("%s: %s matches, want %s", flags, got, want)
		}
	}
	for flags, want := range map[string]string{"": "1", "--combine quadrature": "1", "--combine quadrature --nsigma 0.999": "0", "--nsigma 0.7": "0"} {
		_, result := matched(t, append([]string{one, "--error-a", "e", "--error-unit", "arcsec"}, strings.Fields(flags)...)...)
		if got := fmt.Sprint(result["matches"]); got != want {
			t.Errorf("one catalog, %q: %s matches, want %s", flags, got, want)
		}
	}
	base := []string{"match", a, b, "--error-b", "f"}
	for flags, part := range map[string]string{
		"--error-unit-b mas --nsigma 0":                   "--nsigma 0: it must be positive",
		"--error-unit-b mas --combine quadrature":         "only one catalog has errors",
		"--error-unit-b mas --combine product":            "quadrature",
		"--error-unit-b mas --error-unit arcsec":          "A has no errors",
		"--error-unit-b mas -c ra,dec --metric euclidean": "--error-unit-b mas: distances are not angles",
	} {
		cmdtest.Refuse(t, 2, append(base[:len(base):len(base)], strings.Fields(flags)...), part)
	}
	cmdtest.Refuse(t, 2, []string{"match", a, b, "--radius", "1arcsec", "--nsigma", "3"}, "--nsigma")
	cmdtest.Refuse(t, 2, []string{"match", a, b, "--error-a", "e", "--error-unit", "mas", "--error-unit-b", "mas"}, "--error-unit-b")
}

// A star of 1 arcsec a year is found 16 years later only if it is moved.
func TestMatchEpochs(t *testing.T) {
	gaia := cmdtest.CSVOf(t, "ra,dec,pmra,pmdec,ref_epoch", "10,60,1000,0,2016", "20,0,,,2016")
	old := cmdtest.CSVOf(t, "ra,dec", "9.991111111,60", "20,0")
	base := []string{gaia, old, "--radius", "0.5arcsec", "--keep", "pmra"}
	cmdtest.Refuse(t, 2, append([]string{"match", "-o", filepath.Join(t.TempDir(), "o.csv")}, gaia, old, "--radius", "1arcsec", "--keep", "pm"), `"pm"`, "second catalog")
	if got, _ := matched(t, base...); len(got) != 2 {
		t.Errorf("not moved: %q", got)
	}
	for _, flags := range [][]string{
		{"--epoch-a", "2016", "--epoch-b", "2000"},
		{"--epoch-a", "ref_epoch", "--epoch-b", "2000", "--pm-a", "pmra,pmdec"},
		{"--epoch-a", "2016", "--epoch-b", "2000", "--epoch", "2000"},
	} {
		if got, _ := matched(t, append(slices.Clone(base), flags...)...); len(got) != 3 {
			t.Errorf("%v: %q", flags, got)
		}
	}
	if got, _ := matched(t, old, gaia, "--radius", "0.5arcsec", "--keep", "pmra", "--epoch-a", "2000", "--epoch-b", "2016"); len(got) != 3 {
		t.Errorf("the other way round: %q", got)
	}
	for _, c := range []struct{ flags, part string }{
		{"--epoch-a 2016", "go together"}, {"--epoch 2016", "need --epoch-a"}, {"--epoch-a 2016 --epoch-b 2000 --epoch 2010", "--pm-b"},
		{"--epoch-a ref_epoch --epoch-b x --pm-b ra,dec", "--epoch is needed"},
	} {
		cmdtest.Refuse(t, 2, append(append([]string{"match"}, base[:4]...), strings.Fields(c.flags)...), c.part)
	}
}

func TestMatchDistances(t *testing.T) {
	a, b := cmdtest.CSVOf(t, "ra,dec,d", "0,0,1", "90,0,2"), cmdtest.CSVOf(t, "ra,dec,r", "0,0,1.5", "90,0,2.25")
	got, _ := matched(t, a, b, "--distance", "d", "--distance-b", "r", "--radius", "0.3", "--keep", "d,r")
	if len(got) != 2 || !strings.HasPrefix(got[1], "1,1,0.25") {
		t.Errorf("in 3-D: %q", got)
	}
}

func TestMatchWithin(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,name", "5,a", "0,b", ",c", "0.5,d", "1,e", "5.25,f", "9,g")
	base := []string{"match", in, "-c", "x", "--radius", "0.5"}
	out := filepath.Join(t.TempDir(), "out.csv")
	for action, want := range map[string][]string{
		"identify": {"x,name,group_id,group_size", "5,a,0,2", "0,b,1,3", ",c,,", "0.5,d,1,3", "1,e,1,3", "5.25,f,0,2", "9,g,,"},
		"keep1":    {"x,name", "5,a", "0,b", ",c", "9,g"},
		"keep0":    {"x,name", ",c", "9,g"},
	} {
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(slices.Clone(base), "--action", action, "-o", out, "--force", "--json")...))
		cmdtest.Same(t, out, want...)
		for key, want := range map[string]string{"matches": "3", "groups": "2", "grouped": "5", "largest": "3"} {
			if got := fmt.Sprint(s.Result[key]); got != want {
				t.Errorf("%s is %s, want %s", key, got, want)
			}
		}
	}
	cmdtest.Refuse(t, 2, append(slices.Clone(base), "--find", "all"), "two catalogs")
	cmdtest.Refuse(t, 2, []string{"match", in, "-c", "x"}, "--radius is needed")
	cmdtest.Refuse(t, 2, []string{"match", in, in, "-c", "x", "--radius", "1", "--action", "keep0"}, "--action")
	cmdtest.Refuse(t, 2, []string{"match", in, in, "-c", "x"}, "--radius is needed")
	cmdtest.Refuse(t, 2, []string{"match", in, in, "-c", "x", "--radius", "1", "--min-radius", "2"}, "--min-radius 2 is above --radius 1")
}

// Answers of independent tools on real catalogs.
func TestMatchRealCatalogs(t *testing.T) {
	small, other := cmdtest.TestData(t, "hats_small_sky/small_sky"), cmdtest.TestData(t, "hats_small_sky/raw/xmatch/small_sky_xmatch.csv")
	for radius, want := range map[string]string{"0.01deg": "103", "0.005deg": "36"} {
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "match", small, other, "--radius", radius, "--find", "best1", "--json"))
		if got := fmt.Sprint(s.Result["matches"]); got != want {
			t.Errorf("small_sky within %s: %s matches, want %s", radius, got, want)
		}
	}
	query := cmdtest.CSVOf(t, "ra,dec", "26.8566983,-26.9677112", "101.3520545,24.5421872", "0.3126,47.6859", "0.31820833,29.59277778")
	got, _ := matched(t, query, cmdtest.TestData(t, "gcvs.parquet"), "--radius", "1.5arcsec", "--find", "best1")
	if len(got) != 2 || !strings.HasPrefix(got[1], "1,") || !strings.Contains(got[1], "RR") {
		t.Errorf("variable stars: %q", got)
	}
	if got, _ := matched(t, query, cmdtest.TestData(t, "spicy_yso.parquet"), "--radius", "1.2arcsec", "--find", "best1"); len(got) != 1 {
		t.Errorf("young stars: %q", got)
	}
	if got, _ := matched(t, query, cmdtest.TestData(t, "4lac_dr3_h.fits"), "--radius", "60arcsec", "--find", "best1", "--keep", "Source_Name"); len(got) != 2 || !strings.HasPrefix(got[1], "2,") || !strings.HasSuffix(got[1], ",4FGL J0001.2+4741") {
		t.Errorf("blazars: %q", got)
	}
}

// Groups within one catalog by errors, with a least distance, and of rows of
// several epochs.
func TestMatchWithinByErrorsAndEpochs(t *testing.T) {
	in := cmdtest.CSVOf(t, "x,e,name", "0,0.25,a", "0.5,0.25,b", "0.75,0,c", "9,5,d", "3.5,0.5,e", "3.5,0,f")
	out := filepath.Join(t.TempDir(), "out.csv")
	for flags, want := range map[string]string{
		"--error-a e":                               "0 0 0 1 1 1",
		"--error-a e --radius 0.6":                  "0 0 0 - 1 1",
		"--radius 0.5":                              "0 0 0 - 1 1",
		"--radius 0.5 --min-radius 0.3":             "0 0 - - - -",
		"--error-a e --radius 6 --min-radius 0.001": "0 0 0 1 1 -",
	} {
		cmdtest.Succeed(t, append([]string{"match", in, "-c", "x", "-q", "--force", "-o", out}, strings.Fields(flags)...)...)
		var got []string
		for _, line := range cmdtest.Lines(t, out)[1:] {
			group := strings.Split(line, ",")[3]
			if group == "" {
				group = "-"
			}
			got = append(got, group)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", flags, got, want)
		}
	}
	// One star of 1 arcsec a year, seen twice, and another beside its old place.
	stars := cmdtest.CSVOf(t, "ra,dec,pmra,pmdec,year", "10,0,1000,0,2000", "10.004444444,0,1000,0,2016", "10.00005,0,,,2000")
	base := []string{"match", stars, "--radius", "0.5arcsec", "-q", "--force", "-o", out}
	cmdtest.Succeed(t, base...)
	if got := cmdtest.Lines(t, out); got[1] != "10,0,1000,0,2000,0,2" || !strings.HasSuffix(got[2], ",2016,,") {
		t.Errorf("not moved: %q", got)
	}
	cmdtest.Succeed(t, append(base, "--epoch-a", "year", "--epoch", "2016")...)
	if got := cmdtest.Lines(t, out); got[1] != "10,0,1000,0,2000,0,2" || !strings.HasSuffix(got[2], ",2016,0,2") || !strings.HasSuffix(got[3], ",2000,,") {
		t.Errorf("moved: %q", got)
	}
	cmdtest.Refuse(t, 2, append(base, "--epoch-a", "year"), "go together")
	cmdtest.Refuse(t, 2, append(base, "--epoch-b", "2000"), "two catalogs")
	cmdtest.Refuse(t, 2, []string{"match", in, "-c", "x", "--radius", "1", "--epoch-a", "2000", "--epoch", "2016"}, "on the sky")
}

// A table that is written in many parts is the table written at once.
func TestMatchWritesInParts(t *testing.T) {
	defer func(n int64) { pickedBytes = n }(pickedBytes)
	a, b := []string{"x,id,name"}, []string{"x,flag"}
	for i := range 2600 {
		a = append(a, fmt.Sprintf("%d,%d,n%d", i, i%97, i))
		b = append(b, fmt.Sprintf("%g,%v", float64(i)+0.25, i%3 == 0))
	}
	first, second := cmdtest.CSVOf(t, a...), cmdtest.CSVOf(t, b...)
	for _, args := range [][]string{{second, "--join", "1or2"}, {second, "--find", "all"}, {"--action", "keep0"}} {
		var want []byte
		for _, bytes := range []int64{1 << 30, 1} {
			pickedBytes = bytes
			out := filepath.Join(t.TempDir(), "out.parquet")
			cmdtest.Succeed(t, append([]string{"match", first, "-c", "x", "--radius", "0.3", "--null", "5,96", "-q", "-o", out}, args...)...)
			got, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			} else if string(got) != string(want) {
				t.Errorf("%v: %d bytes in parts, %d at once", args, len(got), len(want))
			}
		}
	}
}

// The number of matches by chance is that of the area of the circles, and does
// not count the rows that both catalogs have.
func TestMatchesByChance(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet")
	cmdtest.Succeed(t, "gen", "sphere", "-n", "20000", "--seed", "1", "-o", a, "-q")
	cmdtest.Succeed(t, "gen", "sphere", "-n", "20000", "--seed", "2", "-o", b, "-q")
	const expected = 846.1 // 20000² (1 - cos 10′)/2
	for _, catalogs := range [][]string{{a, b}, {a, a}} {
		args := append([]string{"--radius", "10arcmin", "--find", "all", "--chance", "10"}, catalogs...)
		_, one := matched(t, args...)
		var mean, standardError float64
		if _, err := fmt.Sscan(fmt.Sprint(one["chance_matches"], " ", one["chance_error"]), &mean, &standardError); err != nil {
			t.Fatal(err)
		}
		if mean < expected-40 || mean > expected+40 || standardError < 4 || standardError > 20 {
			t.Errorf("%v: %v ± %v by chance, want about %v ± 9", catalogs, mean, standardError, expected)
		}
		_, same := matched(t, append(args, "--threads", "1", "--seed", "1")...)
		_, other := matched(t, append(args, "--seed", "2")...)
		if same["chance_matches"] != one["chance_matches"] || other["chance_matches"] == one["chance_matches"] {
			t.Errorf("%v: %v by chance, %v by the same seed, %v by another", catalogs, one, same, other)
		}
	}
	base := []string{"match", a, b}
	for flags, part := range map[string]string{
		"--radius 1deg --chance 1":                   "at least 2",
		"-k 2 --chance 5":                            "--chance 5: --radius is needed too",
		"--radius 10deg --chance 5 --progress never": "at most 9°",
		"--radius 1deg --seed 5":                     "--seed",
	} {
		cmdtest.Refuse(t, 2, append(base[:len(base):len(base)], strings.Fields(flags)...), part)
	}
	cmdtest.Refuse(t, 2, []string{"match", a, "--radius", "1deg", "--chance", "5"}, "--chance")
	if _, without := matched(t, a, b, "--radius", "1arcmin"); without["chance_matches"] != nil {
		t.Errorf("without --chance: %v", without)
	}
}
