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
	usable := newUsableRows(rows, keep)
	for i := range cols {
		valid := req.valid(i)
		if valid.text = cols[i].Field.Type == format.String; valid.text {
			toDegreesOfText(&cols[i], inHours(publicField(cols[i].Field), i == 0 && req.onSky()))
		}
		toFloats(&cols[i])
		if req.onSky() && i < 2 {
			cols[i].Field.Unit = req.unit(i, cols[i].Field.Unit)
			if err := toDegrees(&cols[i]); err != nil {
				return nil, err
			}
		}
		usable.check(&cols[i], valid)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	s.Skipped, s.Filtered = usable.skips, usable.filtered
	err := c.pool.Run(ctx, len(cols), func(i int) error {
		usable.compact(&cols[i])
		return nil
	})
	if err != nil {
		return nil, err
	}
	if ra, dec, ok := c.split(); ok && req.onSky() && req.Columns[0] == ra && req.Columns[1] == dec {
		cols[0].Field.Name, cols[1].Field.Name = "ra", "dec"
	}
	if req.rotated() {
		if err := c.rotate(ctx, &cols[0], &cols[1], req.Frame); err != nil {
			return nil, err
		}
	}
	return s, s.fill(cols, usable, len(req.Columns))
}

// fill sets the points, from the first dim columns, and the weights, from the
// column after them if there is one.
func (s *Selection) fill(cols []format.Column, usable *usableRows, dim int) error {
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
	s.Rows = usable.rows()
	var err error
	s.Points, err = neighbors.NewPoints(coords...)
	return err
}
