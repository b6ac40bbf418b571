package published

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/column"
	"skyjoin/internal/mock"
	"skyjoin/neighbors"
)

// seed is that of all data.
const seed = 1

// A bench measures at a scale: with that part of the rows, at radii that keep the
// number of neighbours of a row.
type bench struct {
	ctx     context.Context
	scale   float64
	threads int
}

// A set is the data of a join, exponential at rate 40, and its radius.
type set struct {
	dim, rows int
	radius    float64
}

// name is that of the paper, with the radius.
func (s set) name() string { return fmt.Sprintf("Expo%dD%dM %g", s.dim, s.rows/1_000_000, s.radius) }

// columns makes the coordinates.
func (b *bench) columns(s set) ([]column.Column, error) {
	rows := max(int64(math.Round(b.scale*float64(s.rows))), 2)
	c, err := mock.New("expo", mock.Options{Rows: rows, Seed: seed, Dim: s.dim})
	if err != nil {
		return nil, err
	}
	var columns []column.Column
	for _, v := range c.Fill(0, rows)[:s.dim] {
		columns = append(columns, column.Column{Float64: v.Float64})
	}
	return columns, nil
}

// radius is that of the paper at full scale, and larger with fewer rows.
func (b *bench) radius(s set) float64 { return s.radius * math.Pow(b.scale, -1/float64(s.dim)) }

// points makes points of columns.
func points(columns []column.Column) (*neighbors.Points, error) {
	var cols []neighbors.Column
	for _, c := range columns {
		cols = append(cols, neighbors.Float64s(c.Float64))
	}
	return neighbors.NewPoints(cols...)
}

// plan prepares the join of the set with itself.
func (b *bench) plan(columns []column.Column, radius float64) (*neighbors.Plan, error) {
	p, err := points(columns)
	if err != nil {
		return nil, err
	}
	return neighbors.Prepare(b.ctx, neighbors.Input{Query: p, Threads: b.threads}, neighbors.Within{Radius: radius})
}
