package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

// A catalog in tiles is written in the bytes of one run: as one table, as
// partitions, and by one process that has not the memory for more.
func TestDBSCANInTiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	cmdtest.Succeed(t, "gen", "sky", "-n", "20000", "--centre", "0.2,89", "-o", in("field.parquet"), "-q")
	// Null parallaxes, scales, a filter, a derived column and counts.
	what := []string{in("field.parquet"), "-c", "ra,dec,parallax", "--scale", "0.05deg,0.1", "--eps", "1", "--min-points", "12", "--border", "nearest",
		"--where", "parallax < 3", "--let", "twice = parallax * 2", "--counts"}
	one := cmdtest.ResultOf(t, cmdtest.Succeed(t, append([]string{"dbscan", "-o", in("one.parquet"), "--json", "-q"}, what...)...).Stdout)
	plan := in("plan")
	r := cmdtest.ResultOf(t, cmdtest.Succeed(t, append([]string{"plan", "dbscan", "-o", plan, "--tiles", "5", "--json"}, what...)...).Stdout)
	if r["tiles"] != 5. {
		t.Errorf("plan: %v", r)
	}
	cmdtest.Refuse(t, exit.Failed, []string{"merge", plan, "-q"}, "5 of 5 tiles are not done: 0, 1, 2, 3, 4")
	for _, i := range []string{"3", "0", "4", "1"} {
		cmdtest.Succeed(t, "tile", plan, "--index", i, "-q")
	}
	cmdtest.Refuse(t, exit.Failed, []string{"merge", plan, "-q"}, "1 of 5 tiles are not done: 2")
	if s := cmdtest.Succeed(t, "status", plan).Stdout; !strings.Contains(s, "waiting  2\n") {
		t.Errorf("status: %s", s)
	}
	cmdtest.Succeed(t, "tile", plan, "--index", "2", "--device", "cpu", "-q")
	got := cmdtest.ResultOf(t, cmdtest.Succeed(t, "merge", plan, "-o", in("merged.parquet"), "--json", "-q").Stdout)
	for _, k := range []string{"clusters", "noise", "core", "border", "pairs", "largest"} {
		if got[k] != one[k] {
			t.Errorf("%s: %v, want %v", k, got[k], one[k])
		}
	}
	if one["border"] == 0. || one["clusters"] == 0. {
		t.Errorf("%v: tests little", one)
	}
	cmdtest.SameFiles(t, in("merged.parquet"), in("one.parquet"))
	cmdtest.Succeed(t, "relabel", plan, "-q")
	cmdtest.SameFiles(t, in("field.labelled.parquet"), in("one.parquet"))
	cmdtest.Succeed(t, "relabel", plan, in("field.parquet"), "-o", in("labelled"), "-q")
	cmdtest.SameFiles(t, in("labelled/field.parquet"), in("one.parquet"))
	cmdtest.Succeed(t, append([]string{"dbscan", "-o", in("small.parquet"), "--memory", "68MiB", "-q"}, what...)...)
	cmdtest.SameFiles(t, in("small.parquet"), in("one.parquet"))
	for _, name := range cmdtest.Names(t, dir) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s is left behind", name)
		}
	}
}

// Scales by rule and weights are those of all rows.
func TestTilesTakeScalesOfAllRows(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	cmdtest.Succeed(t, "gen", "clumps", "-n", "4000", "--dim", "3", "-o", in("in.parquet"), "-q")
	what := []string{in("in.parquet"), "-c", "x,y", "--scale", "standard", "--eps", "0.05", "--min-points", "400", "--weights", "z"}
	cmdtest.Succeed(t, append([]string{"dbscan", "-o", in("one.parquet"), "-q"}, what...)...)
	cmdtest.Succeed(t, append([]string{"plan", "dbscan", "--tile-rows", "900", "-o", in("plan"), "-q"}, what...)...)
	for i := range 5 {
		cmdtest.Succeed(t, "tile", in("plan"), "--index", fmt.Sprint(i), "-q")
	}
	cmdtest.Succeed(t, "merge", in("plan"), "-o", in("merged.parquet"), "-q")
	cmdtest.SameFiles(t, in("merged.parquet"), in("one.parquet"))
}

