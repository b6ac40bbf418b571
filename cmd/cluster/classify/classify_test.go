package classify

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// classified runs classify and returns the lines of its table and its summary.
func classified(t *testing.T, args ...string) ([]string, map[string]any) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.csv")
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(append([]string{"classify"}, args...), "-o", out, "--json")...))
	return cmdtest.Lines(t, out), s.Result
}

// Case C15 through the command, and what a label can be.
func TestClassify(t *testing.T) {
	query := cmdtest.CSVOf(t, "id,x", "9223372036854775807,0", "2,", "3,-2")
	for labels, want := range map[[2]string]string{{"B", "A"}: "B", {"A", "B"}: "A", {"7", "3"}: "7", {"18446744073709551615", "3"}: "18446744073709551615", {"true", "false"}: "true"} {
		train := cmdtest.CSVOf(t, "x,y", "1,"+labels[0], "-2,"+labels[1], "0,", ",C")
		got, result := classified(t, "--train", train, "--label", "y", "--features", "x", "-k", "2", query)
		want := []string{"id,x,predicted,probability,tie", "9223372036854775807,0," + want + ",0.5,true", "2,,,,", "3,-2," + labels[1] + ",0.5,true"}
		if !slices.Equal(got, want) {
			t.Errorf("%v:\n%s\nwant\n%s", labels, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if fmt.Sprintf("%v %v %v", result["rows"], result["classes"], result["ties"]) != "2 2 2" {
			t.Errorf("%v: %v", labels, result)
		}
	}
}

func TestClassifyScored(t *testing.T) {
	train := cmdtest.CSVOf(t, "x,y", "0,a", "1,a", "10,b", "11,b")
	query := cmdtest.CSVOf(t, "u,y", "0.5,a", "10.25,a", "9,b", "0.1,", "50,c")
	why := filepath.Join(t.TempDir(), "why.csv")
	got, result := classified(t, "--train", train, "--label", "y", "--features", "x", "-c", "u", "-k", "1", "--probabilities", "--explain", why, query)
	if !slices.Equal(got, []string{"u,y,predicted,probability,tie,p_a,p_b", "0.5,a,a,1,false,1,0", "10.25,a,b,1,false,0,1", "9,b,b,1,false,0,1", "0.1,,a,1,false,1,0", "50,c,b,1,false,0,1"}) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if fmt.Sprint(result["accuracy"]) != "0.5" || fmt.Sprint(result["confusion"]) != "[[1 1 0] [0 1 0] [0 1 0]]" {
		t.Errorf("%v", result)
	}
	cmdtest.Same(t, why, "row,rank,neighbor,distance,share,label", "0,1,0,0.5,1,a", "1,1,2,0.25,1,b", "2,1,2,1,1,b", "3,1,0,0.1,1,a", "4,1,3,39,1,b")
	table := cmdtest.Succeed(t, "classify", "--train", train, "--label", "y", "--features", "x", "-c", "u", "-k", "1", query).Stderr
	for _, part := range []string{"training", "PRECISION", `TRUE \ PREDICTED`} {
		if !strings.Contains(table, part) {
			t.Errorf("no %q in\n%s", part, table)
		}
	}
}

// Scales are those of the training rows: by those of the query, in which y is
// constant, the nearest row would be another, or none.
func TestClassifyScales(t *testing.T) {
	train := cmdtest.CSVOf(t, "x,y,class", "0,0,far", "4,1000,near", "0,2000,far")
	query := cmdtest.CSVOf(t, "x,y", "4,700")
	for scale, want := range map[string]string{"none": "near", "standard": "near", "minmax": "near", "1,1e9": "near", "1e9,1": "near"} {
		got, _ := classified(t, "--train", train, "--label", "class", "--features", "x,y", "--scale", scale, "-k", "1", query)
		if !strings.HasPrefix(got[1], "4,700,"+want) {
			t.Errorf("--scale %s: %q", scale, got[1])
		}
	}
	got, _ := classified(t, "--train", train, "--label", "class", "--features", "x,y", "--scale", "1,1e9", "-k", "1", cmdtest.CSVOf(t, "x,y", "1,1000"))
	if !strings.HasPrefix(got[1], "1,1000,far") {
		t.Errorf("by x alone: %q", got[1])
	}
}

func TestClassifyRegress(t *testing.T) {
	train := cmdtest.CSVOf(t, "x,v,w", "0,10,1", "1,20,3", "5,,1", "7,nan,1")
	got, result := classified(t, "--train", train, "--regress", "v", "--features", "x", "-k", "2", cmdtest.CSVOf(t, "x,v", "0.5,14", "9,17"))
	if !slices.Equal(got, []string{"x,v,predicted", "0.5,14,15", "9,17,15"}) || fmt.Sprint(result["mae"]) != "1.5" {
		t.Errorf("%q, %v", got, result)
	}
	if got, _ := classified(t, "--train", train, "--regress", "v", "--features", "x", "--weights", "w", "-k", "2", cmdtest.CSVOf(t, "x", "0.5")); got[1] != "0.5,17.5" {
		t.Errorf("weighted: %q", got)
	}
	if got, _ := classified(t, "--train", train, "--regress", "v", "--features", "x", "--vote", "distance", "-k", "2", cmdtest.CSVOf(t, "x", "1")); got[1] != "1,20" {
		t.Errorf("by distance: %q", got)
	}
}

func TestClassifyWithinRadius(t *testing.T) {
	train := cmdtest.CSVOf(t, "x,y", "0,1", "1,2", "1.5,2")
	got, result := classified(t, "--train", train, "--label", "y", "--features", "x", "--radius", "1", cmdtest.CSVOf(t, "x", "0.75", "30"))
	if !slices.Equal(got, []string{"x,predicted,probability,tie", "0.75,2,0.6666666666666666,false", "30,,,"}) || fmt.Sprint(result["outliers"]) != "1" {
		t.Errorf("%q, %v", got, result)
	}
}

func TestClassifyCrossValidates(t *testing.T) {
	rows := []string{"x,y"}
	for i := range 60 {
		rows = append(rows, fmt.Sprintf("%v,%s", float64(i)+float64(i%7)/10, []string{"low", "high"}[i/30]))
	}
	train := cmdtest.CSVOf(t, rows...)
	base := []string{"classify", "--train", train, "--label", "y", "--features", "x"}
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, append(slices.Clone(base), "-k", "1-9", "--cv", "loo", "--json")...))
	curve, _ := s.Result["curve"].([]any)
	if fmt.Sprint(s.Result["rows"]) != "60" || len(curve) != 9 || fmt.Sprint(s.Result["k"]) == "" {
		t.Errorf("%v", s.Result)
	}
	a := cmdtest.Succeed(t, append(slices.Clone(base), "-k", "1-9", "--cv", "5", "--json")...)
	b := cmdtest.Succeed(t, append(slices.Clone(base), "-k", "1-9", "--cv", "5", "--json", "-t", "3")...)
	if fmt.Sprint(cmdtest.SummaryOf(t, a).Result) != fmt.Sprint(cmdtest.SummaryOf(t, b).Result) {
		t.Errorf("depends on threads:\n%s\n%s", a.Stdout, b.Stdout)
	}
	got, result := classified(t, append(slices.Clone(base[1:]), "-k", "1-5", "--cv", "5", "--scale", "standard", cmdtest.CSVOf(t, "x", "3", "58"))...)
	if !strings.HasPrefix(got[1], "3,low,") || !strings.HasPrefix(got[2], "58,high,") || result["cv"] == nil {
		t.Errorf("%q, %v", got, result)
	}
	table := cmdtest.Succeed(t, append(slices.Clone(base), "-k", "1-3", "--cv", "5")...).Stderr
	if !strings.Contains(table, "best") || !strings.Contains(table, "ACCURACY") {
		t.Errorf("no curve in\n%s", table)
	}
}

