package figure

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

// A written text, and the box of its letters.
type written struct {
	text string
	box  vg.Rectangle
}

// A reader is a canvas that keeps the texts and the frames only.
type reader struct {
	*typeface
	texts  []written
	frames []vg.Rectangle
	at     placed
	saved  []placed
}

// placed is where the origin of the canvas is, and whether it is turned to read
// upwards.
type placed struct {
	origin vg.Point
	up     bool
}

func (r *reader) SetLineWidth(vg.Length)                       {}
func (r *reader) SetLineDash([]vg.Length, vg.Length)           {}
func (r *reader) SetColor(color.Color)                         {}
func (r *reader) Scale(float64, float64)                       { panic("figures are not scaled") }
func (r *reader) Fill(vg.Path)                                 {}
func (r *reader) DrawImage(rect vg.Rectangle, img image.Image) {}
func (r *reader) Push()                                        { r.saved = append(r.saved, r.at) }
func (r *reader) Pop()                                         { r.at, r.saved = r.saved[len(r.saved)-1], r.saved[:len(r.saved)-1] }
func (r *reader) Translate(pt vg.Point)                        { r.at.origin = r.at.origin.Add(pt) }
func (r *reader) Rotate(rad float64)                           { r.at.up = rad == math.Pi/2 }
func (r *reader) FillString(f font.Face, pt vg.Point, s string) {
	size := vg.Point{X: r.textWidth(s, f.Font.Size), Y: f.Font.Size * r.capHeight}
	if r.at.up {
		pt, size = vg.Point{X: -pt.Y - size.Y, Y: pt.X}, vg.Point{X: size.Y, Y: size.X}
	}
	pt = pt.Add(r.at.origin)
	r.texts = append(r.texts, written{s, vg.Rectangle{Min: pt, Max: pt.Add(size)}})
}

// Stroke keeps a path that ends in a box.
func (r *reader) Stroke(path vg.Path) {
	if n := len(path); n > 4 && path[n-5].Type == vg.MoveComp && path[n-1].Type == vg.CloseComp {
		r.frames = append(r.frames, vg.Rectangle{Min: path[n-5].Pos.Add(r.at.origin), Max: path[n-3].Pos.Add(r.at.origin)})
	}
}

// overlap reports whether two boxes have more in common than an edge.
func overlap(a, b vg.Rectangle) bool {
	const edge = 1e-6
	return min(a.Max.X, b.Max.X)-max(a.Min.X, b.Min.X) > edge && min(a.Max.Y, b.Max.Y)-max(a.Min.Y, b.Min.Y) > edge
}

// inside reports whether a box is in another.
func inside(a, b vg.Rectangle) bool {
	return a.Min.X >= b.Min.X && a.Max.X <= b.Max.X && a.Min.Y >= b.Min.Y && a.Max.Y <= b.Max.Y
}

