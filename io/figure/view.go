package figure

import (
	"iter"
	"math"

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

// norm returns where a position lies: in the axes, from 0 to 1 of each.
func (w *view) norm(x, y float64) (float64, float64) {
	x, y = w.project(x, y)
	return w.x.norm(x), w.y.norm(y)
}

// holds reports whether a position lies in the axes.
func (w *view) holds(x, y float64) bool {
	x, y = w.norm(x, y)
	return x >= 0 && x <= 1 && y >= 0 && y <= 1
}

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

// planeView shows plain coordinates. Axes of the same unit, but for those of colours and
// magnitudes, have the same
// scale unless one is more than three times as long as the other.
func (m *ClusterMap) planeView() view {
	xs, ys := m.ranges()
	w := view{
		shows:   drawable,
		project: func(x, y float64) (float64, float64) { return inBox(x, m.Box[0]), inBox(y, m.Box[1]) },
		clip:    m.XLimits.given() || m.YLimits.given(),
	}
	alike := !m.FlipY && m.XAxis.Unit == m.YAxis.Unit && (m.XAxis.Unit != "" || m.Box[0] > 0 && m.Box[1] > 0)
	if r := ys.span() / xs.span(); alike && r > 1./3 && r < 3 {
		w.stretch = 1
		xs, ys = bounded(xs, ys, 1, math.Inf(1))
	}
	w.x, w.y = linearAxis(m.XAxis, xs), linearAxis(m.YAxis, ys)
	if m.FlipY {
		up := w.project
		w.project = func(x, y float64) (float64, float64) { x, y = up(x, y); return x, -y }
		w.y.lo, w.y.hi, w.y.ruler = -ys.hi, -ys.lo, mirrored(linearRuler)
	}
	return w
}

// ranges returns the ranges of x and y that the axes show.
func (m *ClusterMap) ranges() (xs, ys interval) {
	xs, ys = nothing(), nothing()
	if !m.XLimits.given() || !m.YLimits.given() {
		for px, py := range positions(m.X, m.Y, drawable) {
			xs.add(px)
			ys.add(py)
		}
		xs, ys = xs.padded(halfOf(xs)), ys.padded(halfOf(ys))
	}
	return m.ends(xs, m.XLimits, m.Box[0]), m.ends(ys, m.YLimits, m.Box[1])
}

// ends returns the ends of an axis: its limits, else a periodic box, else the range
// of its values.
func (m *ClusterMap) ends(values interval, l Limits, side float64) interval {
	switch {
	case l.given():
		return interval{l.Lo, l.Hi}
	case side > 0:
		return interval{0, side}
	}
	return values
}

// inBox returns where a coordinate is in a periodic box.
func inBox(v, side float64) float64 {
	if side > 0 {
		v -= side * math.Floor(v/side)
	}
	return v
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
