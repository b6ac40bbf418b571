package figure

import (
	"iter"
	"math"
	"slices"

	"skyjoin/neighbors"
)

// A view projects the coordinates of a map to the page: to u, which grows to the
// right, and v, which grows upwards.
type view struct {
	shows   func(x, y float64) bool // positions that can be on the map
	project func(x, y float64) (u, v float64)
	x, y    axis
	stretch float64 // length of a unit of v over that of a unit of u; 0: axes independent
	sky     *allSky // of a map of the whole sky
	clip    bool    // points may be outside
}

// Bounds of the height of a map over its width.
const (
	flattest = 0.32
	tallest  = 1.2
)

// drawable reports whether a position can be on a map. The bound keeps
// differences of coordinates finite.
func drawable(x, y float64) bool {
	return math.Abs(x) <= 1e300 && math.Abs(y) <= 1e300 // false for NaN
}

// positions yields the positions that can be shown, in the order of their rows.
func positions(x, y neighbors.Column, shows func(x, y float64) bool) iter.Seq2[float64, float64] {
	return func(yield func(px, py float64) bool) {
		for i := range x.Len() {
			if px, py := x.At(i), y.At(i); shows(px, py) && !yield(px, py) {
				return
			}
		}
	}
}

// narrowest is the least width of an axis: its ticks are still normal float64
// numbers.
const narrowest = 1e-290

// An interval is the range of the values added to it.
type interval struct{ lo, hi float64 }

func nothing() interval { return interval{math.Inf(1), math.Inf(-1)} }

func (r *interval) add(v float64) { r.lo, r.hi = min(r.lo, v), max(r.hi, v) }

func (r interval) span() float64 { return r.hi - r.lo }

func (r interval) mid() float64 { return r.lo + (r.hi-r.lo)/2 }

// padded returns r with a margin. Ranges that are empty, single values, or too
// narrow for float64 become wide enough to have ticks; half is the half-width
// of a single value.
func (r interval) padded(half float64) interval {
	if r.lo > r.hi {
		return interval{0, 1}
	}
	m := r.mid()
	switch floor := max(1e-9*math.Abs(m), narrowest); {
	case r.lo == r.hi:
		half = max(half, floor)
	default:
		half = max(r.span()*0.54, floor)
	}
	return interval{m - half, m + half}
}

// grown returns r widened about its middle to a span.
func (r interval) grown(span float64) interval {
	m := r.mid()
	return interval{m - span/2, m + span/2}
}

// within returns r shifted, and cut where it must be, into [lo, hi].
func (r interval) within(lo, hi float64) interval {
	if r.span() >= hi-lo {
		return interval{lo, hi}
	}
	if r.lo < lo {
		return interval{lo, lo + r.span()}
	}
	if r.hi > hi {
		return interval{hi - r.span(), hi}
	}
	return r
}

// planeView shows plain coordinates. Axes of the same unit have the same
// scale unless one is more than three times as long as the other.
func (m *ClusterMap) planeView() view {
	xs, ys := m.ranges()
	xs, ys = xs.padded(halfOf(xs)), ys.padded(halfOf(ys))
	w := view{shows: drawable, project: func(x, y float64) (float64, float64) { return x, y }, clip: m.Focus}
	if r := ys.span() / xs.span(); m.XAxis.Unit == m.YAxis.Unit && m.XAxis.Unit != "" && r > 1./3 && r < 3 {
		w.stretch = 1
		xs, ys = bounded(xs, ys, 1, math.Inf(1))
	}
	w.x, w.y = linearAxis(m.XAxis, xs), linearAxis(m.YAxis, ys)
	if m.FlipY {
		w.project = func(x, y float64) (float64, float64) { return x, -y }
		w.y.lo, w.y.hi, w.y.ruler = -ys.hi, -ys.lo, mirrored(linearRuler)
	}
	return w
}

// ranges returns the ranges of x and y that the axes show.
func (m *ClusterMap) ranges() (xs, ys interval) {
	if m.Focus {
		return m.middle()
	}
	xs, ys = nothing(), nothing()
	for px, py := range positions(m.X, m.Y, drawable) {
		xs.add(px)
		ys.add(py)
	}
	return xs, ys
}

// middle returns the ranges of a map with Focus.
func (m *ClusterMap) middle() (xs, ys interval) {
	var x, y [2][]float64 // noise, members
	for i := range m.X.Len() {
		if px, py := m.X.At(i), m.Y.At(i); drawable(px, py) {
			k := 0
			if m.label(i) >= 0 {
				k = 1
			}
			x[k], y[k] = append(x[k], px), append(y[k], py)
		}
	}
	xs, ys = nothing(), nothing()
	for k, tail := range [2]float64{0.025, 0.01} {
		if n := len(x[k]); n > 0 {
			cut := int(tail * float64(n))
			slices.Sort(x[k])
			slices.Sort(y[k])
			xs.add(x[k][cut])
			xs.add(x[k][n-1-cut])
			ys.add(y[k][cut])
			ys.add(y[k][n-1-cut])
		}
	}
	return xs, ys
}

// halfOf is the half-width shown around a single value.
func halfOf(r interval) float64 {
	if r.lo == r.hi && r.lo != 0 {
		return 0.1 * math.Abs(r.lo)
	}
	return 0.5
}

// bounded widens one of two ranges of equal scale so that the map is neither
// too flat nor too tall; xs at most to widest.
func bounded(xs, ys interval, stretch, widest float64) (interval, interval) {
	r := ys.span() * stretch / xs.span()
	if r < flattest {
		ys = ys.grown(xs.span() * flattest / stretch)
	}
	if r > tallest {
		xs = xs.grown(min(ys.span()*stretch/tallest, widest))
	}
	return xs, ys
}

// aspect returns the height of the data area over its width.
func (w *view) aspect() float64 {
	if w.stretch == 0 {
		return 0.75
	}
	return (w.y.hi - w.y.lo) * w.stretch / (w.x.hi - w.x.lo)
}
