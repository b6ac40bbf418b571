package figure

import (
	"bytes"
	"flag"
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
	{"map_wide", func() (*Figure, error) {
		m := skyMap(field(120, -20, 400, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 11, 10, 9, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8))
		m.Style = Style{DPI: 60}
		return m.Figure()
	}},
	{"map_plane", func() (*Figure, error) {
		x, y, labels := field(-3, -2, 300, 50)
		return ClusterMap{
			X: neighbors.Float64s(x), Y: neighbors.Float64s(y), Labels: labels, Style: small,
			XAxis: Axis{"μ_α cos δ", "mas yr⁻¹"}, YAxis: Axis{"μ_δ", "mas yr⁻¹"},
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
		return KDistance{Distances: d, K: 1, Knee: 1e-3, Style: small}.Figure()
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
