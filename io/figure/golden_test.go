package figure

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

var update = flag.Bool("update", false, "rewrite the golden figures of testdata")

func column(v ...float64) neighbors.Column { return neighbors.Float64s(v) }

// small is the style of the golden figures.
var small = Style{Width: 84, DPI: 100}

// field returns a field of stars: n of noise and then members of clusters, in
// RA from ra0 to ra0+4 and Dec from dec0 to dec0+3.
func field(ra0, dec0 float64, n int, members ...int) (x, y []float64, labels []int32) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		x, y, labels = append(x, ra0+4*r.Float64()), append(y, dec0+3*r.Float64()), append(labels, -1)
	}
	for c, k := range members {
		cx, cy := ra0+0.3+3.4*r.Float64(), dec0+0.3+2.4*r.Float64()
		for range k {
			x, y, labels = append(x, cx+0.1*r.NormFloat64()), append(y, cy+0.08*r.NormFloat64()), append(labels, int32(c))
		}
	}
	return x, y, labels
}

func skyMap(x, y []float64, labels []int32) ClusterMap {
	return ClusterMap{X: neighbors.Float64s(x), Y: neighbors.Float64s(y), Labels: labels, Sky: true, Style: small}
}

// sphere returns points all over the sky, labelled by a band and a cap.
func sphere(n int) (x, y []float64, labels []int32) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range n {
		ra, dec, label := 360*r.Float64(), math.Asin(2*r.Float64()-1)*180/math.Pi, int32(-1)
		switch {
		case i%3 == 0:
			dec, label = 4*r.NormFloat64(), 0
		case dec > 70:
			label = 1
		}
		x, y, labels = append(x, ra), append(y, max(-90, min(90, dec))), append(labels, label)
	}
	return x, y, labels
}

// cluster returns the panels of two open clusters in a field, times as many
// stars.
func cluster(times int) ClusterPanels {
	r := rand.New(rand.NewPCG(7, 8))
	var ra, dec, pmra, pmdec, colour, g []float64
	var labels []int32
	star := func(label int32, spread, pm, a, d, pa, pd, c, m float64) {
		ra, dec = append(ra, a+spread*r.NormFloat64()), append(dec, d+spread*r.NormFloat64())
		pmra, pmdec = append(pmra, pa+pm*r.NormFloat64()), append(pmdec, pd+pm*r.NormFloat64())
		colour, g = append(colour, c), append(g, m)
		labels = append(labels, label)
	}
	for range 100 * times {
		star(-1, 0.5, 4, 6.3, 61.3, 0, -1, 0.3+2*r.Float64(), 12+8*math.Sqrt(r.Float64()))
	}
	for c := range int32(2) {
		for range 30 * times {
			m := 12 + 7*math.Sqrt(r.Float64())
			star(c, 0.06, 0.15, 6.1+0.5*float64(c), 61.2+0.2*float64(c), -3+4*float64(c), -1-2*float64(c), 0.1+0.02*(m-11)*(m-11)+0.05*r.NormFloat64(), m)
		}
	}
	pm := Axis{"μ_{α} cos δ", "mas yr⁻¹"}
	of := neighbors.Float64s
	return ClusterPanels{Style: Style{DPI: 60}, Title: "Two clusters", Maps: []ClusterMap{
		{X: of(ra), Y: of(dec), Labels: labels, Sky: true},
		ClusterMap{X: of(pmra), Y: of(pmdec), Labels: labels, XAxis: pm, YAxis: Axis{"μ_{δ}", "mas yr⁻¹"}}.Focused(),
		ClusterMap{X: of(colour), Y: of(g), Labels: labels, XAxis: Axis{"BP − RP", "mag"}, YAxis: Axis{"G", "mag"}, FlipY: true}.Focused(),
	}}
}

func bins(edges ...float64) stats2b.Bins {
	b, err := stats2b.EdgeBins(edges...)
	if err != nil {
		panic(err)
	}
	return b
}

