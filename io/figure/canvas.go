package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// outlined is a canvas that draws text as filled glyph outlines.
type outlined struct{ vg.Canvas }

// FillString implements vg.Canvas.
func (c outlined) FillString(f font.Face, pt vg.Point, s string) {
	if f.Font.Size <= 0 {
		return
	}
	var path vg.Path
	for _, t := range pieces(f.Face, f.Font.Size, pt, s) {
		path = append(path, t.outline()...)
	}
	c.Fill(path)
}

// anchor says which point of a text is placed: 0 its left or bottom, 0.5 its
// middle, 1 its right or top. Bottom is the baseline, top the capital height.
type anchor struct{ x, y vg.Length }

var (
	leftMiddle   = anchor{0, 0.5}
	rightMiddle  = anchor{1, 0.5}
	centerMiddle = anchor{0.5, 0.5}
	centerBottom = anchor{0.5, 0}
	centerTop    = anchor{0.5, 1}
	rightBottom  = anchor{1, 0}
)

// text draws s with its anchor at pt.
func (t *typeface) text(c draw.Canvas, s string, size vg.Length, pt vg.Point, a anchor) {
	t.coloured(c, ink, s, size, pt, a)
}

func (t *typeface) coloured(c draw.Canvas, col color.Color, s string, size vg.Length, pt vg.Point, a anchor) {
	if s == "" {
		return
	}
	c.SetColor(col)
	pt.X -= a.x * t.textWidth(s, size)
	pt.Y -= a.y * size * t.capHeight
	c.FillString(t.face(size), pt, s)
}

// textUp draws s reading upwards, the anchor seen along the text.
func (t *typeface) textUp(c draw.Canvas, s string, size vg.Length, pt vg.Point, a anchor) {
	c.Push()
	c.Translate(pt)
	c.Rotate(math.Pi / 2)
	t.text(c, s, size, vg.Point{}, a)
	c.Pop()
}

func rectangle(x0, y0, x1, y1 vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}
}

// box returns the corners of a rectangle.
func box(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

// outlineOf adds a closed polygon to a path.
func outlineOf(p *vg.Path, corners ...vg.Point) {
	for i, corner := range corners {
		if i == 0 {
			p.Move(corner)
		} else {
			p.Line(corner)
		}
	}
	p.Close()
}
