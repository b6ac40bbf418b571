package dbscan

import (
	"testing"

	"skyjoin/internal/mock"
	"skyjoin/neighbors"
)

// The open clusters of the mock Gaia field, and nothing else, are found on
// position, proper motion and parallax with the parameters of the
// demonstration.
func TestMockSkyIsRecovered(t *testing.T) {
	const rows = 40000
	for seed := uint64(1); seed <= 3; seed++ {
		c, err := mock.New("sky", mock.Options{Rows: rows, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		all := c.Fill(0, rows)
		cols := map[string]mock.Column{}
		for i, f := range c.Fields() {
			cols[f.Name] = all[i]
		}
		var coords [5][]float64
		var truth []int64
		members := make([]float64, len(c.Clusters()))
		for i := range rows {
			if cols["parallax"].Null[i] {
				continue
			}
			for j, name := range []string{"ra", "dec", "pmra", "pmdec", "parallax"} {
				coords[j] = append(coords[j], cols[name].Float64[i])
			}
			k := cols["true_cluster"].Int64[i]
			truth = append(truth, k)
			if k >= 0 {
				members[k]++
			}
		}
		metric := neighbors.Sky().Scaled(.3*neighbors.Degree, .5, .5, .15)
		r, found := summary(t, columns(t, coords[:]...), metric, 1, Options{MinPoints: 30})
		if len(found) != len(members) {
			t.Errorf("seed %d: %d clusters found, %d made", seed, len(found), len(members))
			continue
		}
		common := make([]map[int64]float64, len(found))
		for i, label := range r.Labels {
			if label == Noise {
				continue
			}
			if common[label] == nil {
				common[label] = map[int64]float64{}
			}
			common[label][truth[i]]++
		}
		taken := map[int64]bool{}
		for k, shares := range common {
			best := int64(-1)
			for of := range int64(len(members)) {
				if best < 0 || shares[of] > shares[best] {
					best = of
				}
			}
			purity, completeness := shares[best]/float64(found[k].Size), shares[best]/members[best]
			t.Logf("seed %d, cluster %d is true cluster %d: %v rows, purity %.3f, completeness %.3f", seed, k, best, found[k].Size, purity, completeness)
			if taken[best] || purity < .85 || completeness < .75 {
				t.Errorf("seed %d, cluster %d: true cluster %d, purity %.3f, completeness %.3f", seed, k, best, purity, completeness)
			}
			taken[best] = true
		}
	}
}
