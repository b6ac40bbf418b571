package figure

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A ConfusionMatrix shows how many rows of each true class were predicted to be
// of each class: a row of cells for each true class, the first at the top,
// shaded by the fraction of that class, with the numbers in the cells where
// there is room.
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
	predicted := append([]string(nil), m.Classes...)
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
	if err != nil {
		return nil, err
	}
	// Names below are cut to about the width of their cells, names at the side to a
	// quarter of the figure; where cells are small, some names are left out.
	cell := 0.52 * p.width / vg.Length(columns)
	p.x, p.y = linearAxis(Axis{Name: "predicted class"}, interval{0, float64(columns)}), linearAxis(Axis{Name: "true class"}, interval{0, float64(rows)})
	p.x.ruler = p.names(predicted, cell, 4*p.small, 0.95*cell, false)
	tall := 0.52 * p.width * vg.Length(p.aspect) / vg.Length(rows)
	p.y.ruler = p.names(m.Classes, tall, 1.3*p.small, p.width/4, true)
	p.layout()
	p.layer(func(c draw.Canvas) {
		for i, counts := range m.Count {
			var all int64
			for _, n := range counts {
				all += n
			}
			for j, n := range counts {
				cell := vg.Rectangle{Min: p.at(float64(j), float64(rows-i-1)), Max: p.at(float64(j+1), float64(rows-i))}
				share := 0.0
				if all > 0 {
					share = float64(n) / float64(all)
				}
				p.count(c, cell, n, share)
			}
		}
	})
	return p, nil
}

// count draws a number on the shade of its fraction of the row.
func (p *panel) count(c draw.Canvas, at vg.Rectangle, n int64, share float64) {
	c.FillPolygon(shade(share), box(at))
	size, label := at.Size(), strconv.FormatInt(n, 10)
	if size.Y < 1.2*p.small || size.X < p.textWidth(label, p.small)+0.4*p.small {
		return
	}
	middle, letters := vg.Point{X: (at.Min.X + at.Max.X) / 2, Y: (at.Min.Y + at.Max.Y) / 2}, ink
	if share > 0.55 {
		letters = paper
	}
	p.coloured(c, letters, label, p.small, middle, centerMiddle)
}

// shade is the colour of a fraction: from near white to a dark blue, darker
// throughout.
func shade(share float64) color.NRGBA {
	lo, hi := [3]float64{247, 250, 253}, [3]float64{8, 56, 112}
	mix := func(i int) uint8 { return uint8(lo[i] + float64((hi[i]-lo[i])*share) + 0.5) }
	return color.NRGBA{mix(0), mix(1), mix(2), 255}
}

// names returns a ruler with a name in the middle of each unit of the axis. Where
// the length of a unit is less than room, only every second, third … name is shown.
// If reversed, the names run from the top down. They are cut to width, which grows
// where names below an axis are left out.
func (p *panel) names(all []string, unit, room, width vg.Length, reversed bool) ruler {
	step := max(1, int(math.Ceil(float64(room/unit))))
	if !reversed {
		width *= vg.Length(step)
	}
	var ticks []plot.Tick
	for i := 0; i < len(all); i += step {
		at := float64(i) + 0.5
		if reversed {
			at = float64(len(all)) - at
		}
		ticks = append(ticks, plot.Tick{Value: at, Label: p.fitText(all[i], p.small, width)})
	}
	return func(_, _ float64, _ int) ([]plot.Tick, string) { return ticks, "" }
}
