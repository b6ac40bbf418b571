package figure

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"skyjoin/neighbors"
)

// twoClusters is n points: cluster 0, the larger, at (12, 1), cluster 1 at
// (10, 3), within 0.3 degrees.
func twoClusters(n int) ClusterMap {
	var x, y []float64
	var labels []int32
	for i := range n {
		sin, cos := math.Sincos(float64(i))
		r := 0.3 * math.Sqrt(float64(i%97)/97)
		if i%5 < 3 {
			x, y, labels = append(x, 12+r*cos), append(y, 1+r*sin), append(labels, 0)
		} else {
			x, y, labels = append(x, 10+r*cos), append(y, 3+r*sin), append(labels, 1)
		}
	}
	return skyMap(x, y, labels)
}

func render(t *testing.T, m ClusterMap) (*image.RGBA, *panel) {
	t.Helper()
	p, err := m.panel()
	if err != nil {
		t.Fatal(err)
	}
	return pixels(t, encode(t, p.figure(), "png")), p
}

type place struct{ x, y float64 }

// dataRect is the inside of the axes in pixels, the frame and ticks left out.
func dataRect(img *image.RGBA, p *panel) image.Rectangle {
	scale := float64(img.Rect.Dx()) / float64(p.width)
	px := func(l vg.Length) int { return int(math.Round(float64(l) * scale)) }
	return image.Rect(px(p.data.Min.X), img.Rect.Dy()-px(p.data.Max.Y), px(p.data.Max.X), img.Rect.Dy()-px(p.data.Min.Y)).Inset(1)
}

// centre returns the mean position of the pixels of a colour inside the axes.
func centre(t *testing.T, img *image.RGBA, p *panel, c color.Color) place {
	t.Helper()
	var sum place
	n := 0.
	r := dataRect(img, p)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if near(img.At(x, y), c, 40) {
				sum.x, sum.y, n = sum.x+float64(x)+0.5, sum.y+float64(y)+0.5, n+1
			}
		}
	}
	if n == 0 {
		t.Fatalf("no pixel of colour %v", c)
	}
	return place{sum.x / n, sum.y / n}
}

func TestRAIncreasesToTheLeft(t *testing.T) {
	for _, n := range []int{500, 30000} {
		img, p := render(t, twoClusters(n))
		at12, at10 := centre(t, img, p, palette[0]), centre(t, img, p, palette[1])
		if !(at12.x < at10.x) {
			t.Errorf("%d points: RA 12 at x = %v, RA 10 at %v, want the larger RA to the left", n, at12.x, at10.x)
		}
		if !(at12.y > at10.y) {
			t.Errorf("%d points: Dec 1 at y = %v from the top, Dec 3 at %v, want the larger Dec above", n, at12.y, at10.y)
		}
	}
	m := twoClusters(500)
	m.Sky = false
	img, p := render(t, m)
	if at12, at10 := centre(t, img, p, palette[0]), centre(t, img, p, palette[1]); !(at12.x > at10.x) {
		t.Errorf("plain axes: x = 12 is at %v, x = 10 at %v, want the larger x to the right", at12.x, at10.x)
	}
}

// A raster and markers put the same points in the same place.
func TestRasterAgreesWithMarkers(t *testing.T) {
	few, p0 := render(t, twoClusters(20000))
	many, p1 := render(t, twoClusters(20005))
	if p0.data.Min.Y != p1.data.Min.Y || p0.data.Max.Y != p1.data.Max.Y {
		t.Fatalf("axes differ: %v, %v", p0.data, p1.data)
	}
	for _, c := range palette[:2] {
		a, b := centre(t, few, p0, c), centre(t, many, p1, c)
		if math.Abs(a.x-b.x) > 1.5 || math.Abs(a.y-b.y) > 1.5 {
			t.Errorf("colour %v: markers at %v, raster at %v", c, a, b)
		}
	}
}

func TestEqualAspect(t *testing.T) {
	// Four stars 1° north, south, east and west of Dec 60.
	east := 1 / math.Cos(60*degree)
	for _, ra := range []float64{100, 0.5, -180, 719} {
		m := skyMap([]float64{ra, ra, ra + east, ra - east}, []float64{61, 59, 60, 60}, []int32{0, 1, 2, 3})
		img, p := render(t, m)
		north, south := centre(t, img, p, palette[0]), centre(t, img, p, palette[1])
		left, right := centre(t, img, p, palette[2]), centre(t, img, p, palette[3])
		height, width := south.y-north.y, right.x-left.x
		if width < 50 || math.Abs(height-width) > 1.5 {
			t.Errorf("RA %v: 2° are %v pixels along Dec and %v along RA, want the same", ra, height, width)
		}
	}
}

