package figure

import (
	"cmp"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Axis names the quantity on an axis and its unit, "" for a pure number.
type Axis struct{ Name, Unit string }

// An axis is what one side of a panel shows.
type axis struct {
	Axis
	lo, hi float64 // lo < hi
	scale  normalizer
	ruler  ruler
}

// A normalizer says where values lie on an axis from lo to hi: 0 at its lower end, 1 at
// its upper one.
type normalizer interface {
	normalize(lo, hi, v float64) float64
}

type linearScale struct{}

func (linearScale) normalize(lo, hi, v float64) float64 { return (v - lo) / (hi - lo) }

// linearAxis returns an axis of the range r.
func linearAxis(a Axis, r interval) axis { return axis{a, r.lo, r.hi, linearScale{}, linearRuler} }

// logAxis returns a logarithmic axis.
func logAxis(a Axis, lo, hi float64) axis { return axis{a, lo, hi, logScale{}, logRuler} }

// norm returns where a value lies on the axis: 0 at its lower end, 1 at its
// upper one.
func (a *axis) norm(v float64) float64 { return a.scale.normalize(a.lo, a.hi, v) }

// A panel is a framed pair of axes with ticks on all sides, layers of data
// inside and a legend outside.
type panel struct {
	sheet
	title  string
	x, y   axis
	aspect float64 // height of the data area over its width
	legend legend
	bar    *colourBar          // or nil
	ground []func(draw.Canvas) // beneath the layers: shading, over which notes may be written
	layers []func(draw.Canvas)
	sky    *allSky   // instead of a frame
	xTall  vg.Length // height of the labels of x if they are written upwards, else 0

	remarks []string // one of which, the first that fits, is written above the axes

	// Set by layout.
	data           vg.Rectangle
	height         vg.Length
	xTicks, yTicks []tick
	xLabel, yLabel string
	yOffset        string
	yLow           vg.Length // of the label of y

	notes []placedNote // set by annotate

	hadLegend bool

	inView bool  // limits are those of a view
	clip   bool  // data may be outside
	err    error // of limits that the axes cannot have
}

// newPanel returns a panel without axes. Where the style leaves the width open,
// it is the one given, in mm.
func newPanel(s Style, width float64, title string, aspect float64) (*panel, error) {
	sheet, err := s.sheet(width)
	return &panel{sheet: sheet, title: cmp.Or(s.Title, title), aspect: aspect}, err
}

// layer adds what draw draws in the data area, above what there is.
func (p *panel) layer(draw func(draw.Canvas)) { p.layers = append(p.layers, draw) }

// at returns where a point of the data lies.
func (p *panel) at(x, y float64) vg.Point {
	c := draw.Canvas{Rectangle: p.data}
	return vg.Point{X: c.X(p.x.norm(x)), Y: c.Y(p.y.norm(y))}
}

const (
	margin     = vg.Length(2) // around the figure
	majorTick  = vg.Length(3.5)
	minorTick  = vg.Length(1.8)
	legendWide = 120 * vg.Millimeter // figures this wide have the legend beside the axes
)

// layout places everything. It needs the width of the legend's entries, so the
// legend must be filled in first.
func (p *panel) layout() {
	p.heed()
	p.legend.face = p.typeface
	right := max(margin, p.small)
	var under vg.Length
	switch {
	case p.legend.empty():
	case p.style.Legend == LegendRight || p.style.Legend == LegendAuto && p.width >= legendWide:
		p.legend.measure(p.small, p.width*0.3)
		right = p.legend.beside(p.small) + 1.5*p.small + margin
	default:
		p.legend.measure(p.small, p.width-2*margin-p.small)
		under = p.legend.below(p.small, p.width-2*margin-p.small) + 0.8*p.small
	}
	bottom := p.snap(margin + under + p.footing())
	top := p.head()
	if p.title != "" {
		top += 1.6 * p.label
	}
	width := p.width * 0.75
	var yOffset, xOffset string
	// The labels of y decide the width, and through the height the width
	// decides the labels; the last label of x may need room on the right.
	for range 3 {
		height := width * vg.Length(p.aspect)
		if p.bar != nil {
			right = max(right, p.bar.room(p, height))
		}
		p.yTicks, yOffset = p.y.ticks(tickCount(height/(4*p.small)), func([]tick) bool { return true })
		left := p.snap(margin + 1.3*p.label + 0.7*p.small + p.widest(p.yTicks) + 0.5*p.small)
		width = p.snapCell(max(p.width-left-right, 4*p.small))
		height = p.snapCell(max(width*vg.Length(p.aspect), 3*p.small))
		p.data = vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: left + width, Y: bottom + height}}
		p.height = p.snap(bottom + height + top)
		p.xTicks, xOffset = p.x.ticks(tickCount(width/(5*p.small)), p.apart)
		right = max(right, p.overhang()+margin)
	}
	p.xLabel = p.axisLabel(p.x.Name, xOffset, p.x.Unit, p.width-2*margin)
	p.yOffset = yOffset
	p.setHeight(p.height)
}