func TestClassifyRefuses(t *testing.T) {
	train, query := cmdtest.CSVOf(t, "x,y,z", "1,a,1.5", "2,b,2.5"), cmdtest.CSVOf(t, "x", "1")
	for flags, part := range map[string]string{
		"":                                 "--train is needed",
		"--train T":                        "--label is needed",
		"--train T --label y --regress z":  "one of them",
		"--train T --label y":              "--features is needed",
		"--train T --label y --features x": "-k is needed",
		"--train T --label y --features x,y -k 1":                           "the column to predict",
		"--train T --label z --features x -k 1":                             "--regress",
		"--train T --regress y --features x -k 1":                           "numbers are needed",
		"--train T --label y --features x -k 3":                             "k=3, which is more than the number of rows, 2",
		"--train T --label y --features x -k 1-2":                           "needs --cv",
		"--train T --label y --features x -k 2-1":                           "ends before it begins",
		"--train T --label y --features x -k 0":                             "at least 1",
		"--train T --label y --features x -k 1-999":                         "more than 200",
		"--train T --label y --features x -k 1 --cv 1":                      "at least 2",
		"--train T --label y --features x -k 1 --cv 3":                      "3 parts",
		"--train T --label y --features x -k 1 --radius 1":                  "one of them",
		"--train T --label y --features x --radius 1 --cv 2":                "loo",
		"--train T --label y --features xx -k 1":                            "xx",
		"--train T --label y --features x -k 1 --vote m":                    "--vote m",
		"--train T --label y --features x -k 1 -c a":                        "there is no column",
		"--train T --label y --features x,z -k 1 -c x":                      "there are 2 features",
		"--train T --regress z --features x -k 1 --probabilities -o no.csv": "classes",
	} {
		args := append([]string{"classify", query}, strings.Fields(strings.ReplaceAll(flags, "--train T", "--train "+train))...)
		cmdtest.Refuse(t, 2, args, part)
	}
	cmdtest.Refuse(t, 2, []string{"classify", "--train", train, "--label", "y", "--features", "x", "-k", "1"}, "QUERY")
	cmdtest.Refuse(t, 2, []string{"classify", "--train", train, "--label", "y", "--features", "x", "-k", "1", "--cv", "loo", "-o", "no.csv"}, "QUERY")
	cmdtest.Refuse(t, 2, []string{"classify", "--train", train, "--label", "y", "--features", "x", "-k", "1", "--cv", "loo", "--where", "x > 1"}, "QUERY", "--where-train")
	cmdtest.Refuse(t, 1, []string{"classify", "--train", "missing.csv", "--label", "y", "--features", "x", "-k", "1", query}, "missing.csv")
}