// The same field anywhere in RA, across 0 too, is drawn the same.
func TestWrapIsContiguous(t *testing.T) {
	var want []byte
	for _, ra := range []float64{40, -2, 358, 718.5} {
		x, y, labels := field(0, 20, 100, 50, 30)
		for i := range x {
			x[i] = math.Mod(math.Round(x[i]*1024)/1024+ra, 360) // exact, so that pixels can be compared
		}
		img, p := render(t, skyMap(x, y, labels))
		r := dataRect(img, p).Inset(6) // without ticks, which are elsewhere
		got := image.NewRGBA(r)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			copy(got.Pix[got.PixOffset(r.Min.X, y):], img.Pix[img.PixOffset(r.Min.X, y):img.PixOffset(r.Max.X, y)])
		}
		if want == nil {
			want = got.Pix
			continue
		}
		differ := 0
		for i := range want {
			if max(want[i], got.Pix[i])-min(want[i], got.Pix[i]) > 16 {
				differ++
			}
		}
		if len(got.Pix) != len(want) || differ > 0 {
			t.Errorf("field at RA %v differs in %d of %d bytes from the one at RA 40", ra, differ, len(want))
		}
		for _, tick := range p.xTicks {
			if tick.label == "360" || strings.HasPrefix(tick.label, "−") {
				t.Errorf("field at RA %v has the tick label %s, want [0, 360)", ra, tick.label)
			}
		}
	}
}

func TestNoiseIsBelow(t *testing.T) {
	for _, n := range []int{1, 30000} { // markers, raster
		var x, y []float64
		var labels []int32
		for range n { // noise and a cluster of the same size in the same place, noise last
			x, y, labels = append(x, 5, 5), append(y, 5, 5), append(labels, 0, -1)
		}
		m := skyMap(append(x, 4, 6), append(y, 4, 6), append(labels, -1, -1))
		img, p := render(t, m)
		got := centre(t, img, p, palette[0])
		if c := img.At(int(got.x), int(got.y)); near(c, noiseGrey, 20) || near(c, paper, 20) && n == 1 {
			t.Errorf("%d points each: colour %v at the cluster, want its own above the noise", n, c)
		}
	}
}

func TestFortyClustersAreDistinct(t *testing.T) {
	type look struct {
		color color.NRGBA
		shape string
	}
	seen := map[look]int{}
	for rank := range len(shapes) * len(palette) {
		m := sheet{palette: palette}.markerOf(rank)
		var p vg.Path
		m.shape(&p, vg.Point{}, 1)
		var shape strings.Builder
		for _, c := range p {
			shape.WriteString(strings.TrimSpace(number(float64(c.Pos.X)) + "," + number(float64(c.Pos.Y)) + " "))
		}
		l := look{m.color, shape.String()}
		if before, ok := seen[l]; ok {
			t.Errorf("clusters %d and %d look the same", before, rank)
		}
		seen[l] = rank
	}
	if len(seen) < 40 {
		t.Errorf("%d distinct markers, want at least 40", len(seen))
	}
}

func TestLegend(t *testing.T) {
	var x, y []float64
	var labels []int32
	for c := range 40 {
		for i := range c + 1 { // the last cluster is the largest
			x, y, labels = append(x, float64(c)), append(y, float64(i)), append(labels, int32(c))
		}
	}
	x, y, labels = append(x, math.NaN(), 3), append(y, 1, 3), append(labels, 7, -5)
	p, err := skyMap(x, y, labels).panel()
	if err != nil {
		t.Fatal(err)
	}
	lines := p.legend.cut(6)
	var got []string
	for _, l := range lines {
		got = append(got, l.label)
	}
	want := "39 (40) | 38 (39) | 37 (38) | 36 (37) | +36 more | noise (1)"
	if s := strings.Join(got, " | "); s != want {
		t.Errorf("legend %s, want %s", s, want)
	}
	// Nothing is left out where there is room, and nothing is said of it.
	if lines := p.legend.cut(41); len(lines) != 41 || lines[39].label != "0 (1)" {
		t.Errorf("legend of %d lines that ends in %v, want 41 with every cluster", len(lines), lines[len(lines)-2].label)
	}
}

