package tiles

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

// A world is a catalog in files and the answer of one run.
type world struct {
	dir    string
	cols   [][]float64
	weight []float64
	metric Metric
	eps    float64
	opt    dbscan.Options
	want   *dbscan.Result
}

// newWorld writes rows to files of a few thousand and clusters them at once.
func newWorld(t *testing.T, cols [][]float64, weight []float64, m Metric, eps float64, opt dbscan.Options) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), cols: cols, weight: weight, metric: m, eps: eps, opt: opt}
	n := len(cols[0])
	const files = 4
	for f := range files {
		var out []catalog.Column
		for j, c := range append(cols[:len(cols):len(cols)], weight) {
			if c == nil {
				continue
			}
			name := fmt.Sprintf("c%d", j)
			if j == len(cols) {
				name = "w"
			}
			out = append(out, floats(name, "", "", c[f*n/files:(f+1)*n/files]))
		}
		if err := table.Write(context.Background(), filepath.Join(w.dir, fmt.Sprintf("part%d.parquet", f)), out, table.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	opt.Weights = weight
	var err error
	if w.want, err = dbscan.Run(context.Background(), pointsOf(t, cols...), m.Metric(), eps, opt); err != nil {
		t.Fatal(err)
	}
	return w
}

// plan plans the clustering.
func (w *world) plan(t *testing.T, tiles int, stage Staging) *Plan {
	t.Helper()
	cat, err := catalog.Open(context.Background(), []string{w.dir}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cat.Close()
	s := Set{Sky: w.metric.onSky()}
	for j := range w.cols {
		s.Columns = append(s.Columns, fmt.Sprintf("c%d", j))
	}
	if w.weight != nil {
		s.Weights = "w"
	}
	p, err := Make(context.Background(), filepath.Join(t.TempDir(), "plan"), Request{
		Plan: &Plan{Command: "dbscan", Sets: []Set{s}, Metric: w.metric, Radius: w.eps,
			DBSCAN: &DBSCAN{MinPoints: w.opt.MinPoints, Star: w.opt.Star, Border: w.opt.Border.String(), Counts: w.opt.Counts}},
		Catalogs: []*catalog.Catalog{cat}, Tiles: tiles, Stage: stage, Threads: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compare merges the plan and compares the answer with that of one run.
func (w *world) compare(t *testing.T, p *Plan) {
	t.Helper()
	a, err := p.Merge(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := w.want
	got := [...]int64{a.Clusters, a.Noise, a.Core, a.Border, a.Pairs, a.Largest}
	if w := [...]int64{int64(want.Clusters()), want.NoiseCount, want.CoreCount, want.BorderCount, want.Pairs, want.Largest()}; got != w {
		t.Errorf("clusters, noise, core, border, pairs, largest %v, want %v", got, w)
	}
	r, err := p.Labels(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for lo, n := int64(0), p.Rows(); lo < n; lo += 700 {
		hi := min(n, lo+700)
		l, err := r.Read(context.Background(), lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		if !l.All || !slices.Equal(l.Cluster, want.Labels[lo:hi]) || !slices.Equal(l.Core, want.Core[lo:hi]) {
			t.Fatalf("labels of rows [%d, %d) are not those of one run", lo, hi)
		}
		if w.opt.Counts && !slices.Equal(l.Counts, want.Counts[lo:hi]) {
			t.Fatalf("counts of rows [%d, %d) are not those of one run", lo, hi)
		}
	}
}

func (w *world) run(t *testing.T, p *Plan, tiles ...int) {
	t.Helper()
	for _, i := range tiles {
		if _, err := p.Run(context.Background(), i, Options{Threads: 1}); err != nil {
			t.Fatal(err)
		}
	}
}

// clumps are rows in clumps that overlap, of which some are large.
func clumps(rng *rand.Rand, n, dim int, side float64) [][]float64 {
	cols := make([][]float64, dim)
	for j := range cols {
		cols[j] = make([]float64, n)
	}
	centre := make([]float64, dim)
	for i := range n {
		if i%97 == 0 {
			for j := range centre {
				centre[j] = side * rng.Float64()
			}
		}
		for j := range cols {
			if cols[j][i] = centre[j] + side/40*rng.NormFloat64(); i%5 == 0 {
				cols[j][i] = side * rng.Float64()
			}
		}
	}
	return cols
}

// Whatever the metric, the number of tiles, their order, and whether rows are
// staged, the answer is that of one run.
func TestTilesGiveTheAnswerOfOneRun(t *testing.T) {
	defer func(rows int) { blockRows = rows }(blockRows)
	blockRows = 300
	rng := rand.New(rand.NewPCG(11, 1))
	const n = 4000
	sky := func(pole bool) [][]float64 {
		c := clumps(rng, n, 2, 20)
		for i := range n { // across RA 0, or over a pole
			ra, dec := c[0][i]-10, c[1][i]-10
			if pole {
				ra, dec = math.Atan2(dec, ra)*180/math.Pi, 90-min(math.Hypot(ra, dec), 100)
			}
			c[0][i], c[1][i] = math.Mod(ra+360, 360), dec
		}
		return c
	}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = float64(rng.IntN(20)-3) / 7
	}
	five := append(sky(false), clumps(rng, n, 2, 4)...)
	far := clumps(rng, n, 3, 30)
	for i := range n {
		far[0][i], far[1][i], far[2][i] = far[0][i]*12, far[1][i]*3-45, math.Abs(far[2][i])
	}
	const degree = math.Pi / 180
	for name, w := range map[string]*world{
		"RA 0":     newWorld(t, sky(false), nil, Metric{Kind: "sky"}, .3*degree, dbscan.Options{MinPoints: 5}),
		"pole":     newWorld(t, sky(true), nil, Metric{Kind: "sky"}, .25*degree, dbscan.Options{MinPoints: 4, Border: dbscan.BorderNearest}),
		"weights":  newWorld(t, sky(false), weights, Metric{Kind: "sky"}, .3*degree, dbscan.Options{MinPoints: 2.5, Counts: true}),
		"scaled":   newWorld(t, five, nil, Metric{Kind: "sky", Scale: []float64{.5 * degree, .3, .4}}, 1, dbscan.Options{MinPoints: 4}),
		"box":      newWorld(t, clumps(rng, n, 3, 20), nil, Metric{Kind: "euclidean"}, .7, dbscan.Options{MinPoints: 5, Star: true}),
		"periodic": newWorld(t, clumps(rng, n, 2, 20), nil, Metric{Kind: "periodic", Sides: []float64{18, 0}}, .3, dbscan.Options{MinPoints: 5}),
		"distance": newWorld(t, far, nil, Metric{Kind: "sky-distance"}, .9, dbscan.Options{MinPoints: 3}),
	} {
		if w.want.Clusters() < 3 || w.want.BorderCount+int64(len(w.cols)) == 0 || w.want.NoiseCount == 0 {
			t.Errorf("%s: %d clusters, %d border rows, %d noise: tests little", name, w.want.Clusters(), w.want.BorderCount, w.want.NoiseCount)
		}
		for _, tiles := range []int{1, 7, 64} {
			for _, stage := range []Staging{StageNo, StageYes} {
				if tiles == 64 && (testing.Short() || stage == StageYes) || tiles == 1 && stage == StageYes {
					continue
				}
				p := w.plan(t, tiles, stage)
				w.run(t, p, rng.Perm(tiles)...)
				t.Run(fmt.Sprintf("%s/%d/%s", name, tiles, stage), func(t *testing.T) { w.compare(t, p) })
			}
		}
	}
}

// A tile that is run twice, killed on the way, or run again changes nothing; a
// merge refuses while one is missing, and names it.
func TestTilesAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	w := newWorld(t, clumps(rng, 3000, 2, 20), nil, Metric{Kind: "euclidean"}, .3, dbscan.Options{MinPoints: 5})
	p := w.plan(t, 5, StageNo)
	w.run(t, p, 4, 0, 2, 2)
	killed, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Run(killed, 1, Options{}); err == nil {
		t.Error("a run that was cancelled ended well")
	}
	if _, err := p.Merge(context.Background()); err == nil || !strings.Contains(err.Error(), "1, 3") {
		t.Errorf("merge with tiles 1 and 3 missing: %v", err)
	}
	// What a killed process leaves behind.
	if err := os.MkdirAll(filepath.Join(p.Dir(), tilesDir, ".00003.123.tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	s, err := p.Status()
	if err != nil {
		t.Fatal(err)
	}
	if want := []State{Done, Waiting, Done, Running, Done}; !slices.Equal(s.Tiles, want) {
		t.Errorf("status %v, want %v", s.Tiles, want)
	}
	w.run(t, p, 1, 3)
	if _, err := p.Run(context.Background(), 2, Options{Again: true}); err != nil {
		t.Error(err)
	}
	if _, err := p.Run(context.Background(), 5, Options{}); err == nil {
		t.Error("tile 5 of 5 was run")
	}
	w.compare(t, p)
	w.compare(t, p) // the merge is there
}

// An input that has changed or is damaged fails the tiles that need it; the
// merge names one with its reason.
func TestTilesOfDamagedInput(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	cols := clumps(rng, 4000, 1, 1000)
	slices.Sort(cols[0]) // so that tiles need few files
	w := newWorld(t, cols, nil, Metric{Kind: "euclidean"}, .3, dbscan.Options{MinPoints: 5})
	p := w.plan(t, 4, StageAuto)
	if p.Staged {
		t.Fatal("sorted rows are staged")
	}
	path := filepath.Join(w.dir, "part3.parquet")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	w.run(t, p, 0, 1)
	if _, err := p.Run(context.Background(), 3, Options{}); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
		t.Errorf("half of the file is gone: %v", err)
	}
	w.run(t, p, 2)
	if _, err := p.Merge(context.Background()); err == nil || !strings.Contains(err.Error(), "tile 3 failed") || !strings.Contains(err.Error(), path) {
		t.Errorf("merge: %v", err)
	}
	if s, err := p.Status(); err != nil || s.Tiles[3] != Failed || !strings.Contains(s.Why[3], path) {
		t.Errorf("status %v, %v", s, err)
	}
	if _, err := Open(context.Background(), t.TempDir()); err == nil {
		t.Error("an empty folder is a plan")
	}
}

// A plan of nothing, and an answer of nothing, are errors as they are of one
// run.
func TestNothing(t *testing.T) {
	dir := t.TempDir()
	for name, x := range map[string][]float64{"none": {}, "unusable": {math.NaN(), math.NaN()}} {
		path := filepath.Join(dir, name+".parquet")
		if err := table.Write(t.Context(), path, []catalog.Column{floats("x", "", "", x)}, table.Options{}); err != nil {
			t.Fatal(err)
		}
		cat, err := catalog.Open(t.Context(), []string{path}, catalog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := Make(t.Context(), filepath.Join(dir, name), Request{
			Plan:     &Plan{Command: "dbscan", Sets: []Set{{Columns: []string{"x"}}}, Metric: Metric{Kind: "euclidean"}, Radius: 1, DBSCAN: &DBSCAN{MinPoints: 2, Border: "first"}},
			Catalogs: []*catalog.Catalog{cat}, Tiles: 2, Threads: 1,
		})
		want := map[string]string{"none": "no rows", "unusable": "none of the 2 rows can be used"}[name]
		if p != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: a plan is made: %v", name, err)
		}
	}
}

// Rows that cannot be used belong to no tile.
func TestUnusableRows(t *testing.T) {
	nan := math.NaN()
	dir := t.TempDir()
	if err := table.Write(t.Context(), filepath.Join(dir, "a.parquet"), []catalog.Column{floats("x", "", "", []float64{0, nan, .5, 9, 9.5, nan, 30})}, table.Options{}); err != nil {
		t.Fatal(err)
	}
	cat, err := catalog.Open(t.Context(), []string{dir}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Make(t.Context(), filepath.Join(t.TempDir(), "plan"), Request{
		Plan:     &Plan{Command: "dbscan", Sets: []Set{{Columns: []string{"x"}}}, Metric: Metric{Kind: neighbors.Euclidean().String()}, Radius: 1, DBSCAN: &DBSCAN{MinPoints: 2, Border: "first"}},
		Catalogs: []*catalog.Catalog{cat}, Tiles: 2, Threads: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, err := p.Run(t.Context(), i, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := p.Merge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Labels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l, err := r.Read(t.Context(), 0, 7)
	if err != nil {
		t.Fatal(err)
	}
	if a.Used != 5 || a.Clusters != 2 || a.Noise != 1 || l.All || fmt.Sprint(l.Cluster, l.Used) != "[0 0 0 1 1 0 -1] [true false true true true false true]" {
		t.Errorf("%+v, %v %v", a, l.Cluster, l.Used)
	}
}
