package figure

import (
	"cmp"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ClusterPanels shows the same points and clusters in several maps side by
// side, such as positions, proper motions and a colour-magnitude diagram, with
// one legend below. A cluster looks the same in all of them. Where the figure is
// too narrow for all of them they are in several rows.
type ClusterPanels struct {
	Maps  []ClusterMap // of the same rows and labels; their titles and styles are not used
	Title string
	Style Style // width 0: DoubleColumn
}

// mostPanels bounds the maps of a row: more cannot be read.
const mostPanels = 4

// leastWidth is the least width of a map, in font sizes.
const leastWidth = 15

// columnsOf returns how many of n maps stand side by side.
func (s sheet) columnsOf(n int) int {
	columns := n
	for columns > 1 && s.width/vg.Length(columns) < leastWidth*s.small {
		columns--
	}
	rows := (n + columns - 1) / columns
	return (n + rows - 1) / rows
}

// Figure lays the panels out. The error wraps ErrRequest.
func (f ClusterPanels) Figure() (*Figure, error) {
	if n := len(f.Maps); n < 1 || n > mostPanels {
		return nil, fmt.Errorf("%w: %d panels, there can be 1 to %d", ErrRequest, n, mostPanels)
	}
	sheet, err := f.Style.sheet(DoubleColumn)
	if err != nil {
		return nil, err
	}
	f.Title = cmp.Or(f.Style.Title, f.Title)
	if s := f.Style; s.XLimits.given() || s.YLimits.given() || s.XLabel+s.YLabel != "" || s.Legend == LegendRight {
		return nil, fmt.Errorf("%w: panels have no limits and labels of their own, and their legend is below", ErrRequest)
	}
	for i := range f.Maps {
		if err := f.Maps[i].check(); err != nil {
			return nil, err
		}
		if n := f.Maps[i].X.Len(); n != f.Maps[0].X.Len() {
			return nil, fmt.Errorf("%w: panels of %d and %d rows, the numbers must agree", ErrRequest, f.Maps[0].X.Len(), n)
		}
	}
	return f.layout(sheet)
}

// layout gives every map of a row the same width, and all maps with axes the height
// of the lowest one. Maps of the whole sky are centred beside them.
func (f *ClusterPanels) layout(s sheet) (*Figure, error) {
	t := f.Maps[0].ranked(func(x, y float64) bool { return true })
	l := t.legend(s)
	if s.style.Legend == LegendNone {
		l = legend{}
	}
	l.face = s.typeface
	l.measure(s.small, s.width-2*margin)
	var under vg.Length
	if !l.empty() {
		under = s.snap(l.below(s.small, s.width-2*margin) + s.small)
	}
	top := vg.Length(0)
	if f.Title != "" {
		top = s.snap(1.6 * s.label)
	}
	each := s
	columns := s.columnsOf(len(f.Maps))
	each.width = s.snap(s.width / vg.Length(columns))
	panels := make([]*panel, len(f.Maps))
	views := make([]view, len(f.Maps))
	var framed *panel // the lowest with axes
	for i := range f.Maps {
		v, err := f.view(i)
		if err != nil {
			return nil, err
		}
		p := &panel{sheet: each, x: v.x, y: v.y, aspect: v.aspect(), sky: v.sky, remarks: f.Maps[i].unseen(&v).remarks()}
		if v.stretch == 0 {
			p.aspect = 1
		}
		p.layout()
		panels[i], views[i] = p, v
		if p.sky == nil && (framed == nil || p.data.Size().Y < framed.data.Size().Y) {
			framed = p
		}
	}
	rows := (len(panels) + columns - 1) / columns
	height := make([]vg.Length, rows)
	for i, p := range panels {
		if framed != nil {
			p.beside(framed)
		}
		t.draw(&f.Maps[i], &views[i], p)
		height[i/columns] = max(height[i/columns], p.data.Max.Y+p.head())
	}
	bottom := make([]vg.Length, rows)
	whole := under
	for r := rows - 1; r >= 0; r-- {
		bottom[r] = s.snap(whole)
		whole += height[r]
	}
	whole = s.snap(whole + top)
	return &Figure{Info: Info{Title: f.Title}, width: s.width, height: whole, dpi: s.dpi, draw: func(c draw.Canvas) {
		for i, p := range panels {
			c.Push()
			c.Translate(vg.Point{X: each.width * vg.Length(i%columns), Y: bottom[i/columns]})
			p.draw(c)
			c.Pop()
		}
		if f.Title != "" {
			title := s.fitText(f.Title, s.label, s.width-2*margin)
			s.text(c, title, s.label, vg.Point{X: s.width / 2, Y: whole - margin - s.label}, centerBottom)
		}
		if !l.empty() {
			l.draw(c, s.small, vg.Point{X: margin + s.small, Y: under - 0.5*s.small}, 0)
		}
	}}, nil
}

// view is the view of a map in the panels, where axes of one scale are square.
func (f *ClusterPanels) view(i int) (view, error) {
	v, err := f.Maps[i].view()
	if err == nil {
		v.square()
	}
	return v, err
}

// Unseen counts the rows that each of the maps does not show.
func (f *ClusterPanels) Unseen() []Unseen {
	all := make([]Unseen, len(f.Maps))
	for i := range f.Maps {
		if v, err := f.view(i); err == nil {
			all[i] = f.Maps[i].unseen(&v)
		}
	}
	return all
}

// beside gives the panel the height of another. A map of the whole sky keeps its
// height and is centred instead.
func (p *panel) beside(o *panel) {
	if p.sky == nil {
		p.data.Max.Y = p.data.Min.Y + o.data.Size().Y
		p.setHeight(p.data.Max.Y + p.head())
		return
	}
	up := p.snap((o.data.Min.Y + o.data.Max.Y - p.data.Min.Y - p.data.Max.Y) / 2)
	p.data.Min.Y, p.data.Max.Y = p.data.Min.Y+up, p.data.Max.Y+up
}

// square widens the narrower axis of a view whose axes have one scale until the
// data area is square; the whole sky stays as it is.
func (w *view) square() {
	if w.stretch == 0 || w.sky != nil {
		return
	}
	xs, ys := interval{w.x.lo, w.x.hi}, interval{w.y.lo, w.y.hi}
	if r := w.aspect(); r < 1 {
		ys = ys.grown(ys.span() / r)
	} else {
		xs = xs.grown(xs.span() * r)
	}
	w.x.lo, w.x.hi, w.y.lo, w.y.hi = xs.lo, xs.hi, ys.lo, ys.hi
}