// figures are the kinds of figures there are.
var figures = []struct {
	name string
	make func() (*Figure, error)
}{
	{"map", func() (*Figure, error) {
		m := skyMap(field(358, 55, 400, 60, 40, 20))
		m.Title = "Field across RA 0"
		return m.Figure()
	}},
	{"confusion", func() (*Figure, error) {
		return ConfusionMatrix{
			Classes: []string{"CONFIRMED", "CANDIDATE", "FALSE POSITIVE"}, Outside: "(none)",
			Count: [][]int64{{1904, 251, 144, 0}, {290, 1402, 729, 3}, {61, 480, 4296, 4}}, Style: small,
		}.Figure()
	}},
	{"confusion_many", func() (*Figure, error) {
		m := ConfusionMatrix{Style: small, Title: "Forty classes"}
		for i := range 40 {
			m.Classes = append(m.Classes, fmt.Sprintf("class %d of many", i))
			m.Count = append(m.Count, make([]int64, 40))
			for j := range 40 {
				m.Count[i][j] = int64(1000 / (1 + (i-j)*(i-j)))
			}
		}
		return m.Figure()
	}},
	{"dendrogram", func() (*Figure, error) {
		return Dendrogram{
			Branches: []Branch{{40, 0}, {25, 0}, {1, -1}, {90, 1}, {3, -1}},
			Merges:   []BranchMerge{{0, 1, 0.5, 0}, {3, 4, 0.7, -1}, {2, 5, 1.5, -1}, {6, 7, 4, -1}}, Unit: "arcsec", Style: small,
		}.Figure()
	}},
	{"scores", func() (*Figure, error) {
		s := ScoreCurve{Name: "accuracy", Best: 7, Style: small}
		for k := 1; k <= 25; k++ {
			s.K, s.Score = append(s.K, k), append(s.Score, 0.98-0.0005*math.Abs(float64(k-7))-0.008/float64(k))
		}
		return s.Figure()
	}},
	{"curves", func() (*Figure, error) {
		return Curves{
			Curves: []Curve{{"GPU", []float64{.001, .002, .004}, []float64{.5, 1.7, 8}}, {"CPU", []float64{.001, .002, .004}, []float64{3, math.NaN(), 31}}},
			XAxis:  Axis{Name: "ε"}, YAxis: Axis{Name: "time", Unit: "s"}, Style: small,
		}.Figure()
	}},
	{"map_wide", func() (*Figure, error) {
		m := skyMap(field(120, -20, 400, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 11, 10, 9, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8))
		m.Style = Style{DPI: 60}
		return m.Figure()
	}},
	{"map_plane", func() (*Figure, error) {
		x, y, labels := field(-3, -2, 300, 50)
		return ClusterMap{
			X: neighbors.Float64s(x), Y: neighbors.Float64s(y), Labels: labels, Style: small,
			XAxis: Axis{"μ_{α} cos δ", "mas yr⁻¹"}, YAxis: Axis{"μ_{δ}", "mas yr⁻¹"},
		}.Figure()
	}},
	{"map_pole", func() (*Figure, error) {
		r := rand.New(rand.NewPCG(3, 4))
		var x, y []float64
		for range 300 {
			x, y = append(x, 360*r.Float64()), append(y, 3*math.Sqrt(r.Float64())-90)
		}
		return skyMap(x, y, nil).Figure()
	}},
	{"map_raster", func() (*Figure, error) { return skyMap(field(56, 22, 40000, 9000, 4000, 60)).Figure() }},
	{"map_mollweide", func() (*Figure, error) {
		m := skyMap(sphere(3000))
		m.Title, m.CentreRA = "The whole sky", 180
		return m.Figure()
	}},
	{"map_aitoff_raster", func() (*Figure, error) {
		m := skyMap(sphere(40000))
		m.Projection = ProjectionAitoff
		return m.Figure()
	}},
	{"map_serif", func() (*Figure, error) {
		m := skyMap(field(358, 55, 400, 60, 40, 20))
		m.Style.Serif = true
		return m.Figure()
	}},
	{"map_talk", func() (*Figure, error) {
		m := skyMap(field(358, 55, 400, 60, 40, 20))
		m.Style = Talk
		m.Style.DPI = 50
		return m.Figure()
	}},
	{"panels", func() (*Figure, error) { return cluster(3).Figure() }},
	{"panels_raster", func() (*Figure, error) { return cluster(300).Figure() }},
	{"map_empty", func() (*Figure, error) { return skyMap(nil, nil, nil).Figure() }},
	{"kdist", func() (*Figure, error) {
		var d []float64
		for i := range 500 {
			d = append(d, 0.3+float64(i)/5000, 3*math.Exp(-float64(i)/60)+0.4)
		}
		return KDistance{Distances: d, K: 4, Knee: 0.52, Unit: "arcmin", Style: small}.Figure()
	}},
	{"kdist_log", func() (*Figure, error) {
		d := []float64{0, 0, 0}
		for i := range 20000 {
			d = append(d, math.Exp(-float64(i)/2000))
		}
		return KDistance{Distances: d, K: 1, Plateau: 3e-4, Knee: 1e-3, Style: small}.Figure()
	}},
	{"epsilon_scan", func() (*Figure, error) {
		s := EpsilonScan{First: 8, Last: 14, Chosen: 12, MinPoints: 10, Unit: "arcmin", Style: small}
		for i := range 30 {
			x := float64(i) / 29
			s.Epsilon = append(s.Epsilon, math.Pow(10, 2*x))
			s.Clustered, s.Largest = append(s.Clustered, x*x), append(s.Largest, x*x*x)
			s.Stability, s.Clusters = append(s.Stability, 0.95-0.3*math.Abs(x-0.4)), append(s.Clusters, 40-i)
		}
		s.Stability[0], s.Stability[29] = math.NaN(), math.NaN()
		return s.Figure()
	}},
	{"histogram", func() (*Figure, error) {
		// Bins that span decades from 0, one of them without pairs.
		return Histogram{Bins: bins(0, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5), Values: []float64{325, 523, 0, 8791, 28139, 650026, 2513495}, Unit: "deg", Style: small}.Figure()
	}},
	{"histogram_linear", func() (*Figure, error) {
		return Histogram{Bins: bins(0, 1, 2, 3, 4), Values: []float64{0.5, 4, 7, math.NaN()}, Weighted: true, Style: small}.Figure()
	}},
	{"covariance", func() (*Figure, error) {
		c := make([][]float64, 5)
		for i := range c {
			for j := range c {
				c[i] = append(c[i], math.Pow(0.1, float64(i+j))*(1-0.4*math.Abs(float64(i-j))))
			}
		}
		b, err := stats2b.LogBins(0.1, 10, 5)
		if err != nil {
			return nil, err
		}
		h, err := CorrelationMatrix(c, b, Axis{"θ", "deg"})
		h.Style = small
		if err != nil {
			return nil, err
		}
		return h.Figure()
	}},
	{"plane", func() (*Figure, error) {
		h := HeatMap{X: bins(0.1, 1, 2, 5), Y: bins(0, 10, 20), Values: []float64{10, 1, 0.1, -0.01, -1, math.NaN()}, Compress: 0.1, Name: "ξ(rp, π)", Style: small}
		h.XAxis, h.YAxis = Axis{"rp", "Mpc/h"}, Axis{"π", "Mpc/h"}
		return h.Figure()
	}},
	{"ratio", func() (*Figure, error) {
		return Ratio{
			Points: Points{
				X: []float64{1, 10, 100}, Y: []float64{5, 0.5, -0.01}, Err: []float64{1, 0.1, 0.05}, LogX: true, LogY: true,
				XAxis: Axis{"r", "Mpc/h"}, YAxis: Axis{Name: "ξ(r)"}, Style: small,
			},
			Reference: []float64{4, 0.5, 0.02}, Name: "2015",
		}.Figure()
	}},
	{"points_symlog", func() (*Figure, error) {
		return Points{
			X: []float64{1, 3, 10, 30, 100}, Y: []float64{500, 20, 0.5, -0.02, -0.1}, Err: []float64{30, 4, 0.2, 0.03, 0.02}, LogX: true, SymLogY: true, Levels: []float64{0},
			XAxis: Axis{"r", "Mpc/h"}, YAxis: Axis{Name: "ξ(r)"}, Style: small,
		}.Figure()
	}},
	{"points_negative", func() (*Figure, error) {
		return Points{
			X: []float64{1, 10, 100}, Y: []float64{0.5, -0.2, 0.1}, Err: []float64{0.1, 0.3, 0.05}, LogX: true, LogY: true,
			XAxis: Axis{"r", "h⁻¹ Mpc"}, YAxis: Axis{Name: "ξ(r)"}, Style: small,
		}.Figure()
	}},
}

