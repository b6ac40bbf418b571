package published

import (
	"fmt"
	"math"

	"skyjoin/internal/column"
	"skyjoin/internal/epsilon"
	"skyjoin/internal/mock"
	"skyjoin/neighbors"
)

// seed is that of all data.
const seed = 1

// A set is the data of a join, and its radius.
type set struct {
	kind      string // as in "cluster gen": expo, uniform, or what stands in for data that is not to be had
	dim, rows int
	radius    float64
	mean      int    // without a radius: neighbours on average, at that radius which has them
	k         int    // of joins of the nearest
	buckets   int    // of histograms of all pairs
	as        string // the data that it stands in for
}

func expo(dim, millions int, radius float64) set {
	return set{kind: "expo", dim: dim, rows: millions * 1_000_000, radius: radius}
}

func unif(dim, millions int, radius float64) set {
	return set{kind: "uniform", dim: dim, rows: millions * 1_000_000, radius: radius}
}

// family is the name of the data as in the papers, without the radius.
func (s set) family() string {
	if s.as != "" {
		return s.as + ": " + s.kind
	}
	size := fmt.Sprintf("%dM", s.rows/1_000_000)
	if s.rows%1_000_000 != 0 {
		size = fmt.Sprintf("%dk", s.rows/1000)
	}
	return fmt.Sprintf("%s%dD%s", map[string]string{"expo": "Expo", "uniform": "Unif"}[s.kind], s.dim, size)
}

// name is that of the paper, with what is asked of the data.
func (s set) name() string {
	switch {
	case s.radius > 0:
		return fmt.Sprintf("%s %g", s.family(), s.radius)
	case s.mean > 0:
		return fmt.Sprintf("%s S=%d", s.family(), s.mean)
	case s.k > 0:
		return fmt.Sprintf("%s K=%d", s.family(), s.k)
	case s.buckets > 0:
		return fmt.Sprintf("%s, %d buckets", s.family(), s.buckets)
	}
	return s.family()
}

// along is where the set is along the axis of a figure.
func (s set) along() float64 {
	switch {
	case s.radius > 0:
		return s.radius
	case s.mean > 0:
		return float64(s.mean)
	case s.k > 0:
		return float64(s.k)
	case s.buckets > 0:
		return float64(s.buckets)
	}
	return float64(s.rows)
}

// columns makes the coordinates.
func (b *bench) columns(s set) ([]column.Column, error) {
	rows := max(int64(math.Round(b.scale*float64(s.rows))), 2)
	c, err := mock.New(s.kind, mock.Options{Rows: rows, Seed: seed, Dim: s.dim})
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

// A subject is the data of a row, and what is asked of it.
type subject struct {
	set
	columns []column.Column
	points  *neighbors.Points
	query   neighbors.Query
	found   int64 // neighbours; 0: not known yet
}

// subject makes the data of a set, with its radius.
func (b *bench) subject(s set) (*subject, error) {
	columns, err := b.columns(s)
	if err != nil {
		return nil, err
	}
	p, err := points(columns)
	if err != nil {
		return nil, err
	}
	subject := &subject{set: s, columns: columns, points: p, query: neighbors.Within{Radius: b.radius(s)}}
	switch {
	case s.k > 0:
		subject.query = neighbors.Nearest{K: min(s.k, p.Len()-1)}
	case s.mean > 0:
		subject.query = neighbors.Nearest{K: min(s.mean, p.Len()-1)}
		plan, err := b.plan(subject)
		if err != nil {
			return nil, err
		}
		radius, err := epsilon.Choose(plan, plan.Nearest().K, epsilon.CPU{Pairs: plan, Threads: b.threads})
		subject.query = neighbors.Within{Radius: radius}
		return subject, err
	}
	return subject, nil
}

// plan prepares the join of a subject with itself, without an index of an earlier run.
func (b *bench) plan(s *subject) (*neighbors.Plan, error) {
	return neighbors.Prepare(b.ctx, neighbors.Input{Query: s.points, Threads: b.threads}, s.query)
}
