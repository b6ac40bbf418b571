package tiles

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

// Options returns the options for matching some rows; a and b are their errors, in
// the unit of the columns.
func (m *Match) Options(a, b []float64) (match.Options, error) {
	o := match.Options{Radius: m.Radius, Min: m.Min, K: m.K, ErrorA: scaled(a, m.ErrorA), ErrorB: scaled(b, m.ErrorB), Sigmas: m.Sigmas}
	var err error
	if o.Combined, err = match.ParseCombination(cmp.Or(m.Combine, match.Sum.String())); err != nil {
		return o, err
	}
	o.Find, err = match.ParseFind(m.Find)
	return o, err
}

func scaled(errors []float64, per float64) []float64 {
	if per == 0 {
		return nil
	}
	return each.Of(errors, func(e float64) float64 { return e * per })
}

// least is a radius that in effect admits only pairs at distance 0: for matches in
// which all errors are 0.
const least = 1e-150

// reachOfMatch sets the radius of the plan once the largest errors are known.
func (p *Plan) reachOfMatch(ctx context.Context) error {
	m := p.Match
	if p.Radius = m.Radius; m.ErrorA != 0 || m.ErrorB != 0 {
		o, err := m.Options(nil, nil)
		if err != nil {
			return err
		}
		most := o.Allowed(p.Sets[0].Largest*m.ErrorA, p.Sets[1].Largest*m.ErrorB)
		if p.Radius == 0 || most < p.Radius {
			p.Radius = max(most, least)
		}
	}
	if p.Radius == 0 {
		return fmt.Errorf("%w: the %d nearest rows may be anywhere; a radius, or errors, bound the halo of a tile", neighbors.ErrRequest, m.K)
	}
	if m.K > 0 {
		return nil
	}
	// Joining no rows refuses the radii that the metric does not allow, as joining
	// all rows would.
	none, err := neighbors.NewPoints(slices.Repeat([]neighbors.Column{neighbors.Float64s([]float64{})}, len(p.Sets[0].Columns))...)
	if err == nil {
		_, err = neighbors.Prepare(ctx, neighbors.Input{Query: none, Data: none, Metric: p.metric()}, neighbors.Within{Radius: p.Radius})
	}
	return err
}