// heed takes what the style says instead of what the figure would choose.
func (p *panel) heed() {
	p.hadLegend = p.hadLegend || !p.legend.empty()
	if p.style.Legend == LegendNone {
		p.legend = legend{}
	}
	for _, o := range []struct {
		axis   *axis
		label  string
		limits Limits
	}{{&p.x, p.style.XLabel, p.style.XLimits}, {&p.y, p.style.YLabel, p.style.YLimits}} {
		if o.label != "" {
			o.axis.Axis = Axis{Name: o.label}
		}
		if !o.limits.given() || p.inView {
			continue
		}
		if _, log := o.axis.scale.(logScale); log && !(o.limits.Lo >= smallestLog) {
			p.err = fmt.Errorf("%w: limits %v,%v of the axis %q, which is logarithmic: both must be positive", ErrRequest, o.limits.Lo, o.limits.Hi, o.axis.Name)
			return
		}
		o.axis.lo, o.axis.hi, p.clip = o.limits.Lo, o.limits.Hi, true
	}
}

// unlimited refuses limits for a figure whose axes have none.
func (p *panel) unlimited(what string) error {
	if p.style.XLimits.given() || p.style.YLimits.given() {
		return fmt.Errorf("%w: limits of the axes of %s, which has none", ErrRequest, what)
	}
	return nil
}

// axisLabel is the label of an axis, its name shortened where it has no room; the
// offset of its numbers and the unit stay.
func (p *panel) axisLabel(name, offset, unit string, room vg.Length) string {
	rest := withUnit(offset, unit)
	if left := room - p.textWidth(rest, p.label); left >= p.textWidth("…", p.label) {
		name = p.fitText(name, p.label, left)
	}
	return p.fitText(name+rest, p.label, room)
}

// head is the height of what is between the axes and a title.
func (p *panel) head() vg.Length {
	if len(p.remarks) > 0 {
		return margin + 2*p.small
	}
	return margin + 0.5*p.small
}

// setHeight sets the height, and shortens the label of y to it: to the part above
// the label of x where that one reaches below it.
func (p *panel) setHeight(height vg.Length) {
	p.height, p.yLow = height, margin
	if p.xLabelMiddle()-p.textWidth(p.xLabel, p.label)/2 < margin+1.3*p.label {
		p.yLow = p.xLabelTop()
	}
	p.yLabel = p.axisLabel(p.y.Name, p.yOffset, p.y.Unit, height-margin-p.yLow)
}

// xLabelTop is the capital height of the label of x, and xLabelMiddle its centre:
// that of the axis, if the label fits there.
func (p *panel) xLabelTop() vg.Length { return p.data.Min.Y - p.tickHeight() }

func (p *panel) xLabelMiddle() vg.Length {
	half := p.textWidth(p.xLabel, p.label) / 2
	return min(max(p.data.Min.X+p.data.Size().X/2, margin+half), p.width-margin-half)
}

