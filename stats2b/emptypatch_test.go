package stats2b

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// without returns the rows that are not in patch k.
func without(s *Sample, k int32) *Sample {
	r := &Sample{}
	var rows []uint32
	for i, p := range s.Patch {
		if p == k {
			continue
		}
		rows = append(rows, uint32(i))
		if s.Weights != nil {
			r.Weights = append(r.Weights, s.Weights[i])
		}
	}
	r.Points = s.Points.Subset(rows)
	return r
}

// Resampling goes over all patches of the footprint: also those that hold
// randoms and no data, but not those without any row that has a weight.
func TestPatchesWithoutData(t *testing.T) {
	const patches = 6
	const noData, noRandoms, nothing, noWeight = 1, 2, 3, 5
	rng := rand.New(rand.NewPCG(31, 9))
	data, random := cloud(32, 120, 1), cloud(33, 500, 0)
	deal := func(s *Sample, among ...int32) {
		s.Patch, s.Weights = nil, nil
		for range s.Points.Len() {
			k, w := among[rng.IntN(len(among))], float64(1+rng.IntN(4))
			if k == noWeight {
				w = 0
			}
			s.Patch, s.Weights = append(s.Patch, k), append(s.Weights, w)
		}
	}
	deal(data, 0, noRandoms, 4, noWeight)
	deal(random, 0, noData, 4, noWeight)
	binning := Binning{Bins: must(EdgeBins(0.05, 0.2, 0.5))}
	counts := tallies(t, data, random, neighbors.Euclidean(), binning, patches)
	for _, name := range Estimators() {
		e := must(ParseEstimator(name))
		got, err := Correlate(counts, e, Plain, Resampling{Method: Jackknife})
		if err != nil {
			t.Fatal(err)
		}
		var want [][]float64
		for _, k := range []int32{0, noData, noRandoms, 4} {
			c, err := Correlate(tallies(t, without(data, k), without(random, k), neighbors.Euclidean(), binning, 0), e, Plain, Resampling{})
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, c.Xi)
		}
		if !slices.EqualFunc(got.Realisations, want, slices.Equal) {
			t.Errorf("%s: realisations %v, want %v", name, got.Realisations, want)
		}
		if got.EmptyPatches != 1 {
			t.Errorf("%s: %d patches of the footprint without data, want 1", name, got.EmptyPatches)
		}
		for i := range want[0] {
			var mean, sum float64
			for _, x := range want {
				mean += x[i] / 4
			}
			for _, x := range want {
				sum += (x[i] - mean) * (x[i] - mean)
			}
			if error := math.Sqrt(sum * 3 / 4); math.Abs(got.Error[i]-error) > 1e-12*error {
				t.Errorf("%s: error %v, want %v", name, got.Error[i], error)
			}
		}
	}
	// A bootstrap draws from the same patches: numbered without the others they
	// make the same realisations.
	number := []int32{0, 1, 2, -1, 3, -1}
	var compact [2]*Sample
	for i, s := range []*Sample{data, random} {
		compact[i] = without(s, noWeight)
		for _, k := range s.Patch {
			if k != noWeight {
				compact[i].Patch = append(compact[i].Patch, number[k])
			}
		}
	}
	draw := Resampling{Method: Bootstrap, Realisations: 20, Seed: 5}
	got, err := Correlate(counts, Estimator{}, Plain, draw)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Correlate(tallies(t, compact[0], compact[1], neighbors.Euclidean(), binning, 4), Estimator{}, Plain, draw)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got.Realisations, want.Realisations, func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(x, y float64) bool { return x == y || x != x && y != y })
	}) {
		t.Errorf("a bootstrap that draws patches %v, want %v", got.Realisations, want.Realisations)
	}
	deal(data, 0)
	deal(random, 0, noWeight)
	if _, err := Correlate(tallies(t, data, random, neighbors.Euclidean(), binning, patches), Estimator{}, Plain, draw); err == nil {
		t.Error("resampling of one patch with rows")
	}
}

// The pairs between two patches are those of catalogs of their rows, and of all
// patches together all pairs.
func TestPairsBetweenPatches(t *testing.T) {
	const patches = 4
	rng := rand.New(rand.NewPCG(34, 9))
	data, random := cloud(35, 90, 1), cloud(36, 150, 1)
	for _, s := range []*Sample{data, random} {
		s.Patch = make([]int32, s.Points.Len())
		for i := range s.Patch {
			s.Patch[i] = int32(rng.IntN(patches))
		}
	}
	only := func(s *Sample, p int) *Sample {
		for k := range int32(patches) {
			if int(k) != p {
				s = &Sample{Points: s.Points, Weights: s.Weights, Patch: s.Patch, Largest: s.largest()}
				rest := without(s, k)
				rest.Largest = s.Largest
				for _, q := range s.Patch {
					if q != k {
						rest.Patch = append(rest.Patch, q)
					}
				}
				s = rest
			}
		}
		s.Patch = nil
		return s
	}
	binning := Binning{Bins: must(EdgeBins(0.05, 0.2, 0.5))}
	for _, weighted := range []bool{false, true} {
		if !weighted {
			data.Weights, random.Weights = nil, nil
		} else {
			for range data.Points.Len() {
				data.Weights = append(data.Weights, float64(1+rng.IntN(4)))
			}
			for range random.Points.Len() {
				random.Weights = append(random.Weights, float64(1+rng.IntN(4)))
			}
		}
		got := tallies(t, data, random, neighbors.Euclidean(), binning, patches)
		for p := range patches {
			for q := range patches {
				want := tallies(t, only(data, p), only(random, q), neighbors.Euclidean(), binning, 0).DR.Counts()
				c := got.DR.Between(p, q)
				if !slices.Equal(c.Pairs, want.Pairs) || !slices.Equal(c.Weights, want.Weights) || c.TotalWeight != want.TotalWeight || c.Over != want.Over {
					t.Errorf("weights %v, DR of patches %d and %d: %v, want %v", weighted, p, q, c, want)
				}
			}
			want := tallies(t, only(data, p), random, neighbors.Euclidean(), binning, 0).DD.Counts()
			if c := got.DD.Between(p, p); !slices.Equal(c.Pairs, want.Pairs) || !slices.Equal(c.Weights, want.Weights) || c.TotalWeight != want.TotalWeight {
				t.Errorf("weights %v, DD of patch %d: %v, want %v", weighted, p, c, want)
			}
		}
		all, total := make([]uint64, 2), uint64(0)
		for p := range patches {
			for q := range patches {
				c := got.DD.Between(p, q)
				all[0], all[1], total = all[0]+c.Pairs[0], all[1]+c.Pairs[1], total+c.Total
			}
		}
		if c := got.DD.Counts(); !slices.Equal(all, c.Pairs) || total != c.Total {
			t.Errorf("weights %v, DD of all patches: %v of %d, want %v of %d", weighted, all, total, c.Pairs, c.Total)
		}
	}
}
