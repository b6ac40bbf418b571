package classify

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// A query that is predicted in many blocks has the answers of one block, in
// every format, with the same summary.
func TestClassifyInBlocks(t *testing.T) {
	defer func(n int) { queryBlock = n }(queryBlock)
	r := rand.New(rand.NewPCG(5, 6))
	rows := func(n int, class bool) []string {
		head := "x,y,z"
		if class {
			head += ",class"
		}
		out := []string{head}
		for range n {
			line := fmt.Sprintf("%.3f,%.2f,%.1f", r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
			switch k := r.IntN(12); {
			case k == 0:
				line = ",1,2"
			case k == 1:
				line = "-99,1,2"
			}
			if class {
				line += "," + string("abcd"[r.IntN(4)])
			}
			out = append(out, line)
		}
		return out
	}
	train := cmdtest.CSVOf(t, rows(60, true)...)
	query := cmdtest.CSVOf(t, rows(500, true)...)
	parquet := filepath.Join(t.TempDir(), "query.parquet")
	cmdtest.Succeed(t, "convert", query, "-q", "-o", parquet)
	run := func(block int, in, to string, more ...string) (string, string, string) {
		queryBlock = block
		dir := t.TempDir()
		out, why := filepath.Join(dir, "out"+to), filepath.Join(dir, "why.csv")
		args := append([]string{"classify", "--train", train, "--features", "x,y,z", "--scale", "standard", "--null", "-99", in, "-o", out, "--explain", why, "--json"}, more...)
		s := cmdtest.SummaryOf(t, cmdtest.Succeed(t, args...))
		table, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		neighbours, err := os.ReadFile(why)
		if err != nil {
			t.Fatal(err)
		}
		return string(table), string(neighbours), fmt.Sprint(s.Result, s.Input.Rows, s.Input.Used, s.Input.SkippedWhy)
	}
	for _, more := range [][]string{
		{"--label", "class", "-k", "5", "--probabilities"},
		{"--label", "class", "--radius", "0.4", "--where", "z > -1 or class = 'a'"},
	} {
		for _, c := range [][2]string{{query, ".csv"}, {query, ".fits"}, {parquet, ".parquet"}, {parquet, ".csv"}} {
			table, why, sum := run(1<<20, c[0], c[1], more...)
			for _, block := range []int{61, 100} {
				gotTable, gotWhy, gotSum := run(block, c[0], c[1], more...)
				if gotTable != table || gotWhy != why || gotSum != sum {
					t.Errorf("%v, %s, blocks of %d: %s, want %s; the tables are equal: %v, %v", more, c[1], block, gotSum, sum, gotTable == table, gotWhy == why)
				}
			}
		}
	}
}

// Regression over blocks, with the answers in the query.
func TestRegressInBlocks(t *testing.T) {
	defer func(n int) { queryBlock = n }(queryBlock)
	train, query := []string{"x,v"}, []string{"x,v"}
	for i := range 40 {
		train = append(train, fmt.Sprintf("%d,%d", i, i*i))
	}
	for i := range 300 {
		query = append(query, fmt.Sprintf("%g,%g", float64(i)/8, float64(i*i)/64))
	}
	a, b := cmdtest.CSVOf(t, train...), cmdtest.CSVOf(t, query...)
	var first []string
	var result string
	for _, block := range []int{1 << 20, 1} {
		queryBlock = block
		got, r := classified(t, "--train", a, "--regress", "v", "--features", "x", "-k", "2", b)
		if first == nil {
			first, result = got, fmt.Sprint(r)
			if !strings.Contains(result, "r2:0.99") {
				t.Errorf("scores %s", result)
			}
		}
		if !slices.Equal(got, first) || fmt.Sprint(r) != result {
			t.Errorf("blocks of %d: %v, want %s", block, r, result)
		}
	}
}