// Answers of scikit-learn, and of the catalog's own description.
func TestClassifyRealCatalogs(t *testing.T) {
	pulsars := cmdtest.TestData(t, "htru2_pulsars.csv")
	s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, "classify", "--train", pulsars, "--label", "class", "--scale", "standard", "-k", "5", "--cv", "loo", "--json",
		"--features", "meanprof,sd-prof,exk-prof,skewness-prof,meandmsnr,sd-dmsnr,exk-dmsnr,skewness-dmsnr"))
	if fmt.Sprintf("%v %v", s.Result["right"], s.Result["confusion"]) != "17525 [[16155 104] [269 1370]]" {
		t.Errorf("pulsars: %v", s.Result)
	}
	koi := cmdtest.TestData(t, "koi_cumulative.csv")
	s = cmdtest.SummaryOf(t, cmdtest.Succeed(t, "classify", "--train", koi, "--label", "koi_disposition", "--features", "kepid", "-k", "3", "--cv", "loo", "--json"))
	rows := map[string]string{}
	for _, c := range s.Result["scores"].([]any) {
		class := c.(map[string]any)
		rows[fmt.Sprint(class["class"])] = fmt.Sprint(class["rows"])
	}
	if fmt.Sprint(rows) != "map[CANDIDATE:2424 CONFIRMED:2299 FALSE POSITIVE:4841]" {
		t.Errorf("koi: %v", rows)
	}
}