// Tiles read the table of a FITS file that the plan read, and the columns that
// it derived.
func TestTilesReadWhatThePlanRead(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	var tables []byte // the primary HDU, and the tables of both files
	for i, seed := range []string{"1", "2"} {
		cmdtest.Succeed(t, "gen", "sky", "-n", "2000", "--seed", seed, "-o", in("in.parquet"), "-q", "--force")
		cmdtest.Succeed(t, "convert", in("in.parquet"), "-o", in("one.fits"), "-q", "--force")
		file, err := os.ReadFile(in("one.fits"))
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, file[i*2880:]...)
	}
	if err := os.WriteFile(in("two.fits"), tables, 0o666); err != nil {
		t.Fatal(err)
	}
	for i, what := range [][]string{
		{in("two.fits"), "--hdu", "2"},
		{in("two.fits") + "[2]"},
		{in("two.fits")},
		{in("in.parquet"), "--distance", "parallax:parallax", "--where", "parallax > 0.5"},
		{in("in.parquet"), "--let", "p = parallax", "--distance", "parallax:p", "--where", "p > 0.5"},
	} {
		eps := "3arcmin"
		if i > 2 {
			eps = "20"
		}
		what = append(what, "-c", "ra,dec", "--eps", eps, "--min-points", "5")
		for _, stage := range []string{"yes", "no"} {
			one, plan, merged := in(fmt.Sprintf("one%d%s.fits", i, stage)), in(fmt.Sprintf("plan%d%s", i, stage)), in(fmt.Sprintf("merged%d%s.fits", i, stage))
			r := cmdtest.Succeed(t, append([]string{"dbscan", "-o", one, "--json"}, what...)...)
			if n := cmdtest.ResultOf(t, r.Stdout)["clusters"].(float64); n < 2 {
				t.Errorf("%v: %v clusters: tests little", what, n)
			}
			cmdtest.Succeed(t, append([]string{"plan", "dbscan", "--tiles", "3", "--stage", stage, "-o", plan, "-q"}, what...)...)
			for tile := range 3 {
				cmdtest.Succeed(t, "tile", plan, "--index", fmt.Sprint(tile), "-q")
			}
			cmdtest.Succeed(t, "merge", plan, "-o", merged, "-q")
			cmdtest.SameFiles(t, merged, one)
		}
	}
	first, err := os.ReadFile(in("one1yes.fits"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(in("one2yes.fits"))
	if err != nil {
		t.Fatal(err)
	}
	if string(first) == string(second) {
		t.Error("both tables give the same answer: tests nothing")
	}
}

// A match in tiles is written in the bytes of one run: with a filter, of the K
// nearest, and with errors, which bound it alone or besides a radius.
func TestMatchInTiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	cmdtest.Succeed(t, "gen", "sky", "-n", "6000", "-o", in("a.parquet"), "-q")
	cmdtest.Succeed(t, "gen", "sky", "-n", "4000", "--seed", "3", "-o", in("b.csv"), "-q")
	for i, more := range []string{
		"--radius 40arcsec",
		"--radius 40arcsec --find best2 --join 1or2 --where-b parallax>0.5 --keep parallax",
		"--radius 40arcsec --find all --unit deg",
		"--radius 100arcsec -k 2 --find all --min-radius 3arcsec",
		"--radius 100arcsec -k 1 --find best2",
		"--error-a parallax --error-b parallax --error-unit arcmin --find best --where parallax>0 --where-b parallax>0",
		"--error-a parallax --error-b parallax --error-unit arcmin --error-unit-b arcsec --combine quadrature --nsigma 1.5 --find best1 --where parallax>0 --where-b parallax>0",
		"--error-b parallax --error-unit arcmin --radius 50arcsec --join all1 --where-b parallax>0",
		"--error-b parallax --error-unit arcmin -k 3 --find all --where-b parallax>0",
	} {
		what := append([]string{in("a.parquet"), in("b.csv")}, strings.Fields(more)...)
		one, plan, merged := in(fmt.Sprintf("one%d.parquet", i)), in(fmt.Sprintf("plan%d", i)), in(fmt.Sprintf("merged%d.parquet", i))
		want := cmdtest.ResultOf(t, cmdtest.Succeed(t, append([]string{"match", "-o", one, "-q", "--json"}, what...)...).Stdout)
		cmdtest.Succeed(t, append([]string{"plan", "match", "--tiles", "4", "-o", plan, "-q"}, what...)...)
		for i := range 4 {
			cmdtest.Succeed(t, "tile", plan, "--index", fmt.Sprint(i), "-q")
		}
		got := cmdtest.ResultOf(t, cmdtest.Succeed(t, "merge", plan, "-o", merged, "-q", "--json").Stdout)
		for _, k := range []string{"matches", "candidates", "ambiguous_1", "ambiguous_2", "rows"} {
			if got[k] != want[k] || k != "ambiguous_1" && k != "ambiguous_2" && got[k] == 0. {
				t.Errorf("%s: %s: %v, want %v", more, k, got[k], want[k])
			}
		}
		cmdtest.SameFiles(t, merged, one)
		cmdtest.Refuse(t, exit.Request, []string{"relabel", plan}, "a plan of match")
	}
	base := []string{"plan", "match", in("a.parquet"), in("b.csv"), "-o", in("none"), "--tiles", "2"}
	with := func(more ...string) []string { return append(base[:len(base):len(base)], more...) }
	cmdtest.Refuse(t, exit.Request, with("-k", "2"), "-k 2: --radius is needed too")
	cmdtest.Refuse(t, exit.Request, with("--radius", "1arcsec", "--epoch-a", "2016", "--epoch-b", "2000"), "cannot be planned")
	cmdtest.Refuse(t, exit.Request, with("--radius", "1arcsec", "--min-radius", "2arcsec"), "--min-radius 2arcsec is above --radius 1arcsec")
	cmdtest.Refuse(t, exit.Request, with("--error-a", "pmra", "--error-unit", "mas"), "errors cannot be negative")
	cmdtest.Refuse(t, exit.Request, with("--error-a", "pmra"), "no angle")
	box := cmdtest.CSVOf(t, "x,y,e", "1,2,6", "2,3,1")
	cmdtest.Refuse(t, exit.Request, []string{"plan", "match", box, box, "-c", "x,y", "--box", "10", "--error-a", "e", "--tiles", "2", "-o", in("none")}, "over half")
}

