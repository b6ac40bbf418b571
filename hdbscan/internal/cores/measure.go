package cores

import (
	"math"

	"skyjoin/internal/kdtree"
	"skyjoin/internal/kernel"
	"skyjoin/neighbors"
)

// newMeasure returns the heights of a metric: distances divided by alpha, which
// is 1 where distances are not to be divided.
func newMeasure(angle bool, alpha float64) kdtree.Measure {
	var m kdtree.Measure = length{}
	if angle {
		m = angular{}
	}
	if alpha != 1 {
		m = divided{m, alpha}
	}
	return m
}

// wider is more than what rounding takes from squares and roots.
const wider = 1 + 0x1p-40

// length is the Euclidean distance.
type length struct{}

func (length) Height(_ *kernel.Points, _ int, _ *kernel.Points, _ int, d2 float64) float64 {
	return math.Sqrt(d2)
}

// Within allows for squares that are rounded where they have few bits.
func (length) Within(h float64) float64 { return float64(h*h)*wider + 0x1p-1060 }

// angular is the angle between unit vectors.
type angular struct{}

func (angular) Height(q *kernel.Points, i int, p *kernel.Points, j int, d2 float64) float64 {
	sum2 := 0.0
	if d2 > 2 {
		for c := range p.Dim {
			s := q.Data[c*q.Stride+i] + p.Data[c*p.Stride+j]
			sum2 += float64(s * s)
		}
	}
	return neighbors.Angle(d2, sum2)
}

func (angular) Within(h float64) float64 {
	if h >= math.Pi {
		return math.Inf(1)
	}
	chord := 2 * math.Sin(h/2)
	return float64(chord*chord)*wider + 0x1p-1060
}

// divided is a measure of which the heights are divided by alpha.
type divided struct {
	kdtree.Measure
	alpha float64
}

func (m divided) Height(q *kernel.Points, i int, p *kernel.Points, j int, d2 float64) float64 {
	return m.Measure.Height(q, i, p, j, d2) / m.alpha
}

func (m divided) Within(h float64) float64 { return m.Measure.Within(h * m.alpha * wider) }
