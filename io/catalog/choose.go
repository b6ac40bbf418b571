package catalog

import (
	"context"
	"slices"

	"skyjoin/internal/format"
	"skyjoin/neighbors"
)

// choose makes points from the usable rows among those marked in keep, or among
// all rows if keep is nil. It modifies keep and cols.
func (c *Catalog) choose(ctx context.Context, cols []format.Column, rows int64, keep []bool, req Request) (*Selection, error) {
	s := &Selection{Total: rows, Passed: slices.Clone(keep)}
	sieve := newSieve(rows, keep)
	for i := range cols {
		toFloats(&cols[i])
		if req.onSky() && i < 2 {
			if err := toDegrees(&cols[i]); err != nil {
				return nil, err
			}
		}
		sieve.check(&cols[i], req.valid(i))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	s.Skipped, s.Filtered = sieve.skips, sieve.filtered
	err := c.pool.Run(ctx, len(cols), func(i int) error {
		sieve.compact(&cols[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, s.fill(cols, sieve, len(req.Columns))
}

// fill sets the points, from the first dim columns, and the weights, from the
// column after them if there is one.
func (s *Selection) fill(cols []format.Column, sieve *sieve, dim int) error {
	coords := make([]neighbors.Column, dim)
	for i := range coords {
		coords[i] = neighbors.Column{Float64: cols[i].Float64, Float32: cols[i].Float32}
		s.Fields = append(s.Fields, publicField(cols[i].Field))
	}
	for _, c := range cols[dim:] {
		if s.Weights = c.Float64; c.Float32 != nil {
			s.Weights = widen(c.Float32)
		}
	}
	s.Rows = sieve.rows()
	var err error
	s.Points, err = neighbors.NewPoints(coords...)
	return err
}
