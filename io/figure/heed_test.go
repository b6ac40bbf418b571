package figure

import (
	"bytes"
	"errors"
	"image/color"
	"strings"
	"testing"
)

// What the style says is what a figure of each kind shows, or it is refused.
func TestStyleIsHeeded(t *testing.T) {
	own := small
	own.Title, own.XLabel, own.YLabel = "Own title", "own x (kpc)", "own y"
	for name, d := range drawings(own) {
		f, err := d.Figure()
		if name == "panels" {
			if !errors.Is(err, ErrRequest) {
				t.Errorf("labels of panels: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(name, err)
		}
		if f.Info.Title != "Own title" {
			t.Errorf("%s: the title is %q", name, f.Info.Title)
		}
		svg := string(encode(t, f, "svg"))
		for _, want := range []string{">own x (", ">own "} {
			if !strings.Contains(svg, want) {
				t.Errorf("%s does not show %q", name, want)
			}
		}
	}
	limited := small
	limited.XLimits, limited.YLimits = Limits{1.5, 2.5}, Limits{0.2, 0.8}
	for name, d := range drawings(limited) {
		p, err := d.Figure()
		if name == "panels" || name == "confusion" || name == "whole sky" {
			if !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), "limits") {
				t.Errorf("%s with limits: %v", name, err)
			}
		} else if err != nil || p == nil {
			t.Error(name, err)
		}
	}
	for _, legend := range []Legend{LegendNone, LegendBelow} {
		s := small
		s.Legend = legend
		if _, err := (Points{X: []float64{1}, Y: []float64{1}, Style: s}).Figure(); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), "legend") {
			t.Errorf("legend %s of a figure without one: %v", legend, err)
		}
	}
}

type drawnKind interface{ Figure() (*Figure, error) }

func drawings(s Style) map[string]drawnKind {
	b := bins(0, 1, 2, 3)
	x, y := column(1, 2, 3), column(0.1, 0.5, 0.9)
	m := ClusterMap{X: x, Y: y, Labels: []int32{0, 0, -1}, Style: s}
	sky, whole := m, m
	sky.Sky, whole.Sky, whole.Projection = true, true, ProjectionAitoff
	points := Points{X: []float64{1, 2, 3}, Y: []float64{0.1, 0.5, 0.9}, Style: s}
	return map[string]drawnKind{
		"map": m, "sky": sky, "whole sky": whole, "points": points,
		"panels":       ClusterPanels{Maps: []ClusterMap{m}, Style: s},
		"ratio":        Ratio{Points: points, Reference: []float64{1, 1, 1}},
		"histogram":    Histogram{Bins: b, Values: []float64{1, 0.5, 0.6}, Style: s},
		"heat map":     HeatMap{X: b, Y: b, Values: make([]float64, 9), Style: s},
		"k-distance":   KDistance{K: 1, Distances: []float64{0.1, 0.5, 0.9}, Style: s},
		"scan":         EpsilonScan{Epsilon: []float64{1, 2, 3}, Clustered: make([]float64, 3), Largest: make([]float64, 3), Stability: make([]float64, 3), Clusters: make([]int, 3), Style: s},
		"tree":         CondensedTree{Clusters: []TreeCluster{{Parent: -1, Birth: 1, Death: 0.5, Rows: 4}}, Style: s},
		"dendrogram":   Dendrogram{Branches: []Branch{{Rows: 1}, {Rows: 2}}, Merges: []BranchMerge{{A: 0, B: 1, Distance: 1}}, Style: s},
		"reachability": Reachability{Reachability: []float64{1, 0.5, 0.7}, Style: s},
		"scores":       ScoreCurve{K: []int{1, 2, 3}, Score: []float64{0.1, 0.5, 0.9}, Style: s},
		"timeline":     Timeline{Bars: []Bar{{End: 3}}, Style: s},
		"confusion":    ConfusionMatrix{Classes: []string{"a"}, Count: [][]int64{{1}}, Style: s},
	}
}

// Nothing is drawn outside of axes with limits, whatever reaches there.
func TestNothingOutsideLimits(t *testing.T) {
	s := Style{Width: 84, DPI: 100, Colours: []color.NRGBA{{255, 0, 0, 255}}}
	s.XLimits, s.YLimits = Limits{1.5, 2.5}, Limits{0.3, 0.7}
	for name, d := range map[string]interface{ panel() (*panel, error) }{
		"points":    Points{X: []float64{1, 1.5, 2, 2.5, 3}, Y: []float64{0.5, 0.7, 0.5, 0.3, 0.5}, Err: []float64{1, 1, 1, 1, 1}, Style: s},
		"histogram": Histogram{Bins: bins(0, 1, 2, 3), Values: []float64{1, 0.5, 0.6}, Style: s},
		"map":       ClusterMap{X: column(1, 2, 3), Y: column(0.5, 0.5, 0.5), Labels: []int32{0, 0, 0}, Style: s},
	} {
		p, err := d.panel()
		if err != nil {
			t.Fatal(name, err)
		}
		p.legend = legend{}
		img := pixels(t, encode(t, p.figure(), "png"))
		inside, outside := 0, 0
		scale := float64(p.dpi) / 72
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				if r, g, _, _ := img.At(x, y).RGBA(); r < 200<<8 || g > 100<<8 {
					continue
				}
				at := [2]float64{(float64(x) + 0.5) / scale, (float64(img.Rect.Dy()-y) - 0.5) / scale}
				if at[0] < float64(p.data.Min.X)-1 || at[0] > float64(p.data.Max.X)+1 || at[1] < float64(p.data.Min.Y)-1 || at[1] > float64(p.data.Max.Y)+1 {
					outside++
				} else {
					inside++
				}
			}
		}
		if inside == 0 || outside > 0 {
			t.Errorf("%s: %d red dots inside, %d outside of the axes", name, inside, outside)
		}
	}
}

// The colours that are given are those that are drawn.
func TestColours(t *testing.T) {
	s := small
	s.Colours = []color.NRGBA{{1, 2, 3, 255}}
	f, err := Points{X: []float64{1, 2}, Y: []float64{1, 2}, Style: s}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if svg := encode(t, f, "svg"); !bytes.Contains(svg, []byte("#010203")) || bytes.Contains(svg, []byte("#0072B2")) {
		t.Error("points are not in the colour that is given")
	}
}
