package cmdtest

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/internal/each"
)

// SameFiles fails where two files differ in any byte.
func SameFiles(t *testing.T, a, b string) {
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

// ResultOf is the result of a summary in JSON.
func ResultOf(t *testing.T, text string) map[string]any {
	t.Helper()
	var s struct{ Result map[string]any }
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return s.Result
}

// Sizes returns the sizes of the clusters of a labelled CSV file, largest
// first.
func Sizes(labels []string) []int {
	count := map[string]int{}
	for _, l := range labels {
		if l != "" && l != "-1" {
			count[l]++
		}
	}
	var all []int
	for _, n := range count {
		all = append(all, n)
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Compare(b, a) })
	return all
}

// Column returns one column of a CSV file, as text.
func Column(t *testing.T, path, name string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], name)
	if at < 0 {
		t.Fatalf("%s has no column %s: %v", path, name, rows[0])
	}
	return each.Of(rows[1:], func(row []string) string { return row[at] })
}

// SummaryOf decodes a summary.
func SummaryOf(t *testing.T, r Result) (s struct {
	Command string
	Version string
	Input   struct {
		Files               []string
		Rows, Used, Skipped int64
		SkippedWhy          map[string]int64 `json:"skipped_why"`
	}
	Parameters map[string]any
	Device     string
	Threads    int
	Seconds    map[string]float64
	Peak       int64 `json:"peak_memory_bytes"`
	Result     map[string]any
}) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(r.Stdout))
	d.UseNumber()
	if err := d.Decode(&s); err != nil {
		t.Fatalf("%v in %q", err, r.Stdout)
	}
	if strings.Count(r.Stdout, "\n") != 1 {
		t.Errorf("more than the summary on stdout: %q", r.Stdout)
	}
	return s
}

// Expect compares values of a summary's result with numbers.
func Expect(t *testing.T, got map[string]any, want map[string]int64) {
	t.Helper()
	for key, n := range want {
		if fmt.Sprint(got[key]) != fmt.Sprint(n) {
			t.Errorf("%s is %v, want %d", key, got[key], n)
		}
	}
}

// Values makes the lines of a CSV file with one column.
func Values(name string, v ...float64) []string {
	lines := []string{name}
	for _, x := range v {
		lines = append(lines, human.FloatText(x))
	}
	return lines
}

func Contains(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

// Lines returns the lines of a text file.
func Lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(b), "\r\n"), "\n")
}

// Same compares the lines of a CSV file.
func Same(t *testing.T, path string, want ...string) {
	t.Helper()
	if got := Lines(t, path); !slices.Equal(got, want) {
		t.Errorf("%s holds\n%s\nwant\n%s", filepath.Base(path), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