// TestGolden compares every kind of figure with the one that was looked at:
// the pixels of PNG, and the bytes of SVG where no raster is in it, since
// those of compressed data depend on the version of Go.
func TestGolden(t *testing.T) {
	if !exactRounding {
		t.Skip("golden figures are for machines without fused multiply-add")
	}
	for _, g := range figures {
		t.Run(g.name, func(t *testing.T) {
			f, err := g.make()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, g.name+".png", encode(t, f, "png"), func(a, b []byte) bool {
				return bytes.Equal(pixels(t, a).Pix, pixels(t, b).Pix)
			})
			if g.name == "map_pole" || g.name == "kdist" {
				golden(t, g.name+".svg", encode(t, f, "svg"), bytes.Equal)
			}
		})
	}
}

func golden(t *testing.T, name string, got []byte, equal func(a, b []byte) bool) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !equal(got, want) {
		failed := filepath.Join(t.ArtifactDir(), name)
		if err := os.WriteFile(failed, got, 0o666); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s differs from testdata; it is kept as %s with -artifacts. If it is right, run go test -update", name, failed)
	}
}

func encode(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Encode(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pixels decodes a PNG.
func pixels(t *testing.T, data []byte) *image.RGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	rgba := image.NewRGBA(img.Bounds())
	for y := range rgba.Rect.Dy() {
		for x := range rgba.Rect.Dx() {
			rgba.Set(x, y, img.At(x, y))
		}
	}
	return rgba
}