// The legend never covers data.
func TestLegendIsOutside(t *testing.T) {
	for _, width := range []float64{SingleColumn, DoubleColumn} {
		m := twoClusters(500)
		m.Style = Style{Width: width, DPI: 100}
		p, err := m.panel()
		if err != nil {
			t.Fatal(err)
		}
		if p.legend.columns > 0 {
			if p.data.Min.Y < 4*p.small {
				t.Errorf("width %v: axes begin %v above the edge, which leaves no room for the legend", width, p.data.Min.Y)
			}
		} else if p.data.Max.X+p.legend.width > p.width {
			t.Errorf("width %v: axes end at %v, the legend of %v does not fit into %v", width, p.data.Max.X, p.legend.width, p.width)
		}
	}
}

func TestSkyViews(t *testing.T) {
	grid := func(ra0, ra1, dec0, dec1 float64) (x, y []float64) {
		for i := range 40 {
			for j := range 10 {
				x, y = append(x, ra0+(ra1-ra0)*float64(i)/39), append(y, dec0+(dec1-dec0)*float64(j)/9)
			}
		}
		return x, y
	}
	for _, c := range []struct {
		name                 string
		ra0, ra1, dec0, dec1 float64
		x                    string // beginning of the label
		lo, hi               float64
	}{
		{"field", 10, 12, -1, 1, "RA", -12.2, -9.8},
		{"whole sky", 0, 359, -90, 90, "", -2, 2},
		{"north pole", 0, 359, 87, 90, "ξ, east of RA", -5, 5},
		{"south pole", 0, 359, -90, -86, "ξ, east of RA", -5, 5},
		{"beside the pole", 30, 40, 86, 87, "ξ, east of RA 35.000°", -1, 1},
		{"half the sky to the pole", 0, 359, 0, 90, "RA", -360, 0},
		{"band around the sky", 0, 359, -20, 20, "RA", -360, 0},
		{"stripe", 300, 420, -1, 1, "RA", -66, 66},
	} {
		x, y := grid(c.ra0, c.ra1, c.dec0, c.dec1)
		p, err := skyMap(x, y, nil).panel()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(p.xLabel, c.x) {
			t.Errorf("%s: x axis %q, want %s…", c.name, p.xLabel, c.x)
		}
		if p.x.lo < c.lo || p.x.hi > c.hi {
			t.Errorf("%s: x axis from %v to %v, want within %v and %v", c.name, p.x.lo, p.x.hi, c.lo, c.hi)
		}
		if ratio := float64(p.data.Size().Y / p.data.Size().X); ratio < flattest-0.02 || ratio > tallest+0.02 {
			t.Errorf("%s: height over width %v", c.name, ratio)
		}
	}
}

// Positions on a tangent plane are right: the pole is where it must be.
func TestTangentPlane(t *testing.T) {
	v := tangentView(column(0, 180), column(88, 88), 0, 89)
	for _, c := range []struct{ ra, dec, xi, eta float64 }{
		{0, 89, 0, 0},
		{123, 90, 0, math.Tan(1*degree) / degree},
		{0, 88, 0, -math.Tan(1*degree) / degree},
		{180, 89, 0, math.Tan(2*degree) / degree},
	} {
		u, w := v.project(c.ra, c.dec)
		if math.Abs(u+c.xi) > 1e-12 || math.Abs(w-c.eta) > 1e-12 {
			t.Errorf("(%v, %v) at ξ = %v, η = %v, want %v, %v", c.ra, c.dec, -u, w, c.xi, c.eta)
		}
	}
	if u, _ := v.project(90, 89.5); u >= 0 {
		t.Errorf("a star to the east is drawn at u = %v, want to the left", u)
	}
}

