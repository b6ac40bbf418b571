package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"skyjoin/neighbors"
)

// A ClusterMap shows the positions of points and the clusters they are in,
// with noise in grey beneath. Clusters have markers of 7 colours, told apart
// with all common kinds of colour blindness, and 8 shapes, in order of size:
// the 56 largest look different, and the legend lists as many as it has room
// for.
//
// Noise is drawn as a raster, shaded by the logarithm of the number of points in each
// cell, above 20,000 points and wherever its dots would run together. Above 20,000
// points the largest clusters are drawn in the same way, in their colours, until at
// most 5,000 points are left to be drawn as markers. A cluster in the raster has its
// marker, with a white rim, at its densest cell.
//
// Rows without a position (NaN, infinite, a declination outside [-90, 90])
// are not drawn.
type ClusterMap struct {
	X, Y   neighbors.Column
	Labels []int32 // one per row, negative for noise; nil: no clusters

	// Sky says that X and Y are right ascension, of any range, and
	// declination, in degrees. RA increases to the left and both have the same
	// scale at the middle of the field. A field across RA 0 is in one piece;
	// one of up to 45° from its centre that comes within 5° of a pole is
	// drawn as offsets on the tangent plane.
	Sky        bool
	Projection Projection // of a map with Sky
	CentreRA   float64    // in the middle of a projection of the whole sky, in degrees

	XAxis, YAxis Axis // not used with Sky
	FlipY        bool // y grows downwards, as magnitudes do; not used with Sky

	// XLimits and YLimits are the ends of the axes; members of clusters outside them
	// are counted above the axes. With Sky they are for a field on plain axes.
	XLimits, YLimits Limits

	// Box has the sides of a periodic box that begins at 0. The whole box is shown, and
	// all positions are wrapped into it. A side of 0 is an axis that is not periodic.
	// Not used with Sky.
	Box [2]float64

	Title string
	Style Style
}

const (
	mapMarkers    = 20000 // points up to which all are drawn as markers
	rasterMarkers = 5000  // markers on top of a raster
)

// Figure lays the map out. The error wraps ErrRequest.
func (m ClusterMap) Figure() (*Figure, error) { return figure(m.panel()) }

func (m ClusterMap) panel() (*panel, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.Style.XLimits.given() {
		m.XLimits = m.Style.XLimits
	}
	if m.Style.YLimits.given() {
		m.YLimits = m.Style.YLimits
	}
	v, err := m.view()
	if err != nil {
		return nil, err
	}
	p, err := newPanel(m.Style, DoubleColumn, m.Title, v.aspect())
	if err != nil {
		return nil, err
	}
	t := m.ranked(v.shows)
	p.inView = true
	p.x, p.y, p.legend, p.sky, p.remarks = v.x, v.y, t.legend(p.sheet), v.sky, m.unseen(&v).remarks()
	p.layout()
	t.draw(&m, &v, p)
	return p, nil
}

// WholeSky reports whether the map shows the whole sky, centred on CentreRA.
func (m *ClusterMap) WholeSky() bool {
	v, err := m.view()
	return err == nil && v.sky != nil
}

// check refuses columns of unequal length.
func (m *ClusterMap) check() error {
	n := m.X.Len()
	if m.Y.Len() != n || m.Labels != nil && len(m.Labels) != n {
		return fmt.Errorf("%w: map of %d x, %d y and %d labels, the numbers must agree", ErrRequest, n, m.Y.Len(), len(m.Labels))
	}
	return nil
}

// view returns the projection of the map.
func (m *ClusterMap) view() (view, error) {
	if !m.Sky {
		return m.planeView(), nil
	}
	v, err := m.skyView()
	v.shows = skyDrawable
	return v, err
}

// A ranking is the clusters of a map, largest first.
type ranking struct {
	clusters []mapCluster
	rank     map[int32]int32 // of a label in clusters
	noise    int
	plain    bool // without labels
	total    int
	inRaster int // clusters[:inRaster], and noise if total > mapMarkers, are in the raster
}

type mapCluster struct {
	label int32
	size  int
}

func (m *ClusterMap) label(i int) int32 {
	if m.Labels == nil {
		return -1
	}
	return m.Labels[i]
}

// ranked counts the points that the map shows, by cluster.
func (m *ClusterMap) ranked(shows func(x, y float64) bool) *ranking {
	t := &ranking{rank: map[int32]int32{}, plain: m.Labels == nil}
	sizes := map[int32]int{}
	last, run := int32(-1), 0 // runs of a label spare the map
	flush := func() {
		if last < 0 {
			t.noise += run
		} else if run > 0 {
			sizes[last] += run
		}
		run = 0
	}
	for i := range m.X.Len() {
		if !shows(m.X.At(i), m.Y.At(i)) {
			continue
		}
		t.total++
		if l := max(m.label(i), -1); l != last {
			flush()
			last = l
		}
		run++
	}
	flush()
	for l, n := range sizes {
		t.clusters = append(t.clusters, mapCluster{l, n})
	}
	slices.SortFunc(t.clusters, func(a, b mapCluster) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.label, b.label))
	})
	for i, c := range t.clusters {
		t.rank[c.label] = int32(i)
	}
	if t.total > mapMarkers {
		markers := t.total - t.noise
		for markers > rasterMarkers {
			markers -= t.clusters[t.inRaster].size
			t.inRaster++
		}
	}
	return t
}

