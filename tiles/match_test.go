package tiles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors/match"
)

// A match in tiles is that of one run, for every rule, with many ties and
// chains of candidates that cross the borders of tiles.
func TestMatchTilesGiveTheAnswerOfOneRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	const degree = math.Pi / 180
	for name, c := range map[string]struct {
		metric Metric
		radius float64
	}{
		"sky":      {Metric{Kind: "sky"}, .3 * degree},
		"box":      {Metric{Kind: "euclidean"}, .25},
		"periodic": {Metric{Kind: "periodic", Sides: []float64{20, 20}}, .25},
	} {
		dir := t.TempDir()
		var cats []*catalog.Catalog
		var sets [2][][]float64
		for k, n := range []int{900, 700} {
			cols := [][]float64{make([]float64, n), make([]float64, n)}
			for i := range n {
				cols[0][i], cols[1][i] = float64(rng.IntN(160))/8, float64(rng.IntN(160))/8
				if c.metric.onSky() { // across RA 0 and over a pole
					cols[0][i], cols[1][i] = cols[0][i]*18, 90-cols[1][i]/2
				}
			}
			sets[k] = cols
			path := filepath.Join(dir, fmt.Sprintf("%d.parquet", k))
			if err := table.Write(t.Context(), path, []catalog.Column{floats("x", "", "", cols[0]), floats("y", "", "", cols[1])}, table.Options{}); err != nil {
				t.Fatal(err)
			}
			cat, err := catalog.Open(t.Context(), []string{path}, catalog.Options{})
			if err != nil {
				t.Fatal(err)
			}
			cats = append(cats, cat)
		}
		for _, rule := range match.Finds() {
			find, err := match.ParseFind(rule)
			if err != nil {
				t.Fatal(err)
			}
			least, k := c.radius/4*float64(rng.IntN(2)), rng.IntN(3)
			want, err := match.Cross(t.Context(), pointsOf(t, sets[0]...), pointsOf(t, sets[1]...), c.metric.Metric(), match.Options{Find: find, Radius: c.radius, Min: least, K: k})
			if err != nil {
				t.Fatal(err)
			}
			for _, tiles := range []int{1, 6, 20} {
				if testing.Short() && tiles == 20 && rule != match.Finds()[0] {
					continue
				}
				set := Set{Columns: []string{"x", "y"}, Sky: c.metric.onSky()}
				p, err := Make(t.Context(), filepath.Join(t.TempDir(), "plan"), Request{
					Plan:     &Plan{Command: "match", Sets: []Set{set, set}, Metric: c.metric, Match: &Match{Find: rule, Min: least, Radius: c.radius, K: k}},
					Catalogs: cats, Tiles: tiles, Threads: 1, Stage: []Staging{StageYes, StageNo}[tiles%2],
				})
				if err != nil {
					t.Fatal(err)
				}
				for _, i := range rng.Perm(tiles) {
					if _, err := p.Run(t.Context(), i, Options{Threads: 1}); err != nil {
						t.Fatal(err)
					}
				}
				for range 2 { // the second time from what is there
					m, err := p.MergeMatch(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					var pairs []Pair
					for _, f := range want.Pairs {
						pairs = append(pairs, Pair{int64(f.A), int64(f.B), f.Distance})
					}
					if !slices.Equal(m.Pairs, pairs) || m.Candidates != want.Candidates || m.AmbiguousA != want.AmbiguousA || m.AmbiguousB != want.AmbiguousB {
						t.Errorf("%s, %s, %d tiles: %d pairs of %d, ambiguous %d, %d; want %d of %d, %d, %d", name, rule, tiles,
							len(m.Pairs), m.Candidates, m.AmbiguousA, m.AmbiguousB, len(pairs), want.Candidates, want.AmbiguousA, want.AmbiguousB)
					}
				}
			}
		}
	}
}