// kinds are all kinds of figures, in any style.
var kinds = []struct {
	name string
	make func(s Style) (*Figure, error)
}{
	{"field", func(s Style) (*Figure, error) { return withStyle(skyMap(field(358, 55, 400, 60, 40, 20)), s).Figure() }},
	{"whole sky", func(s Style) (*Figure, error) { return withStyle(skyMap(sphere(300)), s).Figure() }},
	{"whole sky about 123.4", func(s Style) (*Figure, error) {
		m := withStyle(skyMap(sphere(300)), s)
		m.CentreRA, m.Projection, m.Title = 123.4, ProjectionAitoff, "Another projection"
		return m.Figure()
	}},
	{"band", func(s Style) (*Figure, error) {
		return withStyle(skyMap([]float64{0, 90, 180, 270, 359}, []float64{-20, 20, 0, 1, 2}, nil), s).Figure()
	}},
	{"pole", func(s Style) (*Figure, error) {
		return withStyle(skyMap([]float64{0, 90, 180, 270}, []float64{89, 88, 87.5, 89}, nil), s).Figure()
	}},
	{"tiny field", func(s Style) (*Figure, error) {
		return withStyle(skyMap([]float64{210.123456, 210.123457}, []float64{-33.333333, -33.333332}, nil), s).Figure()
	}},
	{"plane", func(s Style) (*Figure, error) {
		return ClusterMap{X: column(1e9, 1e9+1), Y: column(-1e-5, 2e-5), XAxis: Axis{"a column of a long name indeed", "km s⁻¹"}, YAxis: Axis{"another one, no shorter than that", "erg s⁻¹"}, Style: s}.Figure()
	}},
	{"panels", func(s Style) (*Figure, error) { return panelsOf(skyMap(field(358, 55, 400, 60, 40, 20)), s) }},
	{"panels of the sky", func(s Style) (*Figure, error) { return panelsOf(skyMap(sphere(300)), s) }},
	{"panels with members outside", func(s Style) (*Figure, error) {
		m := giants(9, -999, math.NaN())
		return ClusterPanels{Style: s, Title: "Panels", Maps: []ClusterMap{m, m, m}}.Figure()
	}},
	{"map with members outside", func(s Style) (*Figure, error) {
		m := withStyle(giants(9, -999, math.NaN()), s)
		m.Title = "Map"
		return m.Figure()
	}},
	{"k-distance", func(s Style) (*Figure, error) {
		return KDistance{Distances: []float64{0.30001, 0.30002, 0.30004, 3}, K: 4, Knee: 0.52, Unit: "arcmin", Style: s}.Figure()
	}},
	{"k-distance of decades", func(s Style) (*Figure, error) {
		return KDistance{Distances: []float64{1e-9, 1e-4, 1, 1e9}, K: 4, Knee: 1e-3, Style: s}.Figure()
	}},
	{"k-distance with an elbow in a corner", func(s Style) (*Figure, error) {
		k := KDistance{K: 9, Plateau: 712.5, Knee: 1955, Elbow: 255.5, Unit: "arcsec", Style: s}
		for i := range 4215 {
			k.Distances = append(k.Distances, 6000*math.Exp(-float64(i)/200)+1700*(1-float64(i)/4215)+50)
		}
		return k.Figure()
	}},
	{"scan", func(s Style) (*Figure, error) { return scanOf(s, false).Figure() }},
	{"scan without room", func(s Style) (*Figure, error) { return scanOf(s, true).Figure() }},
	{"histogram", func(s Style) (*Figure, error) {
		return Histogram{Bins: bins(0, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5), Values: []float64{325, 523, 0, 8791, 28139, 650026, 2513495}, Unit: "deg", Style: s}.Figure()
	}},
	{"ratio", func(s Style) (*Figure, error) {
		return Ratio{
			Points:    Points{X: []float64{1, 10, 100}, Y: []float64{5, 0.5, -0.01}, Err: []float64{1, 0.1, 0.05}, LogX: true, LogY: true, XAxis: Axis{"r", "Mpc/h"}, YAxis: Axis{Name: "ξ(r)"}, Style: s},
			Reference: []float64{4, 0.5, 0.02}, Name: "2015",
		}.Figure()
	}},
	{"symlog", func(s Style) (*Figure, error) {
		return Points{X: []float64{1, 10, 100}, Y: []float64{5000, 0.01, -3}, LogX: true, SymLogY: true, XAxis: Axis{"r", "Mpc/h"}, YAxis: Axis{Name: "ξ(r)"}, Style: s}.Figure()
	}},
	{"covariance", func(s Style) (*Figure, error) {
		h, err := CorrelationMatrix([][]float64{{1, 0.5}, {0.5, 2}}, mustBins(stats2b.LogBins(0.001, 0.1, 2)), Axis{"θ", "deg"})
		if err != nil {
			return nil, err
		}
		h.Style = s
		return h.Figure()
	}},
	{"confusion", func(s Style) (*Figure, error) {
		return ConfusionMatrix{Classes: []string{"CONFIRMED", "CANDIDATE", "FALSE POSITIVE"}, Outside: "(none)",
			Count: [][]int64{{1904, 251, 144, 0}, {290, 1402, 729, 3}, {61, 480, 4296, 4}}, Style: s}.Figure()
	}},
	{"confusion of many", func(s Style) (*Figure, error) {
		m := ConfusionMatrix{Style: s}
		for i := range 40 {
			m.Classes, m.Count = append(m.Classes, fmt.Sprintf("class %d of many", i)), append(m.Count, make([]int64, 40))
		}
		return m.Figure()
	}},
	{"scores", func(s Style) (*Figure, error) {
		return ScoreCurve{Name: "accuracy", Best: 7, K: []int{1, 7, 25}, Score: []float64{0.98, 0.9801, 0.97999}, Style: s}.Figure()
	}},
	{"scores, the last the best", func(s Style) (*Figure, error) {
		return ScoreCurve{Name: "accuracy", Best: 15, K: []int{1, 8, 15}, Score: []float64{0.5754, 0.61, 0.6378}, Style: s}.Figure()
	}},
	{"timeline", func(s Style) (*Figure, error) {
		return Timeline{Bars: []Bar{{0, "CPU", 0, 12345.6}, {31, "GPU 0", 3, 7000}}, Style: s}.Figure()
	}},
}

