package hdbscan

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"skyjoin/neighbors"
)

// numbers reads columns of every record whose first field is a number, and whose
// others of those are.
func numbers(t *testing.T, name string, fields ...int) [][]float64 {
	t.Helper()
	folder := os.Getenv("SKYJOIN_TESTDATA")
	if folder == "" {
		t.Skip("SKYJOIN_TESTDATA is not set: no real catalogs to test on")
	}
	f, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cols := make([][]float64, len(fields))
records:
	for _, rec := range records {
		var v []float64
		for _, j := range fields {
			if j >= len(rec) {
				continue records
			}
			x, err := strconv.ParseFloat(rec[j], 64)
			if err != nil || x-x != 0 {
				continue records
			}
			v = append(v, x)
		}
		for j := range cols {
			cols[j] = append(cols[j], v[j])
		}
	}
	return cols
}

// Sizes, noise and the sum of the probabilities, to 12 digits, of a dense
// reference.
func TestCatalogs(t *testing.T) {
	iris := numbers(t, "iris.arff", 0, 1, 2, 3)
	shapley := numbers(t, "shapley_galaxies.csv", 0, 1)
	gaia := numbers(t, "asteca_gaia_field.csv", 1, 2, 6, 8, 3)
	field := neighbors.Sky().Scaled(.08*math.Pi/180, .25, .25, .12)
	for _, c := range []struct {
		name          string
		cols          [][]float64
		metric        neighbors.Metric
		ties          Ties
		samples, size float64
		method        Method
		sizes         []int64 // the largest
		clusters      int
		noise         int64
		sum           float64
	}{
		{"iris", iris, neighbors.Euclidean(), TiesTogether, 5, 5, EOM, []int64{100, 50}, 2, 0, 132.099752631},
		{"iris", iris, neighbors.Euclidean(), TiesSklearn, 5, 5, EOM, []int64{100, 50}, 2, 0, 132.099752631},
		{"iris", iris, neighbors.Euclidean(), TiesTogether, 5, 5, Leaf, []int64{16, 15, 11, 10, 8, 8}, 6, 82, 63.6574843664},
		{"iris", iris, neighbors.Euclidean(), TiesSklearn, 5, 5, Leaf, []int64{17, 16, 12, 10, 8, 8}, 6, 79, 65.9942199194},
		{"iris", iris, neighbors.Euclidean(), TiesTogether, 5, 10, Leaf, []int64{27, 26, 11, 10}, 4, 76, 71.1880420909},
		{"iris", iris, neighbors.Euclidean(), TiesSklearn, 5, 10, Leaf, []int64{28, 26, 12, 10}, 4, 74, 72.8955981507},
		{"shapley", shapley, neighbors.Sky(), TiesTogether, 10, 20, EOM, []int64{812, 728, 146, 124, 120, 110, 85}, 23, 1374, 2540.96601027},
		{"shapley", shapley, neighbors.Sky(), TiesSklearn, 10, 20, EOM, []int64{813, 729, 147, 124, 120, 85, 75}, 24, 1392, 2527.44454},
		{"shapley", shapley, neighbors.Sky(), TiesTogether, 10, 20, Leaf, []int64{164, 146, 124, 120, 118, 110}, 34, 2183, 1638.93367473},
		{"shapley", shapley, neighbors.Sky(), TiesSklearn, 10, 20, Leaf, []int64{165, 147, 124, 120, 118, 90}, 35, 2197, 1628.56429556},
		{"gaia", gaia, field, TiesTogether, 10, 40, EOM, []int64{430, 148}, 2, 8040, 396.00461388},
		{"gaia", gaia, field, TiesTogether, 10, 40, Leaf, []int64{430, 148}, 2, 8040, 396.00461388},
		{"gaia", gaia, field, TiesSklearn, 10, 40, EOM, []int64{431, 148}, 2, 8039, 396.341185586},
	} {
		tree := build(t, columns(t, c.cols...), c.metric, Options{MinSamples: c.samples, Ties: c.ties})
		r := choose(t, condense(t, tree, c.size), Selection{Method: c.method})
		sizes := slices.Sorted(slices.Values(r.Sizes))
		slices.Reverse(sizes)
		sum := 0.0
		for _, p := range r.Probabilities {
			sum += p
		}
		if r.Clusters() != c.clusters || r.NoiseCount != c.noise || len(sizes) < len(c.sizes) || !slices.Equal(sizes[:len(c.sizes)], c.sizes) || math.Abs(sum-c.sum) > 1e-11*c.sum {
			t.Errorf("%s, %v, %v: %d clusters %v, noise %d, sum %.12g; want %d %v, %d, %.12g", c.name, c.ties, c.method, r.Clusters(), sizes, r.NoiseCount, sum, c.clusters, c.sizes, c.noise, c.sum)
		}
	}
}