// footing is the height of the labels and the name of the axis of x.
func (p *panel) footing() vg.Length { return p.tickHeight() + 1.35*p.label }

// tickHeight is the height of the labels of the axis of x and the gaps around
// them.
func (p *panel) tickHeight() vg.Length {
	return 0.8*p.small + max(p.small*p.capHeight, p.xTall) + 0.6*p.small
}

// tickCount returns how many labels to ask for, given how many there is room for.
func tickCount(room vg.Length) int { return min(max(int(room), 2), 8) }

// ticks asks the ruler for n labels, then for fewer until they fit, then for more if
// fewer than two are left. If there are still fewer, it leaves out every other label,
// or two of three: a range of 10 % around a number holds one multiple of a step of 5,
// or five of a step of 2, which may not fit.
func (a *axis) ticks(n int, fit func([]tick) bool) (best []tick, offset string) {
	most := -1
	for stride := 1; stride <= 3; stride++ {
		for i := range 3 * n {
			k := n - i
			if k < 1 {
				k = i + 1
			}
			t, o := a.ruler(a.lo, a.hi, k)
			t = thinned(t, stride)
			if l := labelled(t); l > most && fit(t) {
				best, offset, most = t, o, l
				if l >= 2 {
					return best, offset
				}
			}
		}
	}
	return best, offset
}

// thinned leaves the first of every stride labels.
func thinned(ticks []tick, stride int) []tick {
	n := 0
	for i := range ticks {
		if ticks[i].label == "" {
			continue
		}
		if n%stride != 0 {
			ticks[i].label = ""
		}
		n++
	}
	return ticks
}

func labelled(ticks []tick) int {
	n := 0
	for _, t := range ticks {
		if t.label != "" {
			n++
		}
	}
	return n
}

// widest returns the width of the widest label.
func (p *panel) widest(ticks []tick) vg.Length {
	var w vg.Length
	for _, t := range ticks {
		w = max(w, p.textWidth(t.label, p.small))
	}
	return w
}

// A span is where the label of a tick of x lies.
type span struct{ at, half vg.Length }

func (p *panel) spans(ticks []tick) []span {
	var spans []span
	for _, t := range ticks {
		if t.label != "" {
			at := vg.Length(p.x.norm(t.value)) * p.data.Size().X
			width := p.textWidth(t.label, p.small)
			if p.xTall > 0 {
				width = p.small * p.capHeight
			}
			spans = append(spans, span{at, width / 2})
		}
	}
	return spans
}

// apart reports whether the labels of an x axis keep clear of each other.
func (p *panel) apart(ticks []tick) bool {
	spans := p.spans(ticks)
	for i, a := range spans {
		for _, b := range spans[:i] {
			if d := a.at - b.at; max(d, -d) < a.half+b.half+0.7*p.small {
				return false
			}
		}
	}
	return true
}

// overhang is how far labels of x reach beyond the right end of the axis.
func (p *panel) overhang() vg.Length {
	var over vg.Length
	for _, s := range p.spans(p.xTicks) {
		over = max(over, s.at+s.half-p.data.Size().X)
	}
	return over
}

// figure returns the laid-out panel as a Figure.
func (p *panel) figure() *Figure {
	return &Figure{Info: Info{Title: p.title}, width: p.width, height: p.height, dpi: p.dpi, draw: p.draw}
}

// figure returns a panel as a Figure, or the error.
func figure(p *panel, err error) (*Figure, error) {
	if err == nil {
		err = p.err
	}
	if err == nil && p.style.Legend != LegendAuto && !p.hadLegend {
		err = fmt.Errorf("%w: legend %s of a figure that has none", ErrRequest, p.style.Legend)
	}
	if err != nil {
		return nil, err
	}
	return p.figure(), nil
}