func withStyle(m ClusterMap, s Style) ClusterMap {
	m.Style = s
	return m
}

func mustBins(b stats2b.Bins, err error) stats2b.Bins {
	if err != nil {
		panic(err)
	}
	return b
}

// scanOf is a scan whose stability goes up and down, to fill the axes or not.
func scanOf(s Style, filled bool) EpsilonScan {
	const n = 60
	scan := EpsilonScan{First: 20, Last: 40, Chosen: 30, MinPoints: 10, Unit: "arcsec", Style: s}
	for i := range n {
		stability := 0.9 + 0.1*float64(i%2)
		if filled {
			stability = 1.1 * float64(i%2)
		}
		scan.Epsilon, scan.Stability = append(scan.Epsilon, math.Exp(float64(i)/n)), append(scan.Stability, stability)
		scan.Clustered, scan.Largest = append(scan.Clustered, float64(i)/n), append(scan.Largest, float64(i)/n/2)
		scan.Clusters = append(scan.Clusters, i)
	}
	return scan
}

// panelsOf adds proper motions and colours to a map.
func panelsOf(m ClusterMap, s Style) (*Figure, error) {
	n := m.X.Len()
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = -3.5+7*float64(i)/float64(n), 10+float64(i%13)
	}
	return ClusterPanels{Style: s, Title: "Panels", Maps: []ClusterMap{
		m,
		{X: neighbors.Float64s(x), Y: neighbors.Float64s(x), Labels: m.Labels, XAxis: Axis{"μ_{α} cos δ", "mas yr⁻¹"}, YAxis: Axis{"μ_{δ}", "mas yr⁻¹"}},
		{X: neighbors.Float64s(x), Y: neighbors.Float64s(y), Labels: m.Labels, XAxis: Axis{"BP − RP", "mag"}, YAxis: Axis{"G", "mag"}, FlipY: true},
	}}.Figure()
}

