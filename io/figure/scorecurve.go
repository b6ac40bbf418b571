package figure

import (
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"skyjoin/internal/each"
)

// A ScoreCurve shows a cross-validated score by the number of neighbours that
// vote, with the best one marked.
type ScoreCurve struct {
	K     []int // ascending
	Score []float64
	Best  int    // one of K; 0 marks none
	Name  string // of the score
	Title string
	Style Style
}

// Figure lays the curve out. The error wraps ErrRequest.
func (s ScoreCurve) Figure() (*Figure, error) { return figure(s.panel()) }

func (s ScoreCurve) panel() (*panel, error) {
	if len(s.K) == 0 || len(s.K) != len(s.Score) {
		return nil, fmt.Errorf("%w: score curve of %d k and %d scores, the numbers must agree", ErrRequest, len(s.K), len(s.Score))
	}
	p, err := newPanel(s.Style, SingleColumn, s.Title, 0.72)
	if err != nil {
		return nil, err
	}
	var ks, scores []float64
	for i, k := range s.K {
		if drawable(float64(k), s.Score[i]) {
			ks, scores = append(ks, float64(k)), append(scores, s.Score[i])
		}
	}
	p.x, p.y = newAxis(Axis{Name: "k, neighbours that vote"}, ks, false), newAxis(Axis{Name: s.Name}, scores, false)
	p.layout()
	p.layer(func(c draw.Canvas) {
		line := each.To(len(ks), func(i int) vg.Point { return p.at(ks[i], scores[i]) })
		c.StrokeLines(p.line(p.colour(0), curveWidth), c.ClipLinesXY(line)...)
		for i := range line {
			drawSymbol(c, p.markerOf(0), 0.8*symbolRadius*p.stroke, line[i], false)
		}
		if len(line) == 0 {
			p.text(c, "no scores", p.label, c.Center(), centerMiddle)
		}
	})
	for i, k := range ks {
		if int(k) == s.Best {
			p.annotate(p.best(k, scores[i]))
		}
	}
	return p, nil
}

// best marks a point with a line down to the axis, and returns what is written
// beside it.
func (p *panel) best(k, score float64) note {
	p.layer(func(c draw.Canvas) {
		at := p.at(k, score)
		c.StrokeLine2(p.dashed(p.colour(1)), at.X, c.Min.Y, at.X, at.Y)
		marker{circle, p.colour(1)}.draw(c, symbolRadius*p.stroke, at)
	})
	return note{lines: []string{fmt.Sprintf("best: k = %v, %s", k, number(score))}, x: k, y: score, sample: func(c draw.Canvas, at vg.Point, size vg.Length) {
		marker{circle, p.colour(1)}.draw(c, 0.3*size, at)
	}}
}
