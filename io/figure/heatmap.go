package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"skyjoin/stats2b"
)

// A HeatMap shows a value for each pair of bins, such as ξ(rp, π) or a
// correlation matrix, in colours from blue for negative over white for 0 to
// vermilion for positive values. NaN and infinite values are grey.
type HeatMap struct {
	X, Y         stats2b.Bins
	Values       []float64 // bin i of X, j of Y is i·Y.Len()+j
	Name         string    // of the values
	XAxis, YAxis Axis
	// Compress, if not 0, shows sinh⁻¹(value/Compress), for values that span
	// decades on both sides of 0.
	Compress float64
	Limit    float64 // values of this and more have the full colour; 0: the largest there is
	Title    string
	Style    Style
}

// CorrelationMatrix returns the heat map of a covariance matrix in units of
// the standard deviations: C_ij/√(C_ii·C_jj).
func CorrelationMatrix(covariance [][]float64, bins stats2b.Bins, a Axis) (HeatMap, error) {
	if len(covariance) != bins.Len() {
		return HeatMap{}, fmt.Errorf("%w: a covariance of %d bins for %d bins", ErrRequest, len(covariance), bins.Len())
	}
	h := HeatMap{X: bins, Y: bins, Name: "correlation of the bins", XAxis: a, YAxis: a, Limit: 1}
	for i, row := range covariance {
		for j, c := range row {
			h.Values = append(h.Values, c/math.Sqrt(covariance[i][i])/math.Sqrt(covariance[j][j]))
		}
	}
	return h, nil
}

// CovarianceMatrix returns the heat map of a covariance matrix itself, compressed where
// its values span decades.
func CovarianceMatrix(covariance [][]float64, bins stats2b.Bins, a Axis) (HeatMap, error) {
	if len(covariance) != bins.Len() {
		return HeatMap{}, fmt.Errorf("%w: a covariance of %d bins for %d bins", ErrRequest, len(covariance), bins.Len())
	}
	h := HeatMap{X: bins, Y: bins, Name: "covariance of the bins", XAxis: a, YAxis: a, Values: slices.Concat(covariance...)}
	least := math.Inf(1) // of the variances
	for i, row := range covariance {
		if v := row[i]; v > 0 {
			least = min(least, v)
		}
	}
	if most := h.limit(); most > 30*least {
		h.Compress = least
	}
	return h, nil
}

// Figure lays the map out. The error wraps ErrRequest.
func (h HeatMap) Figure() (*Figure, error) { return figure(h.panel()) }

func (h HeatMap) panel() (*panel, error) {
	if h.X.Len() == 0 || h.Y.Len() == 0 || len(h.Values) != h.X.Len()*h.Y.Len() {
		return nil, fmt.Errorf("%w: %d values for %d × %d bins", ErrRequest, len(h.Values), h.X.Len(), h.Y.Len())
	}
	p, err := newPanel(h.Style, SingleColumn, h.Title, 0.9)
	if err != nil {
		return nil, err
	}
	limit := h.limit()
	p.x, p.y = binAxis(h.XAxis, h.X), binAxis(h.YAxis, h.Y)
	p.bar = &colourBar{axis: h.scale(limit), colour: func(v float64) color.Color { return h.colour(p.sheet, v, limit) }}
	if slices.ContainsFunc(h.Values, func(v float64) bool { return !drawable(v, v) }) {
		p.legend.tail = []entry{{"no value", func(c draw.Canvas, at vg.Point, size vg.Length) {
			c.FillPolygon(noiseGrey, box(rectangle(at.X-size*0.5, at.Y-size*0.5, at.X+size*0.5, at.Y+size*0.5)))
		}}}
	}
	p.layout()
	p.layer(func(c draw.Canvas) {
		for i := range h.X.Len() {
			for j := range h.Y.Len() {
				// Slightly more than the bin, so that no gaps show; the next
				// bin covers the excess.
				const hair = 0.3
				lo, hi := p.at(h.X.Edge(i), h.Y.Edge(j)), p.at(h.X.Edge(i+1), h.Y.Edge(j+1))
				c.FillPolygon(h.colour(p.sheet, h.Values[i*h.Y.Len()+j], limit), box(rectangle(lo.X, lo.Y, min(hi.X+hair, c.Max.X), min(hi.Y+hair, c.Max.Y))))
			}
		}
	})
	return p, nil
}

// limit returns the value of the full colour.
func (h *HeatMap) limit() float64 {
	if h.Limit > 0 {
		return h.Limit
	}
	largest := 0.0
	for _, v := range h.Values {
		if drawable(v, v) {
			largest = max(largest, math.Abs(v))
		}
	}
	if largest == 0 {
		return 1
	}
	return largest
}

// strength returns v on the scale of colours, from -1 to 1.
func (h *HeatMap) strength(v, limit float64) float64 {
	s := v / limit
	if h.Compress > 0 {
		s = math.Asinh(v/h.Compress) / math.Asinh(limit/h.Compress)
	}
	return min(max(s, -1), 1)
}

// scale is the axis of the values, without a side that they do not have.
func (h *HeatMap) scale(limit float64) axis {
	r := interval{0, limit}
	if slices.ContainsFunc(h.Values, func(v float64) bool { return v < 0 }) {
		r.lo = -limit
	}
	if h.Compress > 0 {
		return asinhAxis(Axis{Name: h.Name}, r, h.Compress)
	}
	return linearAxis(Axis{Name: h.Name}, r)
}

func (h *HeatMap) colour(of sheet, v, limit float64) color.Color {
	if !drawable(v, v) {
		return noiseGrey
	}
	s := h.strength(v, limit)
	if s < 0 {
		return tint(of.colour(0), -s)
	}
	return tint(of.colour(1), s)
}
