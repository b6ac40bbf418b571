package figure

import (
	"fmt"
	"math"

	"skyjoin/neighbors"
)

const (
	degree = math.Pi / 180

	polar     = 85.0 // |Dec| from which meridians converge too much for plain axes
	capRadius = 45.0 // largest field, in degrees, that a tangent plane shows fairly
	wholeGap  = 30.0 // a field with no larger gap in RA goes all the way round
)

// skyDrawable reports whether (ra, dec) in degrees is a direction.
func skyDrawable(ra, dec float64) bool {
	return math.Abs(ra) <= 1e15 && math.Abs(dec) <= 90 // false for NaN
}

// skyView shows right ascension and declination in degrees, RA increasing to
// the left as on the sky. Fields near a pole are shown on the tangent plane, and
// the whole sky in a projection of its own.
func (m *ClusterMap) skyView() (v view, err error) {
	ra, dec, p, centre := m.X, m.Y, m.Projection, m.CentreRA
	if p != ProjectionAuto {
		if m.limited() {
			return v, errLimits
		}
		return allSkyView(p, centre)
	}
	decs := nothing()
	var circle raCircle
	for a, d := range positions(ra, dec, skyDrawable) {
		decs.add(d)
		circle.add(reduced(a))
	}
	if max(-decs.lo, decs.hi) > polar {
		if a0, d0, ok := capCentre(ra, dec); ok {
			if m.limited() {
				return v, errLimits
			}
			return tangentView(ra, dec, a0, d0), nil
		}
	}
	if _, whole := circle.arc(); whole && decs.span() > 90 && !m.limited() {
		return allSkyView(ProjectionMollweide, centre)
	}
	return m.plateView(decs, &circle), nil
}

// limited reports whether the map has limits.
func (m *ClusterMap) limited() bool { return m.XLimits.given() || m.YLimits.given() }

var errLimits = fmt.Errorf("%w: limits of a map without axes of RA and Dec", ErrRequest)

// reduced returns an angle in [0, 360).
func reduced(ra float64) float64 {
	if ra = math.Mod(ra, 360); ra < 0 {
		ra += 360
	}
	if ra >= 360 { // a tiny negative angle
		return 0
	}
	return ra
}

// plateView is RA and Dec on plain axes, at the right scale in the middle.
func (m *ClusterMap) plateView(decs interval, circle *raCircle) view {
	ras, whole := circle.arc()
	ys := decs.padded(0.5)
	if decs.lo > decs.hi {
		ras, ys = interval{0, 1}, interval{-0.5, 0.5}
	}
	ys = ys.within(-90, 90)
	stretch := 1 / max(math.Cos(ys.mid()*degree), 0.05)
	switch {
	case whole:
		ras = interval{0, 360}
	case decs.lo <= decs.hi:
		ras = ras.padded(0.5 * stretch)
		ras = ras.grown(min(ras.span(), 360))
	}
	if m.YLimits.given() {
		ys = interval{m.YLimits.Lo, m.YLimits.Hi}.within(-90, 90)
		stretch = 1 / max(math.Cos(ys.mid()*degree), 0.05)
	}
	if m.XLimits.given() {
		ras = interval{m.XLimits.Lo, min(m.XLimits.Hi, m.XLimits.Lo+360)}
	}
	ras, ys = bounded(ras, ys, stretch, 360)
	ys = ys.within(-90, 90)
	mid := ras.mid()
	return view{
		clip:    m.limited(),
		project: func(ra, dec float64) (float64, float64) { return -(mid + turned(ra-mid)), dec },
		x:       axis{Axis{"RA", "deg"}, -ras.hi, -ras.lo, linearScale{}, mirrored(raRuler)},
		y:       axis{Axis{"Dec", "deg"}, ys.lo, ys.hi, linearScale{}, degreeRuler},
		stretch: stretch,
	}
}

// An raCircle finds the arc that right ascensions take up. It keeps their
// range in each of many sectors of the circle.
type raCircle [7200]sector

type sector struct {
	interval
	used bool
}

// add adds a right ascension in [0, 360).
func (c *raCircle) add(ra float64) {
	s := &c[min(int(ra*(float64(len(c))/360)), len(c)-1)]
	if !s.used {
		*s = sector{interval{ra, ra}, true}
		return
	}
	s.add(ra)
}

// arc returns the shortest arc that holds all right ascensions, its middle in
// [0, 360), and whether it is as good as the whole circle.
func (c *raCircle) arc() (arc interval, whole bool) {
	first, last, gap := -1, -1, 0.
	for i := range c {
		if !c[i].used {
			continue
		}
		if first < 0 {
			first = i
		} else if g := c[i].lo - c[last].hi; g > gap {
			gap, arc = g, interval{c[i].lo, c[last].hi + 360}
		}
		last = i
	}
	if first < 0 {
		return interval{0, 0}, false
	}
	if g := c[first].lo + 360 - c[last].hi; g >= gap {
		gap, arc = g, interval{c[first].lo, c[last].hi}
	}
	if arc.mid() >= 360 {
		arc.lo, arc.hi = arc.lo-360, arc.hi-360
	}
	return arc, gap < wholeGap
}

// capCentre returns the mean direction of all positions and whether none is
// farther from it than capRadius.
func capCentre(ra, dec neighbors.Column) (a0, d0 float64, ok bool) {
	var x, y, z float64
	each := func(f func(px, py, pz float64)) {
		for a, d := range positions(ra, dec, skyDrawable) {
			sa, ca := math.Sincos(reduced(a) * degree)
			sd, cd := math.Sincos(d * degree)
			f(cd*ca, cd*sa, sd)
		}
	}
	each(func(px, py, pz float64) { x, y, z = x+px, y+py, z+pz })
	norm := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
	if norm == 0 {
		return 0, 0, false
	}
	x, y, z = x/norm, y/norm, z/norm
	nearest := 1.
	each(func(px, py, pz float64) {
		nearest = min(nearest, float64(px*x)+float64(py*y)+float64(pz*z))
	})
	if nearest < math.Cos(capRadius*degree) {
		return 0, 0, false
	}
	return reduced(math.Atan2(y, x) / degree), math.Atan2(z, math.Hypot(x, y)) / degree, true
}

// tangentView is the gnomonic projection about (a0, d0): offsets ξ to the
// east, which is left, and η to the north.
func tangentView(ra, dec neighbors.Column, a0, d0 float64) view {
	s0, c0 := math.Sincos(d0 * degree)
	project := func(ra, dec float64) (float64, float64) {
		sa, ca := math.Sincos((reduced(ra) - a0) * degree)
		sd, cd := math.Sincos(dec * degree)
		depth := float64(s0*sd) + float64(float64(c0*cd)*ca)
		xi := cd * sa / depth
		eta := (float64(c0*sd) - float64(float64(s0*cd)*ca)) / depth
		return -xi / degree, eta / degree
	}
	us, vs := nothing(), nothing()
	for a, d := range positions(ra, dec, skyDrawable) {
		u, v := project(a, d)
		us.add(u)
		vs.add(v)
	}
	us, vs = bounded(us.padded(0.5), vs.padded(0.5), 1, math.Inf(1))
	return view{
		project: project,
		x:       axis{Axis{"ξ, east of RA " + fixedPoint(a0, 3) + "°", "deg"}, us.lo, us.hi, linearScale{}, mirrored(linearRuler)},
		y:       linearAxis(Axis{"η, north of Dec " + signed(d0, 3) + "°", "deg"}, vs),
		stretch: 1,
	}
}
