package dbscan

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"skyjoin/neighbors"
)

// testdata opens a file of the folder with real catalogs.
func testdata(t *testing.T, name string) *os.File {
	t.Helper()
	folder := os.Getenv("SKYJOIN_TESTDATA")
	if folder == "" {
		t.Skip("SKYJOIN_TESTDATA is not set: no real catalogs to test on")
	}
	f, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// numbers reads the first columns of every record whose first field is a
// number, which in these files are the data.
func numbers(t *testing.T, name string, columns int) [][]float64 {
	t.Helper()
	r := csv.NewReader(testdata(t, name))
	r.FieldsPerRecord = -1
	r.LazyQuotes = true
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cols := make([][]float64, columns)
	for _, rec := range records {
		if _, err := strconv.ParseFloat(rec[0], 64); err != nil || len(rec) < columns {
			continue
		}
		for j := range cols {
			v, err := strconv.ParseFloat(rec[j], 64)
			if err != nil {
				t.Fatal(err)
			}
			cols[j] = append(cols[j], v)
		}
	}
	return cols
}

func descending(sizes []int64) []int64 {
	s := slices.Sorted(slices.Values(sizes))
	slices.Reverse(s)
	return s
}

func TestIris(t *testing.T) {
	cols := numbers(t, "iris.arff", 4)
	opt := Options{MinPoints: 4}
	r, err := Run(context.Background(), columns(t, cols...), neighbors.Euclidean(), .4, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := truthOf(cols, .4, opt).verify(r); err != nil {
		t.Error(err)
	}
	if len(r.Labels) != 150 || r.NoiseCount != 25 || r.CoreCount != 104 || !slices.Equal(descending(r.Sizes), []int64{47, 38, 36, 4}) {
		t.Errorf("rows %d, noise %d, core %d, sizes %v", len(r.Labels), r.NoiseCount, r.CoreCount, r.Sizes)
	}
}

func TestShapley(t *testing.T) {
	cols := numbers(t, "shapley_galaxies.csv", 2)
	r, err := Run(context.Background(), columns(t, cols...), neighbors.Sky(), .15*math.Pi/180, Options{MinPoints: 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Labels) != 4215 || r.Clusters() != 18 || r.NoiseCount != 2407 || r.CoreCount != 1511 {
		t.Errorf("rows %d, clusters %d, noise %d, core %d", len(r.Labels), r.Clusters(), r.NoiseCount, r.CoreCount)
	}
	if got, want := descending(r.Sizes), []int64{759, 643, 73, 55, 38, 35, 34, 29, 25, 17}; !slices.Equal(got[:min(10, len(got))], want) {
		t.Errorf("sizes %v, want %v, …", got, want)
	}
}
