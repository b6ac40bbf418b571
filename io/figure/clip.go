package figure

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// clipped is a canvas that draws within a rectangle only.
type clipped struct {
	vg.Canvas
	to vg.Rectangle
}

// Fill implements vg.Canvas.
func (c clipped) Fill(p vg.Path) {
	clip := draw.Canvas{Rectangle: c.to}
	c.Canvas.Fill(c.cut(p, func(line []vg.Point, _ bool) (all [][]vg.Point) { return [][]vg.Point{clip.ClipPolygonXY(line)} }, true))
}

// Stroke implements vg.Canvas.
func (c clipped) Stroke(p vg.Path) {
	clip := draw.Canvas{Rectangle: c.to}
	c.Canvas.Stroke(c.cut(p, func(line []vg.Point, closed bool) [][]vg.Point {
		if closed {
			line = append(line, line[0])
		}
		return clip.ClipLinesXY(line)
	}, false))
}

// cut replaces the parts of a path that lie partly outside by what is within.
func (c clipped) cut(p vg.Path, within func(line []vg.Point, closed bool) [][]vg.Point, closed bool) (all vg.Path) {
	for len(p) > 0 {
		n := 1
		for n < len(p) && p[n].Type != vg.MoveComp {
			n++
		}
		part := p[:n]
		p = p[n:]
		line, closes := flattened(part)
		inside := 0
		for _, at := range line {
			if at.X >= c.to.Min.X && at.X <= c.to.Max.X && at.Y >= c.to.Min.Y && at.Y <= c.to.Max.Y {
				inside++
			}
		}
		if inside == len(line) {
			all = append(all, part...)
			continue
		}
		for _, piece := range within(line, closes) {
			if len(piece) < 2 {
				continue
			}
			all.Move(piece[0])
			for _, at := range piece[1:] {
				all.Line(at)
			}
			if closed {
				all.Close()
			}
		}
	}
	return all
}

// flattened is a part of a path as a line, and whether it is closed.
func flattened(part vg.Path) (line []vg.Point, closed bool) {
	const steps = 8
	for _, c := range part {
		switch c.Type {
		case vg.CloseComp:
			closed = true
		case vg.CurveComp:
			from, a, b := line[len(line)-1], c.Control[0], c.Control[1]
			for i := 1; i <= steps; i++ {
				t := vg.Length(i) / steps
				ab, bc, cd := between(from, a, t), between(a, b, t), between(b, c.Pos, t)
				line = append(line, between(between(ab, bc, t), between(bc, cd, t), t))
			}
		default:
			line = append(line, c.Pos)
		}
	}
	return line, closed
}
