package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// An inkMap records where the layers of a panel draw. It divides the page into squares
// of one point and holds sums of drawn squares from the lower left corner (a
// summed-area table), so that four reads tell whether a box is free.
type inkMap struct {
	nx, ny int
	below  []int32 // drawn squares to the left of and below each corner
}

// paperLevel is the darkest level of a square that counts as empty.
const paperLevel = 245

// ink renders the layers, without the ground, and records where they draw.
func (p *panel) ink() *inkMap {
	canvas := vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(72))
	data := draw.Canvas{Canvas: outlined{canvas}, Rectangle: p.data}
	for _, l := range p.layers {
		l(p.within(data))
	}
	img := canvas.Image()
	b := img.Bounds()
	m := &inkMap{nx: b.Dx(), ny: b.Dy()}
	m.below = make([]int32, (m.nx+1)*(m.ny+1))
	for y := range m.ny {
		var row int32
		for x := range m.nx {
			if r, g, b, _ := img.At(b.Min.X+x, b.Max.Y-1-y).RGBA(); min(r, g, b)>>8 < paperLevel {
				row++
			}
			m.below[(y+1)*(m.nx+1)+x+1] = m.below[y*(m.nx+1)+x+1] + row
		}
	}
	return m
}

// free reports whether nothing is drawn in a box.
func (m *inkMap) free(r vg.Rectangle) bool {
	index := func(v vg.Length, n int) int { return min(max(int(v), 0), n) }
	x0, x1 := index(r.Min.X, m.nx), index(r.Max.X+1, m.nx)
	y0, y1 := index(r.Min.Y, m.ny), index(r.Max.Y+1, m.ny)
	at := func(x, y int) int32 { return m.below[y*(m.nx+1)+x] }
	return at(x1, y1)-at(x0, y1)-at(x1, y0)+at(x0, y0) == 0
}

// A note is a text about a point of the data, such as the radius advised there.
type note struct {
	lines  []string
	x, y   float64 // of the point
	sample func(c draw.Canvas, at vg.Point, size vg.Length)
	listed bool // with its sample before it, to be told from others
}

// indent is how far the lines of a note are from its left end.
func (n note) indent(p *panel) vg.Length {
	if n.listed {
		return p.small
	}
	return 0
}

// A placedNote is a note and the box of its letters.
type placedNote struct {
	note
	box vg.Rectangle
}

// lineGap is the distance of the lines of a note, over the size of its letters.
const lineGap = 1.4

// annotate writes each note in the free space that is nearest to its point. Notes
// without such a place go to the legend, and the panel is laid out again. All layers
// must have been added.
func (p *panel) annotate(notes ...note) {
	for {
		ink := p.ink()
		p.notes = nil
		crowded := -1
		for i, n := range notes {
			place, ok := p.room(ink, n)
			if !ok {
				crowded = i
				break
			}
			p.notes = append(p.notes, placedNote{n, place})
		}
		if crowded < 0 {
			return
		}
		n := notes[crowded]
		notes = append(notes[:crowded:crowded], notes[crowded+1:]...)
		for i, line := range n.lines {
			e := entry{label: line, sample: n.sample}
			if i > 0 {
				e.sample = nil
			}
			p.legend.head = append(p.legend.head, e)
			p.legend.total++
		}
		p.layout()
	}
}

// room returns the free box for a note that is nearest to its point, and whether
// there is one that is near enough to be read together with it.
func (p *panel) room(ink *inkMap, n note) (best vg.Rectangle, found bool) {
	size := vg.Point{Y: p.small*p.capHeight + vg.Length(len(n.lines)-1)*lineGap*p.small}
	for _, line := range n.lines {
		size.X = max(size.X, n.indent(p)+p.textWidth(line, p.small))
	}
	gap, edge := 0.4*p.small, 0.3*p.small+majorTick*p.stroke // from ink and, beyond the ticks, from the frame
	at := p.at(n.x, n.y)
	least := 0.3 * float64(p.data.Size().X)
	for y := p.data.Max.Y - edge - size.Y; y >= p.data.Min.Y+edge; y-- {
		for x := p.data.Max.X - edge - size.X; x >= p.data.Min.X+edge; x-- {
			r := rectangle(x, y, x+size.X, y+size.Y)
			d := away(r, at)
			if d >= least {
				continue
			}
			around := rectangle(r.Min.X-gap, r.Min.Y-gap, r.Max.X+gap, r.Max.Y+gap)
			if ink.free(around) && p.clearOfNotes(around) {
				best, least, found = r, d, true
			}
		}
	}
	return best, found
}

// away is how far a box is from a point; of boxes that touch it the one with the
// nearer middle comes first.
func away(r vg.Rectangle, at vg.Point) float64 {
	dx := max(r.Min.X-at.X, at.X-r.Max.X, 0)
	dy := max(r.Min.Y-at.Y, at.Y-r.Max.Y, 0)
	mx, my := (r.Min.X+r.Max.X)/2-at.X, (r.Min.Y+r.Max.Y)/2-at.Y
	return math.Hypot(float64(dx), float64(dy)) + 0.1*math.Hypot(float64(mx), float64(my))
}

// clearOfNotes reports whether no note is in a box.
func (p *panel) clearOfNotes(r vg.Rectangle) bool {
	for _, n := range p.notes {
		if min(r.Max.X, n.box.Max.X) > max(r.Min.X, n.box.Min.X) && min(r.Max.Y, n.box.Max.Y) > max(r.Min.Y, n.box.Min.Y) {
			return false
		}
	}
	return true
}

// write writes a note, its lines from the top.
func (n placedNote) write(c draw.Canvas, p *panel) {
	if n.listed {
		n.sample(c, vg.Point{X: n.box.Min.X + 0.3*p.small, Y: n.box.Max.Y - 0.5*p.capHeight*p.small}, p.small)
	}
	for i, line := range n.lines {
		p.text(c, line, p.small, vg.Point{X: n.box.Min.X + n.indent(p), Y: n.box.Max.Y - lineGap*vg.Length(i)*p.small}, anchor{0, 1})
	}
}
