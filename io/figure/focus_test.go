package figure

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/plot/vg/draw"
)

// giants is a sequence of 300 members that go down in magnitude from 13 to 18, and
// more of them at magnitudes of their own.
func giants(more ...float64) ClusterMap {
	var colour, g []float64
	for i := range 300 {
		colour, g = append(colour, 0.5+float64(i)/300), append(g, 13+5*float64(i)/299)
	}
	for _, m := range more {
		colour, g = append(colour, 1.5), append(g, m)
	}
	return ClusterMap{X: column(colour...), Y: column(g...), Labels: make([]int32, len(g)), FlipY: true, Style: small}.Focused()
}

// The bright members of a cluster are shown, few as they are; those that would spoil
// the axes are counted, in the figure too, and so are those without a value.
func TestMembersAreShownOrCounted(t *testing.T) {
	for _, c := range []struct {
		more []float64
		want Unseen
		text string
	}{
		{[]float64{9, 9.2}, Unseen{}, ""},
		{[]float64{9, 9.2, -999}, Unseen{Members: 1}, "1 member outside the axes"},
		{[]float64{9, 9.2, -999, 999, math.NaN()}, Unseen{Members: 2, Blank: 1}, "2 members outside, 1 without a value"},
	} {
		m := giants(c.more...)
		if got := m.Unseen(); got != c.want {
			t.Errorf("%v: unseen %+v, want %+v", c.more, got, c.want)
		}
		if m.YLimits.Lo > 9 || m.YLimits.Hi < 18 || m.YLimits.Hi > 40 {
			t.Errorf("%v: limits %+v", c.more, m.YLimits)
		}
		for _, f := range []interface{ Figure() (*Figure, error) }{m, ClusterPanels{Maps: []ClusterMap{m}, Style: small}} {
			fig, err := f.Figure()
			if err != nil {
				t.Fatal(err)
			}
			r := &reader{typeface: sans}
			fig.draw(draw.NewCanvas(r, fig.width, fig.height))
			found := c.text == ""
			for _, w := range r.texts {
				found = found || w.text == c.text
			}
			if !found {
				t.Errorf("%v: the figure does not say %q: %v", c.more, c.text, r.texts)
			}
		}
	}
}

// What panels do not show is counted with the axes that they have: squares where
// both have one scale.
func TestUnseenOfSquarePanels(t *testing.T) {
	m := ClusterMap{X: column(0, 1, 2, 3), Y: column(0, 0.5, 1, 1.4), Labels: []int32{0, 0, -1, 0}, XAxis: Axis{"x", "kpc"}, YAxis: Axis{"y", "kpc"}, YLimits: Limits{0, 1.2}, XLimits: Limits{0, 2.5}, Style: small}
	if got, want := m.Unseen(), (Unseen{Members: 1}); got != want {
		t.Errorf("map: %+v", got)
	}
	m.XLimits.Hi = 3.2
	if got := m.Unseen(); got != (Unseen{Members: 1}) {
		t.Errorf("map: %+v", got)
	}
	p := ClusterPanels{Maps: []ClusterMap{m}, Style: small}
	if got := p.Unseen(); got[0] != (Unseen{}) {
		t.Errorf("panels: %+v", got)
	}
}

// A periodic box is shown from 0 to its sides, with every position in it.
func TestMapOfAPeriodicBox(t *testing.T) {
	m := ClusterMap{X: column(-1, 9, 99.5, 250), Y: column(5, 105, 205, -95), Labels: []int32{0, 0, 0, 0}, Box: [2]float64{100, 100}, Style: small}
	v, err := m.view()
	if err != nil {
		t.Fatal(err)
	}
	if v.x.lo != 0 || v.x.hi != 100 || v.y.lo != 0 || v.y.hi != 100 || v.stretch != 1 {
		t.Errorf("axes of %v to %v and %v to %v, stretch %v", v.x.lo, v.x.hi, v.y.lo, v.y.hi, v.stretch)
	}
	for i, want := range []float64{99, 9, 99.5, 50} {
		if x, y := v.project(m.X.At(i), m.Y.At(i)); x != want || y != 5 {
			t.Errorf("position %d is drawn at (%v, %v), want (%v, 5)", i, x, y, want)
		}
	}
	fig, err := m.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if b := encode(t, fig, "png"); !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Error("no figure")
	}
}
