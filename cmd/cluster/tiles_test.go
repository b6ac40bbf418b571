package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sameFiles fails where two files differ in any byte.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if string(x) != string(y) {
		t.Errorf("%s and %s differ", a, b)
	}
}

// resultOf is the result of a summary in JSON.
func resultOf(t *testing.T, text string) map[string]any {
	t.Helper()
	var s struct{ Result map[string]any }
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return s.Result
}

// A catalog in tiles is written in the bytes of one run: as one table, as
// partitions, and by one process that has not the memory for more.
func TestDBSCANInTiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	succeed(t, "gen", "sky", "-n", "20000", "--centre", "0.2,89", "-o", in("field.parquet"), "-q")
	// Null parallaxes, scales, a filter, a derived column and counts.
	what := []string{in("field.parquet"), "-c", "ra,dec,parallax", "--scale", "0.05deg,0.1", "--eps", "1", "--min-points", "12", "--border", "nearest",
		"--where", "parallax < 3", "--let", "twice = parallax * 2", "--counts"}
	one := resultOf(t, succeed(t, append([]string{"dbscan", "-o", in("one.parquet"), "--json", "-q"}, what...)...).stdout)
	plan := in("plan")
	r := resultOf(t, succeed(t, append([]string{"plan", "dbscan", "-o", plan, "--tiles", "5", "--json"}, what...)...).stdout)
	if r["tiles"] != 5. {
		t.Errorf("plan: %v", r)
	}
	refuse(t, statusFailed, []string{"merge", plan, "-q"}, "5 of 5 tiles are not done: 0, 1, 2, 3, 4")
	for _, i := range []string{"3", "0", "4", "1"} {
		succeed(t, "tile", plan, "--index", i, "-q")
	}
	refuse(t, statusFailed, []string{"merge", plan, "-q"}, "1 of 5 tiles are not done: 2")
	if s := succeed(t, "status", plan).stdout; !strings.Contains(s, "waiting  2\n") {
		t.Errorf("status: %s", s)
	}
	succeed(t, "tile", plan, "--index", "2", "--device", "cpu", "-q")
	got := resultOf(t, succeed(t, "merge", plan, "-o", in("merged.parquet"), "--json", "-q").stdout)
	for _, k := range []string{"clusters", "noise", "core", "border", "pairs", "largest"} {
		if got[k] != one[k] {
			t.Errorf("%s: %v, want %v", k, got[k], one[k])
		}
	}
	if one["border"] == 0. || one["clusters"] == 0. {
		t.Errorf("%v: tests little", one)
	}
	sameFiles(t, in("merged.parquet"), in("one.parquet"))
	succeed(t, "relabel", plan, "-q")
	sameFiles(t, in("field.labelled.parquet"), in("one.parquet"))
	succeed(t, "relabel", plan, in("field.parquet"), "-o", in("labelled"), "-q")
	sameFiles(t, in("labelled/field.parquet"), in("one.parquet"))
	succeed(t, append([]string{"dbscan", "-o", in("small.parquet"), "--memory", "68MiB", "-q"}, what...)...)
	sameFiles(t, in("small.parquet"), in("one.parquet"))
	for _, name := range names(t, dir) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s is left behind", name)
		}
	}
}

// Scales by rule and weights are those of all rows.
func TestTilesTakeScalesOfAllRows(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	succeed(t, "gen", "clumps", "-n", "4000", "--dim", "3", "-o", in("in.parquet"), "-q")
	what := []string{in("in.parquet"), "-c", "x,y", "--scale", "standard", "--eps", "0.05", "--min-points", "400", "--weights", "z"}
	succeed(t, append([]string{"dbscan", "-o", in("one.parquet"), "-q"}, what...)...)
	succeed(t, append([]string{"plan", "dbscan", "--tile-rows", "900", "-o", in("plan"), "-q"}, what...)...)
	for i := range 5 {
		succeed(t, "tile", in("plan"), "--index", fmt.Sprint(i), "-q")
	}
	succeed(t, "merge", in("plan"), "-o", in("merged.parquet"), "-q")
	sameFiles(t, in("merged.parquet"), in("one.parquet"))
}

