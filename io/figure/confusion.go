package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A ConfusionMatrix shows how many rows of each true class were predicted to be
// of each class: a row of cells for each true class, the first at the top, shaded by
// the share of that class. Numbers and shares are in the cells where there is room
// for those of all cells.
type ConfusionMatrix struct {
	Classes []string  // true classes
	Count   [][]int64 // Count[true][predicted], a slice for each of Classes
	// Outside, if not "", names a last column of Count: rows that were predicted
	// to be of no class.
	Outside string
	Title   string
	Style   Style
}

// Figure lays the matrix out. The error wraps ErrRequest.
func (m ConfusionMatrix) Figure() (*Figure, error) { return figure(m.panel()) }

func (m ConfusionMatrix) panel() (*panel, error) {
	m.Classes = slices.Clone(m.Classes)
	predicted := slices.Clone(m.Classes)
	if m.Outside != "" {
		predicted = append(predicted, m.Outside)
	}
	rows, columns := len(m.Classes), len(predicted)
	if rows == 0 || len(m.Count) != rows {
		return nil, fmt.Errorf("%w: confusion matrix of %d classes with %d rows of counts", ErrRequest, rows, len(m.Count))
	}
	for i, c := range m.Count {
		if len(c) != columns {
			return nil, fmt.Errorf("%w: row %d of the confusion matrix has %d counts, there are %d columns", ErrRequest, i, len(c), columns)
		}
	}
	p, err := newPanel(m.Style, SingleColumn, m.Title, min(max(float64(rows)/float64(columns), 0.3), 1))
	if err == nil {
		err = p.unlimited("a confusion matrix")
	}
	if err != nil {
		return nil, err
	}
	p.x, p.y = linearAxis(Axis{Name: "predicted class"}, interval{0, float64(columns)}), linearAxis(Axis{Name: "true class"}, interval{0, float64(rows)})
	// Names are cut to a quarter of the figure. Those below are written upwards where
	// one is wider than its cell; where cells are small, some are left out.
	room := p.fitAll(predicted, p.width/4)
	inside := p.width - p.fitAll(m.Classes, p.width/4) - 10*p.small // the rest is labels and bar
	if least := 4 * p.small; inside < least {
		inside = least // of a figure that has no room for the bar
	} else {
		p.bar = &colourBar{axis: linearAxis(Axis{"share of the true class", "%"}, interval{0, 100}), colour: func(v float64) color.Color { return p.shade(v / 100) }}
	}
	cell, tall := inside/vg.Length(columns), inside*vg.Length(p.aspect)/vg.Length(rows)
	if room+0.4*p.small > cell {
		p.xTall, room = room, 0.9*p.small
	}
	p.x.ruler = names(predicted, cell, room+0.4*p.small, false)
	p.y.ruler = names(m.Classes, tall, 1.3*p.small, true)
	p.layout()
	p.layer(func(c draw.Canvas) { m.cells(c, p) })
	return p, nil
}

// fitAll shortens texts to a width and returns that of the widest.
func (p *panel) fitAll(all []string, width vg.Length) (widest vg.Length) {
	for i := range all {
		all[i] = p.fitText(all[i], p.small, width)
		widest = max(widest, p.textWidth(all[i], p.small))
	}
	return widest
}

// cells draws the cells and what is written in them.
func (m *ConfusionMatrix) cells(c draw.Canvas, p *panel) {
	texts := make([][][]string, len(m.Count))
	shares := make([][]float64, len(m.Count))
	for i, counts := range m.Count {
		var all int64
		for _, n := range counts {
			all += n
		}
		for _, n := range counts {
			share := float64(n) / float64(max(all, 1))
			shares[i] = append(shares[i], share)
			texts[i] = append(texts[i], cellText(n, share))
		}
	}
	corner := p.at(1, 1).Sub(p.at(0, 0))
	size, lines := p.cellLetters(texts, corner)
	for i := range texts {
		for j, text := range texts[i] {
			at := p.at(float64(j), float64(len(texts)-i-1))
			c.FillPolygon(p.shade(shares[i][j]), box(vg.Rectangle{Min: at, Max: at.Add(corner)}))
			letters := ink
			if shares[i][j] > 0.55 {
				letters = paper
			}
			text = text[:min(lines, len(text))]
			middle := at.Add(corner.Scale(0.5))
			for k, line := range text {
				y := middle.Y + size*cellLine*(vg.Length(len(text)-1)/2-vg.Length(k))
				p.coloured(c, letters, line, size, vg.Point{X: middle.X, Y: y}, centerMiddle)
			}
		}
	}
}

// cellLine is the distance of the lines of a cell, over the size of its letters.
const cellLine = 1.35

// cellText is what is written in a cell: a number and, if it is not 0, its share of
// the true class.
func cellText(n int64, share float64) []string {
	number := count(int(n))
	switch {
	case n == 0:
		return []string{number}
	case share < 0.005:
		return []string{number, "<1%"}
	}
	return []string{number, fixedPoint(100*share, 0) + "%"}
}

// cellLetters returns the largest letters for which all cells have room, and whether
// for both lines, for one, or for none.
func (p *panel) cellLetters(texts [][][]string, cell vg.Point) (size vg.Length, lines int) {
	for _, try := range []struct {
		lines int
		least vg.Length
	}{{2, 0.7}, {1, 0.5}} {
		for scale := vg.Length(1); scale >= try.least-0.01; scale -= 0.1 {
			size := scale * p.small
			fit := cell.Y >= size*(p.capHeight+vg.Length(try.lines-1)*cellLine+0.5)
			for _, row := range texts {
				for _, text := range row {
					for _, line := range text[:min(try.lines, len(text))] {
						fit = fit && p.textWidth(line, size)+0.4*size <= cell.X
					}
				}
			}
			if fit {
				return size, try.lines
			}
		}
	}
	return p.small, 0
}

// shade is the colour of a fraction: from near white to a dark blue, darker
// throughout; or from white to the first of colours that are given.
func (s sheet) shade(share float64) color.NRGBA {
	if len(s.style.Colours) > 0 {
		return tint(s.colour(0), 0.03+0.97*share)
	}
	lo, hi := [3]float64{247, 250, 253}, [3]float64{8, 56, 112}
	mix := func(i int) uint8 { return uint8(lo[i] + float64((hi[i]-lo[i])*share) + 0.5) }
	return color.NRGBA{mix(0), mix(1), mix(2), 255}
}

// names returns a ruler with a name in the middle of each unit of the axis. Where
// the length of a unit is less than room, only every second, third … name is shown.
// If reversed, the names run from the top down.
func names(all []string, unit, room vg.Length, reversed bool) ruler {
	step := max(1, int(math.Ceil(float64(room/unit))))
	var ticks []tick
	for i := 0; i < len(all); i += step {
		at := float64(i) + 0.5
		if reversed {
			at = float64(len(all)) - at
		}
		ticks = append(ticks, tick{value: at, label: all[i]})
	}
	return func(_, _ float64, _ int) ([]tick, string) { return ticks, "" }
}