func (p *panel) draw(c draw.Canvas) {
	data := draw.Canvas{Canvas: c.Canvas, Rectangle: p.data}
	for _, l := range append(p.ground[:len(p.ground):len(p.ground)], p.layers...) {
		l(p.within(data))
	}
	if p.sky != nil {
		p.sky.above(data, p)
	} else {
		p.frame(data)
	}
	for _, n := range p.notes {
		n.write(data, p)
	}
	size := p.data.Size()
	mid := vg.Point{X: p.data.Min.X + size.X/2, Y: p.data.Min.Y + size.Y/2}
	if p.title != "" {
		t := p.fitText(p.title, p.label, p.width-2*margin)
		p.text(c, t, p.label, vg.Point{X: p.width / 2, Y: p.data.Max.Y + p.head() - margin - 0.5*p.small + 0.8*p.label}, centerBottom)
	}
	room := size.X
	for i, r := range p.remarks {
		if last := i == len(p.remarks)-1; last || p.textWidth(r, p.small) <= room {
			p.text(c, p.fitText(r, p.small, room), p.small, vg.Point{X: p.data.Max.X, Y: p.data.Max.Y + 0.6*p.small}, rightBottom)
			break
		}
	}
	p.text(c, p.xLabel, p.label, vg.Point{X: p.xLabelMiddle(), Y: p.xLabelTop()}, centerTop)
	half := p.textWidth(p.yLabel, p.label) / 2
	y := min(max(mid.Y, p.yLow+half), p.height-margin-half)
	p.textUp(c, p.yLabel, p.label, vg.Point{X: margin + p.label*0.8, Y: y}, centerBottom)
	if p.bar != nil {
		p.bar.draw(c, p)
	}
	if p.legend.empty() {
		return
	}
	if p.legend.columns > 0 {
		p.legend.draw(c, p.small, vg.Point{X: margin + p.small, Y: p.data.Min.Y - p.footing()}, 0)
		return
	}
	rows := min(int(size.Y/lineHeight(p.small)), legendMaxRows)
	p.legend.draw(c, p.small, vg.Point{X: p.data.Max.X + 1.5*p.small, Y: p.data.Max.Y}, rows)
}

// frame draws the box, the ticks, which point inwards on all four sides, and
// their labels.
func (p *panel) frame(c draw.Canvas) {
	var path vg.Path
	line := func(x0, y0, x1, y1 vg.Length) {
		path.Move(vg.Point{X: x0, Y: y0})
		path.Line(vg.Point{X: x1, Y: y1})
	}
	for _, t := range p.xTicks {
		x := c.X(p.x.norm(t.value))
		if !c.ContainsX(x) {
			continue
		}
		l := tickLength(t) * p.stroke
		line(x, c.Min.Y, x, c.Min.Y+l)
		line(x, c.Max.Y, x, c.Max.Y-l)
	}
	p.labelTicks(c)
	for _, t := range p.yTicks {
		y := c.Y(p.y.norm(t.value))
		if !c.ContainsY(y) {
			continue
		}
		l := tickLength(t) * p.stroke
		line(c.Min.X, y, c.Min.X+l, y)
		line(c.Max.X, y, c.Max.X-l, y)
		p.text(c, t.label, p.small, vg.Point{X: c.Min.X - 0.5*p.small, Y: y}, rightMiddle)
	}
	outlineOf(&path, box(c.Rectangle)...)
	c.SetLineStyle(p.line(ink, frameWidth))
	c.Stroke(path)
}

// labelTicks writes the labels of the axis of x.
func (p *panel) labelTicks(c draw.Canvas) {
	for _, t := range p.xTicks {
		at := vg.Point{X: c.X(p.x.norm(t.value)), Y: c.Min.Y - 0.6*p.small}
		switch {
		case !c.ContainsX(at.X):
		case p.xTall > 0:
			p.textUp(c, t.label, p.small, at, rightMiddle)
		default:
			p.text(c, t.label, p.small, at, centerTop)
		}
	}
}

// within is the canvas of the layers.
func (p *panel) within(data draw.Canvas) draw.Canvas {
	if p.clip {
		data.Canvas = clipped{data.Canvas, p.data}
	}
	return data
}

func tickLength(t tick) vg.Length {
	if t.label == "" {
		return minorTick
	}
	return majorTick
}