func TestDegenerateMaps(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	many := make([]float64, 30000)
	for _, c := range []struct {
		name string
		x, y []float64
	}{
		{"no points", nil, nil},
		{"one point", []float64{10}, []float64{20}},
		{"the same point", []float64{7, 7, 7}, []float64{-3, -3, -3}},
		{"the same point, many times", many, many},
		{"at zero", []float64{0}, []float64{0}},
		{"NaN", []float64{nan, 1, nan}, []float64{1, nan, nan}},
		{"NaN among points", []float64{nan, 1, 2}, []float64{1, 3, 4}},
		{"infinite", []float64{inf, -inf, 1}, []float64{0, 0, inf}},
		{"outlier", []float64{1, 2, 1e15}, []float64{1, 2, 3}},
		{"largest", []float64{-math.MaxFloat64, math.MaxFloat64, 1e300}, []float64{1, 2, -1e300}},
		{"smallest", []float64{5e-324, 0}, []float64{5e-324, 1e-310}},
		{"adjacent", []float64{1e9, math.Nextafter(1e9, 2e9)}, []float64{1, math.Nextafter(1, 2)}},
		{"on a line", []float64{1, 2, 3}, []float64{5, 5, 5}},
		{"on a meridian", []float64{5, 5, 5}, []float64{-90, 0, 90}},
		{"poles", []float64{0, 0}, []float64{90, -90}},
		{"pole", []float64{0, 99}, []float64{90, 90}},
		{"opposite", []float64{0, 180}, []float64{0, 0}},
		{"beyond the poles", []float64{0, 1}, []float64{91, -1e9}},
		{"around", []float64{0, 90, 180, 270, -1e-20, 360}, []float64{0, 1, 2, 3, 4, 5}},
		{"high declination", []float64{0, 120, 240}, []float64{84.9, 84, 84.5}},
	} {
		for _, sky := range []bool{false, true} {
			for _, labels := range [][]int32{nil, make([]int32, len(c.x))} {
				m := ClusterMap{X: neighbors.Float64s(c.x), Y: neighbors.Float64s(c.y), Labels: labels, Sky: sky, Style: small}
				f, err := m.Figure()
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				svg := encode(t, f, "svg")
				if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
					t.Errorf("%s, sky %v: SVG has coordinates that are no numbers", c.name, sky)
				}
				if w, h := f.Size(); math.Abs(w-84) > 0.1 || !(h > 10 && h < 200) {
					t.Errorf("%s, sky %v: size %v × %v mm", c.name, sky, w, h)
				}
				encode(t, f, "png")
				encode(t, f, "pdf")
			}
		}
	}
}

func TestFloat32Columns(t *testing.T) {
	x, y, labels := field(10, 10, 50, 20)
	x32, y32 := make([]float32, len(x)), make([]float32, len(y))
	for i := range x {
		x32[i], y32[i] = float32(x[i]), float32(y[i])
		x[i], y[i] = float64(x32[i]), float64(y32[i])
	}
	a, err := skyMap(x, y, labels).Figure()
	if err != nil {
		t.Fatal(err)
	}
	b, err := ClusterMap{X: neighbors.Float32s(x32), Y: neighbors.Float32s(y32), Labels: labels, Sky: true, Style: small}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, a, "svg"), encode(t, b, "svg")) {
		t.Error("float32 columns are drawn unlike their values as float64")
	}
}

func TestMapOfUnequalColumns(t *testing.T) {
	for _, m := range []ClusterMap{
		{X: column(1, 2), Y: column(1)},
		{X: column(1, 2), Y: column(1, 2), Labels: []int32{0}},
	} {
		if _, err := m.Figure(); !errors.Is(err, ErrRequest) {
			t.Errorf("%d x, %d y, %d labels: error %v, want ErrRequest", m.X.Len(), m.Y.Len(), len(m.Labels), err)
		}
	}
}

// Long and strange names are cut to the size of the axes.
func TestLongNames(t *testing.T) {
	m := ClusterMap{
		X: column(1, 2), Y: column(1, 2), Style: small, Title: strings.Repeat("title\n", 100),
		XAxis: Axis{strings.Repeat("x", 500), "m"}, YAxis: Axis{"bad \xff bytes\tand 中文", strings.Repeat("y", 500)},
	}
	p, err := m.panel()
	if err != nil {
		t.Fatal(err)
	}
	if w := p.textWidth(p.xLabel, p.label); w > p.width {
		t.Errorf("label of x is %v wide on a figure of %v", w, p.width)
	}
	if w := p.textWidth(p.yLabel, p.label); w > p.height {
		t.Errorf("label of y is %v long on a figure of height %v", w, p.height)
	}
	encode(t, p.figure(), "png")
}

// imageCounter is a canvas that counts images.
type imageCounter struct {
	reader
	images int
}

func (c *imageCounter) DrawImage(vg.Rectangle, image.Image) { c.images++ }

// Noise is drawn as density where its dots would run together, however few rows there
// are, and as dots where there is room for them.
func TestNoiseIsNoSlab(t *testing.T) {
	x, y, labels := field(10, 10, 8000, 200)
	for width, want := range map[float64]int{60: 1, 300: 0} {
		m := skyMap(x, y, labels)
		m.Style = Style{Width: width}
		f, err := m.Figure()
		if err != nil {
			t.Fatal(err)
		}
		c := &imageCounter{reader: reader{typeface: sans}}
		f.draw(draw.NewCanvas(c, f.width, f.height))
		if c.images != want {
			t.Errorf("%v mm: %d images, want %d", width, c.images, want)
		}
	}
}