// No label lies over another or leaves the figure, at any width that the command
// offers, nor in larger letters.
func TestLabelsKeepClear(t *testing.T) {
	for _, s := range []Style{
		{Width: 60}, {Width: SingleColumn}, {Width: 100}, {Width: DoubleColumn}, {Width: 300}, Talk,
		{Width: SingleColumn, FontSize: 12}, {Width: DoubleColumn, FontSize: 5, Serif: true},
		{Width: SingleColumn, FontSize: Talk.FontSize},
	} {
		for _, k := range kinds {
			f, err := k.make(s)
			if err != nil {
				t.Fatal(err)
			}
			r := &reader{typeface: sans}
			if s.Serif {
				r.typeface = serif
			}
			f.draw(draw.NewCanvas(r, f.width, f.height))
			whole := vg.Rectangle{Max: vg.Point{X: f.width, Y: f.height}}
			for i, a := range r.frames {
				if !inside(a, whole) {
					t.Errorf("%s, %+v: axes leave the figure: %v in %v", k.name, s, a, whole)
				}
				for _, b := range r.frames[:i] {
					if overlap(a, b) {
						t.Errorf("%s, %+v: axes lie over others", k.name, s)
					}
				}
			}
			for i, a := range r.texts {
				if !inside(a.box, whole) {
					t.Errorf("%s, %+v: %q leaves the figure: %v in %v", k.name, s, a.text, a.box, whole)
				}
				for _, b := range r.frames {
					if overlap(a.box, b) && !inside(a.box, b) {
						t.Errorf("%s, %+v: %q lies over axes", k.name, s, a.text)
					}
				}
				for _, b := range r.texts[:i] {
					if overlap(a.box, b.box) {
						t.Errorf("%s, %+v: %q lies over %q", k.name, s, a.text, b.text)
					}
				}
			}
			if len(r.texts) < 4 {
				t.Errorf("%s, %+v: only %d texts", k.name, s, len(r.texts))
			}
		}
	}
}

// wordless is a canvas that leaves out all texts, and what is the colour of paper,
// which could hide what is under them.
type wordless struct {
	vg.Canvas
	colour *color.Color
}

func (wordless) FillString(font.Face, vg.Point, string) {}

func (w wordless) SetColor(c color.Color) {
	*w.colour = c
	w.Canvas.SetColor(c)
}

func (w wordless) Fill(p vg.Path) {
	if *w.colour != color.Color(paper) {
		w.Canvas.Fill(p)
	}
}

// No text inside axes lies over curves, points or clusters: there is nothing under
// its letters but paper or a pale shade. The cells of a confusion matrix are there
// to be written on.
func TestLabelsKeepOffTheData(t *testing.T) {
	for _, s := range []Style{{Width: SingleColumn}, {Width: DoubleColumn, Serif: true}, Talk, {Width: SingleColumn, FontSize: 12}} {
		for _, k := range kinds {
			if strings.HasPrefix(k.name, "confusion") {
				continue
			}
			f, err := k.make(s)
			if err != nil {
				t.Fatal(err)
			}
			r := &reader{typeface: sans}
			if s.Serif {
				r.typeface = serif
			}
			f.draw(draw.NewCanvas(r, f.width, f.height))
			const dpi = 144
			drawn := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))
			f.draw(draw.NewCanvas(wordless{drawn, new(color.Color)}, f.width, f.height))
			img := drawn.Image()
			for _, text := range r.texts {
				if x, y, ok := inkUnder(img, text.box, dpi); ok {
					t.Errorf("%s, %+v: %q lies over what is drawn at (%.1f, %.1f)", k.name, s, text.text, x, y)
				}
			}
		}
	}
}

// inkUnder returns a point of a box at which something dark is drawn.
func inkUnder(img image.Image, box vg.Rectangle, dpi int) (x, y vg.Length, found bool) {
	dot := vg.Inch / vg.Length(dpi)
	high := vg.Length(img.Bounds().Dy()) * dot
	for y := box.Min.Y; y < box.Max.Y; y += dot {
		for x := box.Min.X; x < box.Max.X; x += dot {
			if r, g, b, _ := img.At(int(x/dot), int((high-y)/dot)).RGBA(); min(r, g, b)>>8 < 0xa0 {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// What is written about a mark stands in the legend where the axes have no room.
func TestCrowdedNotesGoToTheLegend(t *testing.T) {
	for filled, want := range map[bool]int{false: 0, true: 3} {
		p, err := scanOf(Style{Width: SingleColumn}, filled).panel()
		if err != nil {
			t.Fatal(err)
		}
		if len(p.notes) != 1-want/3 || p.legend.total != 3+want {
			t.Errorf("filled %v: %d notes in the axes, want %d; %d lines of the legend", filled, len(p.notes), 1-want/3, p.legend.total)
		}
	}
}