// legend lists clusters by size, then noise.
func (t *ranking) legend(p sheet) legend {
	l := legend{title: "cluster (members)", total: len(t.clusters)}
	for i, c := range t.clusters[:min(len(t.clusters), 4*legendMaxRows)] {
		m := p.markerOf(i)
		l.head = append(l.head, entry{
			label:  fmt.Sprintf("%d (%s)", c.label, count(c.size)),
			sample: func(c draw.Canvas, at vg.Point, size vg.Length) { m.draw(c, size*0.32, at) },
		})
	}
	if len(t.clusters) == 0 {
		l.title = ""
	}
	if t.noise > 0 {
		m, name := marker{circle, noiseGrey}, "noise"
		if t.plain {
			m.color, name = p.colour(0), "rows"
		}
		l.tail = []entry{{
			label:  name + " (" + count(t.noise) + ")",
			sample: func(c draw.Canvas, at vg.Point, size vg.Length) { m.draw(c, size*0.26, at) },
		}}
	}
	return l
}

// draw gives the panel its layers, from noise below to the smallest cluster on
// top.
func (t *ranking) draw(m *ClusterMap, v *view, p *panel) {
	radius := t.markerRadius(p) * p.stroke
	var r *raster
	if t.total > mapMarkers || t.crowded(p, noiseSize*radius) {
		r = newRaster(p)
	}
	groups := make([][]vg.Point, 1+len(t.clusters)-t.inRaster) // noise, then the clusters drawn as markers
	c := draw.Canvas{Rectangle: p.data}
	last, rank := int32(-1), int32(-1)
	for i := range m.X.Len() {
		x, y := m.X.At(i), m.Y.At(i)
		if !v.shows(x, y) {
			continue
		}
		if v.clip && !v.holds(x, y) {
			continue
		}
		x, y = v.norm(x, y)
		if l := max(m.label(i), -1); l != last {
			last, rank = l, -1
			if l >= 0 {
				rank = t.rank[l]
			}
		}
		if r != nil && int(rank) < t.inRaster {
			of := rank
			if t.plain {
				of = 0 // in its colour
			}
			r.add(x, y, of)
			continue
		}
		g := max(int(rank)-t.inRaster+1, 0)
		groups[g] = append(groups[g], vg.Point{X: c.X(x), Y: c.Y(y)})
	}
	var peaks []peak
	if r != nil {
		for i := range min(t.inRaster, legendMaxRows) {
			at, ok := r.peak(int32(i))
			peaks = append(peaks, peak{at, ok})
		}
		img := r.image()
		p.layer(func(c draw.Canvas) { c.DrawImage(rectangle(c.X(0), c.Y(0), c.X(1), c.Y(1)), img) })
	}
	if p.sky != nil {
		p.layer(func(c draw.Canvas) { p.sky.below(c, p) })
	}
	p.layer(func(c draw.Canvas) {
		t.noiseMarker(p).draw(c, noiseSize*radius, groups[0]...)
		for g, pts := range groups[1:] {
			p.markerOf(t.inRaster+g).draw(c, radius, pts...)
		}
		for i := len(peaks) - 1; i >= 0; i-- {
			if peaks[i].ok {
				p.markerOf(i).drawHaloed(c, 0.35*p.small, peaks[i].at)
			}
		}
		if t.total == 0 {
			p.text(c, "no points", p.label, c.Center(), centerMiddle)
		}
	})
}

// A peak is where a cluster of the raster is densest, if the raster shows it.
type peak struct {
	at vg.Point
	ok bool
}

// noiseMarker is a dot, or for many points a square, which looks the same at that
// size and takes half the bytes.
func (t *ranking) noiseMarker(p *panel) marker {
	col := noiseGrey
	if t.plain {
		col = p.colour(0)
	}
	if t.total > 2000 {
		return marker{polygon(4, math.Pi/4, 1.2), col}
	}
	return marker{circle, col}
}

// noiseSize is the size of the dots of noise over that of other markers.
const noiseSize = 0.6

// crowded reports whether noise dots of the given radius would run together: whether
// they would cover half of the area of the axes.
func (t *ranking) crowded(p *panel, radius vg.Length) bool {
	size := p.data.Size()
	return vg.Length(t.noise)*(2*radius)*(2*radius) > 0.5*size.X*size.Y
}

// markerRadius returns the size of markers for the number of points, smaller where
// the axes are small.
func (t *ranking) markerRadius(p *panel) vg.Length {
	radius := vg.Length(0.8)
	switch n := t.total; {
	case n <= 300:
		radius = 1.8
	case n <= 3000:
		radius = 1.4
	case n <= mapMarkers:
		radius = 1.1
	}
	const wide = 60 * vg.Millimeter
	return radius * vg.Length(math.Sqrt(float64(min(max(p.data.Size().X/(p.stroke*wide), 0.4), 1))))
}