// Tiles read the table of a FITS file that the plan read, and the columns that
// it derived.
func TestTilesReadWhatThePlanRead(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	var tables []byte // the primary HDU, and the tables of both files
	for i, seed := range []string{"1", "2"} {
		succeed(t, "gen", "sky", "-n", "2000", "--seed", seed, "-o", in("in.parquet"), "-q", "--force")
		succeed(t, "convert", in("in.parquet"), "-o", in("one.fits"), "-q", "--force")
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
			r := succeed(t, append([]string{"dbscan", "-o", one, "--json"}, what...)...)
			if n := resultOf(t, r.stdout)["clusters"].(float64); n < 2 {
				t.Errorf("%v: %v clusters: tests little", what, n)
			}
			succeed(t, append([]string{"plan", "dbscan", "--tiles", "3", "--stage", stage, "-o", plan, "-q"}, what...)...)
			for tile := range 3 {
				succeed(t, "tile", plan, "--index", fmt.Sprint(tile), "-q")
			}
			succeed(t, "merge", plan, "-o", merged, "-q")
			sameFiles(t, merged, one)
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
	succeed(t, "gen", "sky", "-n", "6000", "-o", in("a.parquet"), "-q")
	succeed(t, "gen", "sky", "-n", "4000", "--seed", "3", "-o", in("b.csv"), "-q")
	for i, more := range []string{
		"--radius 40arcsec",
		"--radius 40arcsec --find best2 --join 1or2 --where-b parallax>0.5 --keep parallax",
		"--radius 40arcsec --find all --unit deg",
		"--radius 100arcsec -k 2 --find all --min-radius 3arcsec",
		"--radius 100arcsec -k 1 --find best2",
		"--error-a parallax --error-b parallax --error-unit arcmin --find best --where parallax>0 --where-b parallax>0",
		"--error-b parallax --error-unit arcmin --radius 50arcsec --join all1 --where-b parallax>0",
		"--error-b parallax --error-unit arcmin -k 3 --find all --where-b parallax>0",
	} {
		what := append([]string{in("a.parquet"), in("b.csv")}, strings.Fields(more)...)
		one, plan, merged := in(fmt.Sprintf("one%d.parquet", i)), in(fmt.Sprintf("plan%d", i)), in(fmt.Sprintf("merged%d.parquet", i))
		want := resultOf(t, succeed(t, append([]string{"match", "-o", one, "-q", "--json"}, what...)...).stdout)
		succeed(t, append([]string{"plan", "match", "--tiles", "4", "-o", plan, "-q"}, what...)...)
		for i := range 4 {
			succeed(t, "tile", plan, "--index", fmt.Sprint(i), "-q")
		}
		got := resultOf(t, succeed(t, "merge", plan, "-o", merged, "-q", "--json").stdout)
		for _, k := range []string{"matches", "candidates", "ambiguous_1", "ambiguous_2", "rows"} {
			if got[k] != want[k] || k != "ambiguous_1" && k != "ambiguous_2" && got[k] == 0. {
				t.Errorf("%s: %s: %v, want %v", more, k, got[k], want[k])
			}
		}
		sameFiles(t, merged, one)
		refuse(t, statusRequest, []string{"relabel", plan}, "a plan of match")
	}
	base := []string{"plan", "match", in("a.parquet"), in("b.csv"), "-o", in("none"), "--tiles", "2"}
	with := func(more ...string) []string { return append(base[:len(base):len(base)], more...) }
	refuse(t, statusRequest, with("-k", "2"), "-k 2: --radius is needed too")
	refuse(t, statusRequest, with("--radius", "1arcsec", "--epoch-a", "2016", "--epoch-b", "2000"), "cannot be planned")
	refuse(t, statusRequest, with("--radius", "1arcsec", "--min-radius", "2arcsec"), "minimum radius")
	refuse(t, statusRequest, with("--error-a", "pmra", "--error-unit", "mas"), "errors are not negative")
	refuse(t, statusRequest, with("--error-a", "pmra"), "no angle")
	box := csvOf(t, "x,y,e", "1,2,6", "2,3,1")
	refuse(t, statusRequest, []string{"plan", "match", box, box, "-c", "x,y", "--box", "10", "--error-a", "e", "--tiles", "2", "-o", in("none")}, "over half")
}

// Labels and matches are not written beside rows of an input that has changed
// since, also where no tile reads it: its coordinates may be in the plan.
func TestMergeRefusesChangedInputs(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for i, command := range [][]string{{"dbscan", in("a.csv"), "--eps", "1deg", "--min-points", "2", "--stage", "yes"}, {"match", in("b.csv"), in("a.csv"), "--radius", "1deg"}} {
		plan := in(fmt.Sprintf("plan%d", i))
		succeed(t, "gen", "sphere", "-n", "300", "-o", in("a.csv"), "-q", "--force")
		succeed(t, "gen", "sphere", "-n", "200", "--seed", "2", "-o", in("b.csv"), "-q", "--force")
		succeed(t, append([]string{"plan", command[0], "-q", "--tiles", "2", "-o", plan}, command[1:]...)...)
		for k := range 2 {
			succeed(t, "tile", plan, "--index", fmt.Sprint(k), "-q")
		}
		succeed(t, "gen", "sphere", "-n", "50", "-o", in("a.csv"), "-q", "--force")
		refuse(t, statusFailed, []string{"merge", plan, "-o", in(fmt.Sprintf("merged%d.csv", i)), "-q"}, "a.csv has", "when the plan was made")
	}
}

// All tiles in processes of this machine, one of which had failed.
func TestSubmitLocal(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	succeed(t, "gen", "clumps", "-n", "3000", "-o", in("in.parquet"), "-q")
	succeed(t, "plan", "dbscan", in("in.parquet"), "-c", "x,y", "--eps", "0.5", "--min-points", "5", "--tiles", "3", "-o", in("plan"), "-q")
	print := succeed(t, "submit", "slurm", in("plan"), "--print", "--", "--partition", "long").stdout
	for _, part := range []string{"#SBATCH --array=0-2", "--partition long tiles-0.sh", "--dependency=afterok:$id0", `--index "$SLURM_ARRAY_TASK_ID"`} {
		if !strings.Contains(print, part) {
			t.Errorf("the scripts for Slurm do not have %q:\n%s", part, print)
		}
	}
	if print := succeed(t, "submit", "local", in("plan"), "--print").stdout; !strings.Contains(print, "0 1 2 | xargs") {
		t.Errorf("the script: %s", print)
	}
	if err := os.MkdirAll(in("plan/tiles"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("plan/tiles/00001.failed"), []byte("a disk was full\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if s := succeed(t, "status", in("plan"), "--json").stdout; !strings.Contains(s, `"failed":[1]`) || !strings.Contains(s, "a disk was full") {
		t.Errorf("status: %s", s)
	}
	o := &submitOptions{engine: choice{"local", nil}, retries: integer{value: 1}}
	o.self = binary(t)
	var err error
	if o.plan, err = openPlan(t.Context(), []string{in("plan")}); err != nil {
		t.Fatal(err)
	}
	o.dir = o.plan.Dir()
	r := newReporter(&strings.Builder{}, "always", false)
	if err := o.local(t.Context(), []int{0, 1, 2}, r.counting("tiles", "tiles", 3)); err != nil {
		t.Fatal(err)
	}
	succeed(t, "merge", in("plan"), "-q")
	o.retries.value = 0
	o.self = filepath.Join(dir, "nothing")
	if err := os.RemoveAll(in("plan/tiles/00001")); err != nil {
		t.Fatal(err)
	}
	if err := o.local(t.Context(), []int{1}, r.counting("tiles", "tiles", 3)); err == nil || !strings.Contains(err.Error(), "1 of 3 tiles are not done after 1 tries: 1") {
		t.Errorf("a tile whose process cannot be started: %v", err)
	}
}

func TestPlanRefuses(t *testing.T) {
	dir := t.TempDir()
	in := csvOf(t, "x,y", "1,2", "2,3")
	plan := filepath.Join(dir, "plan")
	base := []string{"plan", "dbscan", in, "-c", "x,y", "--eps", "1", "--min-points", "2"}
	with := func(more ...string) []string { return append(base[:len(base):len(base)], more...) }
	refuse(t, statusRequest, with("-o", plan), "--tiles N")
	refuse(t, statusRequest, with("-o", plan, "--tiles", "2", "--tile-rows", "5"), "one of")
	refuse(t, statusRequest, with("--tiles", "2"), "-o is needed")
	refuse(t, statusRequest, with("-o", dir, "--tiles", "2"), "exists")
	refuse(t, statusRequest, with("-o", dir, "--tiles", "2", "--force"), "holds no plan")
	refuse(t, statusRequest, with("-o", plan, "--tiles", "99999"), "at most")
	refuse(t, statusRequest, []string{"plan", "knn", in, "-k", "3"}, "knn cannot be planned; there is", "hist")
	refuse(t, statusRequest, []string{"plan"}, "what is to be planned?")
	refuse(t, statusRequest, []string{"plan", "match", in, in, "-o", plan, "--tiles", "2"}, "--radius is needed")
	refuse(t, statusFailed, []string{"tile", dir, "--index", "0"}, "holds no plan.json")
	refuse(t, statusFailed, []string{"tile", in, "--index", "0"}, "is a file; a plan is a folder")
	refuse(t, statusFailed, with("-o", plan, "--tiles", "2", "--where", "x > 5"), "the filter drops all 2 rows")
	succeed(t, with("-o", plan, "--tiles", "2", "-q")...)
	succeed(t, with("-o", plan, "--tiles", "3", "-q", "--force")...)
	refuse(t, statusRequest, []string{"tile", plan}, "--index is needed")
	refuse(t, statusRequest, []string{"tile", plan, "--index", "3"}, "tile 3, the plan has 3")
	refuse(t, statusRequest, []string{"submit", "local", plan, "--", "--mem"}, "for a scheduler")
	if err := os.WriteFile(filepath.Join(plan, "plan.json"), []byte(`{"version":3,"command":"dbscan"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	refuse(t, statusFailed, []string{"status", plan}, "damaged")
}

// Pairs that are counted in tiles are written in the bytes of one run: with
// weights, over RA 0 and a pole, in a periodic box, and of two catalogs.
func TestHistInTiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	succeed(t, "gen", "sky", "-n", "6000", "--centre", "0.2,89", "-o", in("pole.parquet"), "-q")
	succeed(t, "gen", "sky", "-n", "4000", "--centre", "0.2,88", "--seed", "3", "-o", in("other.csv"), "-q")
	succeed(t, "gen", "clumps", "-n", "5000", "--dim", "3", "-o", in("box.parquet"), "-q")
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
	refuse(t, statusRequest, []string{"relabel", plan}, "a plan of hist")
	base := []string{"plan", "hist", in("box.parquet"), "-c", "x,y", "-o", in("none"), "--tiles", "2"}
	refuse(t, statusRequest, base, "--bins is needed")
	refuse(t, statusRequest, append(base, "--bins", "lin:0:6:2", "--box", "10"), "half")
}

// inTiles compares what a command writes with what its tiles are merged to, of
// 1 and 7 tiles, and of 64 if many says so, and returns the result of the one
// run.
func inTiles(t *testing.T, dir, command, name string, what []string, many bool) map[string]any {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	one := resultOf(t, succeed(t, append([]string{command, "-o", in(name + ".csv"), "--json", "-q"}, what...)...).stdout)
	succeed(t, append([]string{command, "-o", in(name + ".parquet"), "-q", "--force"}, what...)...)
	for _, n := range []int{1, 7, 64} {
		if n == 64 && !many {
			continue
		}
		plan, stage := in(fmt.Sprintf("%s.%d", name, n)), []string{"no", "yes"}[n%2]
		succeed(t, append([]string{"plan", command, "--tiles", fmt.Sprint(n), "--stage", stage, "-o", plan, "-q"}, what...)...)
		for i := range n {
			succeed(t, "tile", plan, "--index", fmt.Sprint(n-1-i), "--device", "cpu", "-q")
		}
		for range 2 {
			got := resultOf(t, succeed(t, "merge", plan, "-o", plan+".csv", "--force", "--json", "-q").stdout)
			delete(got, "tiles")
			if fmt.Sprint(got) != fmt.Sprint(one) {
				t.Errorf("%s, %d tiles: %v, want %v", name, n, got, one)
			}
		}
		sameFiles(t, plan+".csv", in(name+".csv"))
		succeed(t, "merge", plan, "-o", plan+".parquet", "-q")
		sameFiles(t, plan+".parquet", in(name+".parquet"))
	}
	return one
}

// Correlation functions in tiles are written in the bytes of one run: all kinds
// and estimators, with weights, patches and redshifts, over RA 0 and a pole, and
// in a periodic box.
func TestCorrInTiles(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	succeed(t, "gen", "sky", "-n", "1500", "--centre", "0.2,89", "-o", in("pole.parquet"), "-q")
	succeed(t, "gen", "sky", "-n", "2500", "--centre", "0.2,89", "--seed", "3", "-o", in("random.csv"), "-q")
	succeed(t, "gen", "clumps", "-n", "1200", "--dim", "3", "-o", in("box.parquet"), "-q")
	succeed(t, "gen", "uniform", "-n", "2000", "--dim", "3", "--seed", "4", "-o", in("even.parquet"), "-q")
	sky := []string{in("pole.parquet"), "--random", in("random.csv")}
	box := []string{in("box.parquet"), "--random", in("even.parquet"), "-c", "x,y,z"}
	for _, c := range []struct {
		name string
		of   []string
		what string
	}{
		{"w", sky, "--bins log:0.02deg:0.5deg:6 --patches 5"},
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
		{"alonewp", box[:1], "-c x,y,z --box 10 --bins lin:0.1:2:4 --kind wp --pi lin:0:3:3 --los z --weights x"},
	} {
		one := inTiles(t, dir, "corr", c.name, append(c.of[:len(c.of):len(c.of)], strings.Fields(c.what)...), c.name == "weighted")
		if one["dd_pairs"] == 0. {
			t.Errorf("%s: %v tests little", c.name, one)
		}
	}
	base := append([]string{"plan", "corr", "-o", in("none"), "--tiles", "2"}, box...)
	with := func(more ...string) []string { return append(base[:len(base):len(base)], more...) }
	refuse(t, statusRequest, with(), "--bins is needed")
	refuse(t, statusRequest, with("--bins", "lin:0:6:2", "--box", "10"), "half")
	refuse(t, statusRequest, with("--bins", "lin:0:6:2", "--patches", "column:x"), "can be planned")
	refuse(t, statusRequest, with("--bins", "lin:0:6:2000", "--patches", "200"), "patches with 2000 bins")
	refuse(t, statusRequest, []string{"plan", "corr", in("box.parquet"), "-o", in("none"), "--tiles", "2", "--bins", "1,2"}, "--random is needed")
	far := csvOf(t, "ra,dec,z", "1,2,0.1", "1,3,2000")
	refuse(t, statusRequest, []string{"plan", "corr", far, "--random", far, "-o", in("none"), "--tiles", "2", "--redshift", "z", "--bins", "1,2"}, "2000 is no redshift")
	refuse(t, statusRequest, []string{"relabel", in("w.7")}, "a plan of corr")
}

// What sbatch complains of is said in one line.
func TestComplaintsOfSlurm(t *testing.T) {
	for _, c := range [][2]string{
		{"sbatch: error: invalid partition specified: long\nsbatch: error: Batch job submission failed: Invalid partition name specified\n", "invalid partition specified: long; Batch job submission failed: Invalid partition name specified"},
		{"sbatch: unrecognized option '--nothing'\nTry \"sbatch --help\" for more information\n", "unrecognized option '--nothing'"},
		{"sbatch: lua: hello\nsbatch: error: a\nsbatch: error: b\nsbatch: error: c\n", "a; b"},
		{"sbatch: fatal: " + strings.Repeat("é", 1000), strings.Repeat("é", 299) + "…"},
		{"", ""},
	} {
		if got := complaint("sbatch", c[0]); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
	dir := t.TempDir()
	stub := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	o := &submitOptions{dir: dir, passed: []string{"--partition", "long"}}
	for _, c := range []struct{ stub, id, message string }{
		{"echo '17;cluster'", "17", ""},
		{"echo 'sbatch: error: no' >&2; exit 1", "", "sbatch has not taken --partition long " + filepath.Join(dir, "a.sh") + ": no"},
		{"echo welcome", "", `sbatch printed "welcome" for`},
	} {
		stub(c.stub)
		id, err := o.sbatch(t.Context(), "a.sh", "#!/bin/sh\n")
		if id != c.id || (err == nil) != (c.message == "") || err != nil && !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %q, %v", c.stub, id, err)
		}
	}
}
