package neighbors

import (
	"context"
	"fmt"

	"skyjoin/internal/par"
	"skyjoin/internal/space"
)

// Input is what is joined: every row of Query against the rows of Data. A nil
// Data makes it a self-join of Query, in which a row is not its own neighbour.
//
// Threads and Memory are for the index: how many goroutines build it (0:
// GOMAXPROCS), and how many bytes it may take (0: no cap).
type Input struct {
	Query   *Points
	Data    *Points
	Metric  Metric
	Threads int
	Memory  int64
}

// A Plan is a validated join, ready to be carried out by any [Joiner]. Its index
// is built when it is first needed, once. A plan never changes otherwise and is
// safe for concurrent use.
//
// A plan has no metric left to apply. Its points lie in a plain space, in which
// d² of two rows is a sum of squared differences, added up in the order of the
// coordinates, and a pair is within the radius exactly if d² ≤ SquaredRadius:
//
//	Euclidean    the columns, each divided by its scale
//	Sky          unit vectors (x, y, z) of RA and Dec; d² is the squared chord
//	             4·sin²(θ/2); see Angle for how well it tells angles apart
//	SkyDistance  the same, times the distance
//	Periodic     the columns reduced to [0, L); differences are those to the
//	             nearest image, min(|δ|, L-|δ|)
//
// The index of a Within plan is a sparse grid over this space: cells about as
// wide as the radius in the few dimensions that divide the points best, of which
// only those that hold points are kept, sorted so that the candidates of a cell
// are a few long runs of points. That of a Nearest plan is such a grid, searched
// ring by ring, or a k-d tree; [Plan.Algorithm] says which. Rows are handed out in
// the order of the index, in which those that follow each other are near each
// other.
type Plan struct {
	metric Metric
	within *Within      // either within
	near   *Nearest     // or near is set
	query  *space.Space // as the metric lowered them
	data   *space.Space // the same as query in a self-join
	self   bool
	t      float64 // largest d² within the radius
	index
}

// Prepare validates the join and lowers the metric. Errors wrap ErrRequest,
// ErrCoordinate, or ErrMemory where the index would need more than is allowed.
// The index is built by the first join that needs it, or by [Index].
func Prepare(ctx context.Context, in Input, q Query) (*Plan, error) {
	if in.Query == nil {
		return nil, fmt.Errorf("%w: no query points", ErrRequest)
	}
	p := &Plan{metric: in.Metric, self: in.Data == nil}
	if !p.self && in.Data.Dim() != in.Query.Dim() {
		return nil, fmt.Errorf("%w: %d query columns but %d data columns", ErrRequest, in.Query.Dim(), in.Data.Dim())
	}
	var err error
	threads := par.Threads(in.Threads)
	if p.query, err = in.Metric.lower(in.Query, threads); err != nil {
		return nil, err
	}
	p.data = p.query
	if !p.self {
		if p.data, err = in.Metric.lower(in.Data, threads); err != nil {
			return nil, err
		}
	}
	switch q := q.(type) {
	case Within:
		p.within = &q
		if p.t, err = in.Metric.threshold(q.Radius, q.far); err != nil {
			return nil, err
		}
	case Nearest:
		p.near = &q
		if err := p.checkK(q); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%w: query %T, it must be Within or Nearest", ErrRequest, q)
	}
	if err := p.planIndex(in); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Plan) checkK(q Nearest) error {
	if q.K < 1 {
		return fmt.Errorf("%w: k=%d, it must be at least 1", ErrRequest, q.K)
	}
	have := p.data.Len()
	rows := "rows"
	if p.self {
		have = max(have-1, 0)
		rows = "other rows"
	}
	if q.K > have && !q.Pad && p.query.Len() > 0 {
		return fmt.Errorf("%w: k=%d, which is more than the number of %s, %d", ErrRequest, q.K, rows, have)
	}
	if uint64(q.K) > MaxRows { // Pad fills up for rows that could exist
		return fmt.Errorf("%w: k=%d, it can be at most %d", ErrRequest, q.K, uint64(MaxRows))
	}
	return nil
}

// Len returns the number of query rows.
func (p *Plan) Len() int { return p.query.Len() }

// DataLen returns the number of data rows.
func (p *Plan) DataLen() int { return p.data.Len() }

// Self reports whether the plan is a self-join.
func (p *Plan) Self() bool { return p.self }

// Within returns the radius query of the plan, nil if it asks for the nearest.
func (p *Plan) Within() *Within { return p.within }

// Nearest returns the nearest query of the plan, nil if it asks for a radius.
func (p *Plan) Nearest() *Nearest { return p.near }

// SquaredRadius returns the largest d² that counts as within the radius.
func (p *Plan) SquaredRadius() float64 { return p.t }

// SquaredDistance returns d² of a query row and a data row, as every joiner
// compares it with SquaredRadius.
func (p *Plan) SquaredDistance(query, data uint32) float64 {
	return p.query.SquaredDistance(int(query), p.data, int(data))
}

// Distance returns the distance that joiners report for a query row and a data
// row: fl(√d²), or the angle in radians on the sky.
func (p *Plan) Distance(query, data uint32) float64 {
	return p.distance(int(query), int(data), p.SquaredDistance(query, data))
}

// IsAngle reports whether radii and distances of the plan are angles in
// radians; otherwise Distance is the square root of SquaredDistance.
func (p *Plan) IsAngle() bool { return p.metric.IsAngle() }

// Work returns a Work over all query rows in the order of the index, in which
// consecutive rows are near each other. If all rows are taken at once before the
// index is built, they are in ascending order: only the index needs the other order.
// The rows must not be changed.
func (p *Plan) Work() Work { return &rowQueue{plan: p, cost: p.Cost} }

// part returns the join of some query rows with some data rows of a plan, for
// devices that cannot hold all of them. Rows of the part are indexes into the lists:
// row i of its query side is query[i]. It is never a self-join, even if p is: a row
// then finds itself, at distance 0, if it is on both sides, so that a Nearest part
// asks for one neighbour more. It asks for no more neighbours than it has data rows.
// Neighbours, their order where data ascends, and distances are those of p.
func (p *Plan) part(query, data []uint32) (*Plan, error) {
	part := &Plan{metric: p.metric, within: p.within, t: p.t, query: p.query.Subset(query), data: p.data.Subset(data)}
	if p.near != nil {
		k := p.near.K
		if p.self {
			k++
		}
		part.near = &Nearest{K: max(min(k, len(data)), 1), Pad: true}
	}
	return part, part.planIndex(Input{Threads: p.threads})
}
