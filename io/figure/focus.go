package figure

import "slices"

// Limits are the ends of an axis; the zero value stands for all there is.
type Limits struct{ Lo, Hi float64 }

// given reports whether there are limits.
func (l Limits) given() bool { return l.Lo < l.Hi }

// Focused returns the map with limits that leave outliers out: they hold the middle 95
// % of the noise and all members of clusters, except members that would make an axis
// more than three times as long as the middle 98 % of members do. [ClusterMap.Unseen]
// counts what is left out. Not used with Sky.
func (m ClusterMap) Focused() ClusterMap {
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
	m.XLimits, m.YLimits = focus(x[0], x[1]), focus(y[0], y[1])
	return m
}

// mostStretch is how many times longer outlying members may make an axis.
const mostStretch = 3

// focus returns the limits of an axis. It sorts both.
func focus(noise, members []float64) Limits {
	r := nothing()
	for _, part := range []struct {
		values []float64
		tail   float64
	}{{noise, 0.025}, {members, 0.01}} {
		if n := len(part.values); n > 0 {
			slices.Sort(part.values)
			cut := int(part.tail * float64(n))
			r.add(part.values[cut])
			r.add(part.values[n-1-cut])
		}
	}
	reach := r.grown(mostStretch * r.span())
	for _, v := range members {
		if v >= reach.lo && v <= reach.hi {
			r.add(v)
		}
	}
	r = r.padded(halfOf(r))
	return Limits{r.lo, r.hi}
}

// Unseen are the rows that a map does not show, although they may be counted in a
// legend.
type Unseen struct {
	Members int // of clusters, outside the axes
	Noise   int // outside the axes
	Blank   int // members of clusters that lack a value
}

// Unseen counts the rows that the map does not show.
func (m *ClusterMap) Unseen() Unseen {
	v, err := m.view()
	if err != nil {
		return Unseen{}
	}
	return m.unseen(&v)
}

func (m *ClusterMap) unseen(v *view) (u Unseen) {
	for i := range m.X.Len() {
		x, y := m.X.At(i), m.Y.At(i)
		switch member := m.label(i) >= 0; {
		case !v.shows(x, y):
			if member {
				u.Blank++
			}
		case !v.clip || v.holds(x, y):
		case member:
			u.Members++
		default:
			u.Noise++
		}
	}
	return u
}

// remarks say which members are not seen, the longer text first.
func (u Unseen) remarks() []string {
	switch {
	case u.Members > 0 && u.Blank > 0:
		return []string{count(u.Members) + " members outside, " + count(u.Blank) + " without a value", count(u.Members) + " outside, " + count(u.Blank) + " blank"}
	case u.Members > 0:
		return []string{plural(u.Members, "member") + " outside the axes", count(u.Members) + " outside"}
	case u.Blank > 0:
		return []string{plural(u.Blank, "member") + " without a value", count(u.Blank) + " without a value", count(u.Blank) + " blank"}
	}
	return nil
}