// Labels and matches are not written beside rows of an input that has changed
// since, also where no tile reads it: its coordinates may be in the plan.
func TestMergeRefusesChangedInputs(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for i, command := range [][]string{{"dbscan", in("a.csv"), "--eps", "1deg", "--min-points", "2", "--stage", "yes"}, {"match", in("b.csv"), in("a.csv"), "--radius", "1deg"}} {
		plan := in(fmt.Sprintf("plan%d", i))
		cmdtest.Succeed(t, "gen", "sphere", "-n", "300", "-o", in("a.csv"), "-q", "--force")
		cmdtest.Succeed(t, "gen", "sphere", "-n", "200", "--seed", "2", "-o", in("b.csv"), "-q", "--force")
		cmdtest.Succeed(t, append([]string{"plan", command[0], "-q", "--tiles", "2", "-o", plan}, command[1:]...)...)
		for k := range 2 {
			cmdtest.Succeed(t, "tile", plan, "--index", fmt.Sprint(k), "-q")
		}
		cmdtest.Succeed(t, "gen", "sphere", "-n", "50", "-o", in("a.csv"), "-q", "--force")
		cmdtest.Refuse(t, exit.Failed, []string{"merge", plan, "-o", in(fmt.Sprintf("merged%d.csv", i)), "-q"}, "a.csv has", "when the plan was made")
	}
}

