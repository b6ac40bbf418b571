package figure

import (
	"bytes"
	"errors"
	"image"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
)

func renderPoints(t *testing.T, f Points) (*image.RGBA, *panel) {
	t.Helper()
	f.Style = small
	p, err := f.panel()
	if err != nil {
		t.Fatal(err)
	}
	return pixels(t, encode(t, p.figure(), "png")), p
}

// pixelOf returns where a value of the axes is in an image.
func pixelOf(img *image.RGBA, p *panel, x, y float64) image.Point {
	scale := float64(img.Rect.Dx()) / float64(p.width)
	size := p.data.Size()
	u := p.data.Min.X + size.X*vg.Length(p.x.scale.normalize(p.x.lo, p.x.hi, x))
	v := p.data.Min.Y + size.Y*vg.Length(p.y.scale.normalize(p.y.lo, p.y.hi, y))
	return image.Pt(int(float64(u)*scale), img.Rect.Dy()-1-int(float64(v)*scale))
}

// Counts 0, 1, 10 on a logarithmic axis: the empty bin is not drawn.
func TestLogAxisWithEmptyBin(t *testing.T) {
	img, p := renderPoints(t, Points{X: []float64{0, 1, 2}, Y: []float64{0, 1, 10}, LogY: true})
	if !(p.y.lo > 0 && p.y.lo < 1 && p.y.hi > 10) {
		t.Errorf("axis from %v to %v, want positive and around 1 … 10", p.y.lo, p.y.hi)
	}
	for x, y := range map[float64]float64{1: 1, 2: 10} {
		at := pixelOf(img, p, x, y)
		if !near(img.At(at.X, at.Y), palette[0], 60) {
			t.Errorf("no symbol at (%v, %v)", x, y)
		}
	}
	at := pixelOf(img, p, 0, 1)
	for y := 0; y < img.Rect.Dy(); y++ {
		if near(img.At(at.X, y), palette[0], 60) {
			t.Errorf("the empty bin is drawn, at pixel %d, %d", at.X, y)
		}
	}
}

func TestLogAxisOfOneValue(t *testing.T) {
	_, p := renderPoints(t, Points{X: []float64{3}, Y: []float64{1}, LogY: true, LogX: true})
	if p.y.lo != 0.1 || p.y.hi != 10 {
		t.Errorf("axis of y = 1 from %v to %v, want 0.1 to 10", p.y.lo, p.y.hi)
	}
	if got := labels(p.yTicks); got != "0.1 1 10" {
		t.Errorf("labels %s, want 0.1 1 10", got)
	}
}

// A negative value is an open symbol at |y|, named in the legend, and its error
// bar, which goes through 0, ends at the axis.
func TestLogAxisWithNegativeValue(t *testing.T) {
	img, p := renderPoints(t, Points{X: []float64{1, 2, 3}, Y: []float64{0.5, -0.2, 0.1}, Err: []float64{0.1, 0.3, 0.05}, LogY: true})
	for x, y := range map[float64]float64{1: 0.5, 3: 0.1} {
		at := pixelOf(img, p, x, y)
		if !near(img.At(at.X, at.Y), palette[0], 60) {
			t.Errorf("no filled symbol at (%v, %v)", x, y)
		}
	}
	at := pixelOf(img, p, 2, 0.2)
	if !near(img.At(at.X, at.Y), paper, 60) {
		t.Errorf("the symbol of −0.2 is not open: %v in its middle", img.At(at.X, at.Y))
	}
	if !near(img.At(at.X, at.Y+6), palette[0], 90) || !near(img.At(at.X, at.Y-6), palette[0], 90) {
		t.Error("no error bar above and below the symbol of −0.2")
	}
	bottom := dataRect(img, p).Max.Y
	for y := bottom + 3; y < bottom+12; y++ {
		if near(img.At(at.X, y), palette[0], 60) {
			t.Errorf("the error bar goes on below the axis, at pixel %d, %d", at.X, y)
		}
	}
	if n := len(p.legend.tail); n != 2 || p.legend.tail[1].label != "negative, drawn at |y|" {
		t.Errorf("legend %v, want what open symbols are", p.legend.tail)
	}
	_, p = renderPoints(t, Points{X: []float64{1}, Y: []float64{2}, LogY: true})
	if !p.legend.empty() {
		t.Error("a legend although nothing is negative")
	}
}

func TestLogScaleNeverPanics(t *testing.T) {
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		if got := (logScale{}).normalize(0.1, 10, v); got != 0 {
			t.Errorf("%v lies at %v of the axis, want its lower end", v, got)
		}
	}
	if got := (logScale{}).normalize(0.1, 10, 1); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("1 lies at %v of 0.1 … 10, want the middle", got)
	}
}

func TestLogRange(t *testing.T) {
	for _, values := range [][]float64{nil, {0}, {-1, 0, math.NaN()}, {5e-324}, {math.MaxFloat64}, {5e-324, math.MaxFloat64}, {math.Inf(1)}, {1, 1}, {1, 1 + 1e-15}} {
		lo, hi := logRange(values...)
		if !(lo > 0) || !(hi > lo) || math.IsInf(hi, 1) {
			t.Errorf("%v: range %v … %v", values, lo, hi)
		}
	}
}

func TestDegeneratePoints(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, y := range [][]float64{nil, {0, 0, 0}, {nan, nan, nan}, {-1, -2, -3}, {inf, -inf, 0}, {1e300, -1e300, 5e-324}, {1, nan, 2}} {
		for _, x := range [][]float64{{1, 2, 3}, {0, 0, 0}, {-1, nan, inf}} {
			for _, e := range [][]float64{nil, {1, 1, 1}, {nan, inf, -3}, {1e300, 1e300, 1e300}} {
				for _, log := range []bool{false, true} {
					x, e := x[:len(y)], e[:min(len(e), len(y))]
					if len(e) == 0 {
						e = nil
					}
					f, err := Points{X: x, Y: y, Err: e, LogX: log, LogY: log}.Figure()
					if err != nil {
						t.Fatal(err)
					}
					if b := encode(t, f, "svg"); bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Inf")) {
						t.Errorf("x %v, y %v, errors %v, log %v: SVG has coordinates that are no numbers", x, y, e, log)
					}
				}
			}
		}
	}
	if _, err := (Points{X: []float64{1}}).Figure(); !errors.Is(err, ErrRequest) {
		t.Errorf("1 x and no y: error %v, want ErrRequest", err)
	}
}

// On an axis that is logarithmic on both sides of 0 values keep their order and
// their sign, and the smallest error says where it is linear.
func TestSymLog(t *testing.T) {
	y := []float64{100, 10, 0.1, 0, -0.1, -10}
	f := Points{X: []float64{1, 2, 3, 4, 5, 6}, Y: y, Err: []float64{1, 0.5, 0.03, 0.02, 0.02, 0.5}, SymLogY: true, Style: small}
	p, err := f.panel()
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := p.y.scale.(asinhScale); !ok || s.unit != 0.01 {
		t.Errorf("the scale is %+v, want one that is linear up to 0.01", p.y.scale)
	}
	last := math.Inf(1)
	for _, v := range y {
		at := p.y.norm(v)
		if at < 0 || at > 1 || at >= last {
			t.Errorf("%v lies at %v, the one before at %v", v, at, last)
		}
		last = at
	}
	labels := map[string]bool{}
	for _, tick := range p.yTicks {
		labels[tick.label] = true
	}
	if !labels["0"] || p.legend.total > 0 || len(p.legend.tail) > 0 {
		t.Errorf("ticks %v, legend %+v", p.yTicks, p.legend)
	}
}