// Figures of scores, and what they need.
func TestClassifyPlots(t *testing.T) {
	rows := []string{"x,y,v"}
	for i := range 30 {
		rows = append(rows, fmt.Sprintf("%d,%s,%d", i, string("ab"[i/15]), i*i))
	}
	train, query, bare := cmdtest.CSVOf(t, rows...), cmdtest.CSVOf(t, "x,y", "3,a", "20,a"), cmdtest.CSVOf(t, "x", "3")
	base := []string{"classify", "--train", train, "--features", "x", "-q"}
	dir := t.TempDir()
	classes := append(slices.Clone(base), "--label", "y")
	scored := append(slices.Clone(classes), "-k", "1-5", "--cv", "loo", "-p", filepath.Join(dir, "m.png"), "--plot-scores", filepath.Join(dir, "c.svg"))
	cmdtest.Succeed(t, scored...)
	cmdtest.Succeed(t, append(scored, "--force")...) // both are replaced
	cmdtest.Succeed(t, append(classes, "-k", "3", query, "-p", filepath.Join(dir, "q.pdf"))...)
	cmdtest.Succeed(t, append(slices.Clone(base), "--regress", "v", "-k", "1-5", "--cv", "5", "-p", filepath.Join(dir, "r.png"))...)
	for name, magic := range map[string]string{"m.png": "\x89PNG", "c.svg": "<?xml", "q.pdf": "%PDF", "r.png": "\x89PNG"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.HasPrefix(string(b), magic) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cmdtest.Refuse(t, 2, append(classes, "-k", "3", "--cv", "loo", "--plot-scores", filepath.Join(dir, "x.png")), "a range")
	cmdtest.Refuse(t, 2, append(classes, "-k", "3", bare, "-p", filepath.Join(dir, "x.png")), "no column y")
	cmdtest.Refuse(t, 2, append(classes, "-k", "1-5", "--cv", "loo", "-p", filepath.Join(dir, "m.png")), "--force")
}

// Labels can be whole numbers in a column of floats, as in tables of programs that
// have no integers: the same classes as those of integers. Others are refused by the
// row.
func TestClassesInFloats(t *testing.T) {
	train := cmdtest.CSVOf(t, "x,y", "0,1.0", "1,1.0", "10,-2.0", "11,-2.0", "5,nan")
	got, result := classified(t, "--train", train, "--label", "y", "--features", "x", "-k", "1", cmdtest.CSVOf(t, "x,y", "0.25,1", "9,-2", "7,nan"))
	if !slices.Equal(got, []string{"x,y,predicted,probability,tie", "0.25,1,1,1,false", "9,-2,-2,1,false", "7,nan,-2,1,false"}) || fmt.Sprintf("%v %v", result["accuracy"], result["classes"]) != "1 2" {
		t.Errorf("%q, %v", got, result)
	}
	bad := cmdtest.CSVOf(t, "x,y", "0,1", "1,1.5")
	cmdtest.Refuse(t, 2, []string{"classify", "--train", bad, "--label", "y", "--features", "x", "-k", "1", train}, "column y is float64 and has 1.5 in row 1", "--regress")
	got, _ = classified(t, "--train", bad, "--where-train", "y < 1.25", "--label", "y", "--features", "x", "-k", "1", cmdtest.CSVOf(t, "x", "1"))
	if got[1] != "1,1,1,false" { // only rows that are used have to be whole
		t.Errorf("%q", got)
	}
}

// Training rows of weight 0 change nothing: they are not among the K nearest.
func TestTrainingWeightsOfZero(t *testing.T) {
	query := cmdtest.CSVOf(t, "x", "0.1", "9")
	with := cmdtest.CSVOf(t, "x,y,v,w", "0,a,1,0", "0.2,a,2,0", "1,b,3,1", "8,a,4,2", "10,b,5,0.5")
	without := cmdtest.CSVOf(t, "x,y,v,w", "1,b,3,1", "8,a,4,2", "10,b,5,0.5")
	for _, flags := range [][]string{{"--label", "y", "-k", "2"}, {"--label", "y", "-k", "1"}, {"--label", "y", "--radius", "2"}, {"--regress", "v", "-k", "2", "--vote", "distance"}, {"--label", "y", "-k", "1", "--cv", "loo"}} {
		args := func(train string) []string {
			return append([]string{"--train", train, "--features", "x", "--weights", "w", query}, flags...)
		}
		a, resultA := classified(t, args(with)...)
		b, resultB := classified(t, args(without)...)
		if !slices.Equal(a, b) || fmt.Sprint(resultA) != fmt.Sprint(resultB) {
			t.Errorf("%v: with rows of weight 0 %q, %v\nwithout them %q, %v", flags, a, resultA, b, resultB)
		}
	}
	if table := cmdtest.Succeed(t, "classify", "--train", with, "--label", "y", "--features", "x", "--weights", "w", "-k", "1", query).Stderr; !strings.Contains(table, "2 rows of weight 0") {
		t.Errorf("it does not say what is not learned:\n%s", table)
	}
	for text, want := range map[string]string{"0,a,0": "no row with all features and a value in y has a weight above 0 in w", "0,a,-1": "the weight of training row 0 is -1"} {
		cmdtest.Refuse(t, 2, []string{"classify", "--train", cmdtest.CSVOf(t, "x,y,w", text), "--label", "y", "--features", "x", "--weights", "w", "-k", "1", query}, want)
	}
}

// The precision of a class that is never predicted is none: of no rows there is no
// share.
func TestSharesOfNoRows(t *testing.T) {
	train := cmdtest.CSVOf(t, "x,y", "0,a", "1,a", "2,b", "9,c")
	table := cmdtest.Succeed(t, "classify", "--train", train, "--label", "y", "--features", "x", "-k", "1", "--cv", "loo").Stderr
	if strings.Contains(table, "NaN") || !strings.Contains(table, "none") {
		t.Errorf("%s", table)
	}
}