func TestPlanRefuses(t *testing.T) {
	dir := t.TempDir()
	in := cmdtest.CSVOf(t, "x,y", "1,2", "2,3")
	plan := filepath.Join(dir, "plan")
	base := []string{"plan", "dbscan", in, "-c", "x,y", "--eps", "1", "--min-points", "2"}
	with := func(more ...string) []string { return append(base[:len(base):len(base)], more...) }
	cmdtest.Refuse(t, exit.Request, with("-o", plan), "--tiles N")
	cmdtest.Refuse(t, exit.Request, with("-o", plan, "--tiles", "2", "--tile-rows", "5"), "one of")
	cmdtest.Refuse(t, exit.Request, with("--tiles", "2"), "-o is needed")
	cmdtest.Refuse(t, exit.Request, with("-o", dir, "--tiles", "2"), "exists")
	cmdtest.Refuse(t, exit.Request, with("-o", dir, "--tiles", "2", "--force"), "holds no plan")
	cmdtest.Refuse(t, exit.Request, with("-o", plan, "--tiles", "99999"), "at most")
	cmdtest.Refuse(t, exit.Request, []string{"plan", "knn", in, "-k", "3"}, "knn cannot be planned; there is", "hist")
	cmdtest.Refuse(t, exit.Request, []string{"plan"}, "what is to be planned?")
	cmdtest.Refuse(t, exit.Request, []string{"plan", "match", in, in, "-o", plan, "--tiles", "2"}, "--radius is needed")
	cmdtest.Refuse(t, exit.Failed, []string{"tile", dir, "--index", "0"}, "holds no plan.json")
	cmdtest.Refuse(t, exit.Failed, []string{"tile", in, "--index", "0"}, "is a file; a plan is a folder")
	cmdtest.Refuse(t, exit.Failed, with("-o", plan, "--tiles", "2", "--where", "x > 5"), "the filter drops all 2 rows")
	cmdtest.Succeed(t, with("-o", plan, "--tiles", "2", "-q")...)
	cmdtest.Succeed(t, with("-o", plan, "--tiles", "3", "-q", "--force")...)
	cmdtest.Refuse(t, exit.Request, []string{"tile", plan}, "--index is needed")
	cmdtest.Refuse(t, exit.Request, []string{"tile", plan, "--index", "3"}, "tile 3, the plan has 3")
	cmdtest.Refuse(t, exit.Request, []string{"submit", "local", plan, "--", "--mem"}, "for a scheduler")
	if err := os.WriteFile(filepath.Join(plan, "plan.json"), []byte(`{"version":4,"command":"dbscan"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	cmdtest.Refuse(t, exit.Failed, []string{"status", plan}, "damaged")
}

// Pairs that are counted in tiles are written in the bytes of one run: with
// weights, over RA 0 and a pole, in a periodic box, and of two catalogs.
func TestHistInTiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	cmdtest.Succeed(t, "gen", "sky", "-n", "6000", "--centre", "0.2,89", "-o", in("pole.parquet"), "-q")
	cmdtest.Succeed(t, "gen", "sky", "-n", "4000", "--centre", "0.2,88", "--seed", "3", "-o", in("other.csv"), "-q")
	cmdtest.Succeed(t, "gen", "clumps", "-n", "5000", "--dim", "3", "-o", in("box.parquet"), "-q")
	for name, what := range map[string][]string{
		"plain":    {in("pole.parquet"), "--bins", "log:0.01deg:0.5deg:9"},
		"weights":  {in("pole.parquet"), "--bins", "0deg,0.1deg,0.3deg,0.4deg", "--weights", "parallax", "--where", "parallax < 3", "--mean-separation"},
		"with":     {in("pole.parquet"), "--with", in("other.csv"), "--bins", "lin:0.1deg:0.6deg:6", "--where-b", "parallax > 0.5", "--weights", "parallax"},
		"half":     {in("pole.parquet"), "--with", in("other.csv"), "--bins", "lin:0:10:6", "--scale", "0.05deg", "--weights-b", "parallax"},
		"sky":      {in("pole.parquet"), "--bins", "lin:0:200deg:5"},
		"periodic": {in("box.parquet"), "-c", "x,y,z", "--box", "10,10,0", "--bins", "lin:0.01:1.5:11", "--weights", "x"},
		"means":    {in("box.parquet"), "-c", "x,y,z", "--box", "10", "--bins", "lin:0.01:1.5:11", "--mean-separation"},
		"scaled":   {in("box.parquet"), "-c", "x,y", "--scale", "standard", "--bins", "log:0.001:0.2:11"},
	} {
		one := inTiles(t, dir, "hist", name, what, name == "weights" || name == "periodic" || name == "with")
		if one["pairs"] == 0. {
			t.Errorf("%s: %v tests little", name, one)
		}
	}
	plan := in("plain.7")
	cmdtest.Refuse(t, exit.Request, []string{"relabel", plan}, "a plan of hist")
	base := []string{"plan", "hist", in("box.parquet"), "-c", "x,y", "-o", in("none"), "--tiles", "2"}
	cmdtest.Refuse(t, exit.Request, base, "--bins is needed")
	cmdtest.Refuse(t, exit.Request, append(base, "--bins", "lin:0:6:2", "--box", "10"), "half")
}

// inTiles compares what a command writes with what its tiles are merged to, of
// 1 and 7 tiles, and of 64 (16 of the short tests) if many says so, and returns
// the result of the one run.
func inTiles(t *testing.T, dir, command, name string, what []string, many bool) map[string]any {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	one := cmdtest.ResultOf(t, cmdtest.Succeed(t, append([]string{command, "-o", in(name + ".csv"), "--json", "-q"}, what...)...).Stdout)
	cmdtest.Succeed(t, append([]string{command, "-o", in(name + ".parquet"), "-q", "--force"}, what...)...)
	numbers := []int{1, 7}
	switch {
	case many && testing.Short():
		numbers = append(numbers, 16)
	case many:
		numbers = append(numbers, 64)
	}
	for _, n := range numbers {
		plan, stage := in(fmt.Sprintf("%s.%d", name, n)), []string{"no", "yes"}[n%2]
		cmdtest.Succeed(t, append([]string{"plan", command, "--tiles", fmt.Sprint(n), "--stage", stage, "-o", plan, "-q"}, what...)...)
		for i := range n {
			cmdtest.Succeed(t, "tile", plan, "--index", fmt.Sprint(n-1-i), "--device", "cpu", "-q")
		}
		for range 2 {
			got := cmdtest.ResultOf(t, cmdtest.Succeed(t, "merge", plan, "-o", plan+".csv", "--force", "--json", "-q").Stdout)
			delete(got, "tiles")
			if fmt.Sprint(got) != fmt.Sprint(one) {
				t.Errorf("%s, %d tiles: %v, want %v", name, n, got, one)
			}
		}
		cmdtest.SameFiles(t, plan+".csv", in(name+".csv"))
		cmdtest.Succeed(t, "merge", plan, "-o", plan+".parquet", "-q")
		cmdtest.SameFiles(t, plan+".parquet", in(name+".parquet"))
	}
	return one
}

// Correlation functions in tiles are written in the bytes of one run: all kinds
// and estimators, with weights, patches and redshifts, over RA 0 and a pole, and
// in a periodic box.
func TestCorrInTiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	cmdtest.Succeed(t, "gen", "sky", "-n", "1500", "--centre", "0.2,89", "-o", in("pole.parquet"), "-q")
	cmdtest.Succeed(t, "gen", "sky", "-n", "2500", "--centre", "0.2,89", "--seed", "3", "-o", in("random.csv"), "-q")
	cmdtest.Succeed(t, "gen", "clumps", "-n", "1200", "--dim", "3", "-o", in("box.parquet"), "-q")
	cmdtest.Succeed(t, "gen", "uniform", "-n", "2000", "--dim", "3", "--seed", "4", "-o", in("even.parquet"), "-q")
	sky := []string{in("pole.parquet"), "--random", in("random.csv")}
	box := []string{in("box.parquet"), "--random", in("even.parquet"), "-c", "x,y,z"}
	for _, c := range []struct {
		name string
		of   []string
		what string
	}{
		{"w", sky, "--bins log:0.02deg:0.5deg:6 --patches 5"},
		{"effective pairs", sky, "--bins log:0.02deg:0.5deg:6 --weights parallax --weights-b parallax --where parallax<3"},
		{"weighted", sky, "--bins log:0.02deg:0.5deg:6 --patches healpix:64 --weights parallax --weights-b parallax --where parallax<3 --where-b parallax>0.1 --covariance bootstrap --realisations 7 --estimator hamilton"},
		{"half", sky, "--bins lin:0:4:4 --scale 0.05deg --kind xi --weights-b parallax --estimator dp"},
		{"natural", sky, "--bins lin:0:0.4deg:4 --estimator natural"},
		{"z", sky, "--bins lin:0:40:4 --redshift parallax --omega-m 0.31 --kind smu --patches 4"},
		{"wp", sky, "--bins log:1:30:4 --pi lin:0:20:4 --distance parallax --kind wp --weights parallax --estimator hewett"},
		{"rppi", box, "--bins lin:0:2:4 --pi lin:0:3:3 --kind rppi --los z --box 10 --patches cells:2"},
		{"xi2", box, "--bins lin:0.1:2:4 --kind xi2 --weights x --weights-b y --patches 3"},
		{"xi", box, "--bins log:0.01:0.4:4 --scale standard"},
		{"means", box, "--bins log:0.01:2:4 --mean-separation --patches 3"},
		{"alone", box[:1], "-c x,y,z --box 10 --bins lin:0:2:4 --kind smu --los z --mean-separation"},
		{"cross", box[:1], "--with " + in("even.parquet") + " -c x,y,z --box 10 --bins lin:0.1:4:4 --kind smu --los x --weights x --mean-separation"},
		{"wholebox", box[:1], "-c x,y,z --box 10 --bins lin:0.1:5:4 --kind rppi --pi lin:0:5:3 --los z"},
		{"alonewp", box[:1], "-c x,y,z --box 10 --bins lin:0.1:2:4 --kind wp --pi lin:0:3:3 --los z --weights x"},
	} {
		one := inTiles(t, dir, "corr", c.name, append(c.of[:len(c.of):len(c.of)], strings.Fields(c.what)...), c.name == "weighted")
		if one["dd_pairs"] == 0. {
			t.Errorf("%s: %v tests little", c.name, one)
		}
	}
	base := append([]string{"plan", "corr", "-o", in("none"), "--tiles", "2"}, box...)
	with := func(more ...string) []string { return append(base[:len(base):len(base)], more...) }
	cmdtest.Refuse(t, exit.Request, with(), "--bins is needed")
	cmdtest.Refuse(t, exit.Request, with("--bins", "lin:0:6:2", "--box", "10"), "half")
	cmdtest.Refuse(t, exit.Request, with("--bins", "lin:0:6:2", "--patches", "column:x"), "can be planned")
	cmdtest.Refuse(t, exit.Request, with("--bins", "lin:0:6:2000", "--patches", "200"), "patches with 2000 bins")
	cmdtest.Refuse(t, exit.Request, []string{"plan", "corr", in("box.parquet"), "-o", in("none"), "--tiles", "2", "--bins", "1,2"}, "--random is needed")
	far := cmdtest.CSVOf(t, "ra,dec,z", "1,2,0.1", "1,3,2000")
	cmdtest.Refuse(t, exit.Request, []string{"plan", "corr", far, "--random", far, "-o", in("none"), "--tiles", "2", "--redshift", "z", "--bins", "1,2"}, "2000 is no redshift")
	cmdtest.Refuse(t, exit.Request, []string{"relabel", in("w.7")}, "a plan of corr")
}

// Under --allow-empty the tiles of a catalog without a usable row give what one run
// does. Without it, the plan is refused.
func TestEmptyInTiles(t *testing.T) {
	dir := t.TempDir()
	full := cmdtest.CSVOf(t, "x,y,w", "0,0,1", "1,1,1", "2,2,1")
	for name, empty := range map[string]string{"headers": cmdtest.CSVOf(t, "x,y,w"), "nulls": cmdtest.CSVOf(t, "x,y,w", ",1,1", "nan,1,2")} {
		for what, args := range map[string][]string{
			"dbscan": {empty, "-c", "x,y", "--eps", "1", "--min-points", "2"}, "hist": {empty, "-c", "x,y", "--bins", "0,1,2"},
			"corr": {empty, "--random", full, "-c", "x,y", "--bins", "0,1,2"},
		} {
			plan, one, merged := filepath.Join(dir, name+what), filepath.Join(dir, name+what+"1.csv"), filepath.Join(dir, name+what+".csv")
			planned := append([]string{"plan", what, "--tiles", "2", "-o", plan}, args...)
			cmdtest.Refuse(t, exit.Failed, planned, "; with --allow-empty the result is empty")
			cmdtest.Succeed(t, append(planned, "--allow-empty", "-q")...)
			for _, i := range []string{"0", "1"} {
				cmdtest.Succeed(t, "tile", plan, "--index", i, "-q")
			}
			cmdtest.Succeed(t, "merge", plan, "-o", merged, "-q")
			cmdtest.Succeed(t, append([]string{what, "-o", one, "--allow-empty", "-q"}, args...)...)
			cmdtest.SameFiles(t, merged, one)
		}
	}
}
