package paircount

import (
	"context"

	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/io/catalog"
	"skyjoin/tiles"
)

// Plan returns the catalogs' part of the plan of a count, and records the units of
// their coordinates.
func (f *Flags) Plan(ctx context.Context, j *job.Job, command string) (*tiles.Plan, error) {
	p, err := tiled.Plan(ctx, j, command, f.Weights, f.WeightsOfB(j))
	if err != nil {
		return nil, err
	}
	a, err := fieldsOf(ctx, &j.Side, j.Geo.Request(&j.Read, f.Weights))
	if err != nil {
		return nil, err
	}
	j.Geo.Took(a)
	if j.B == nil {
		return p, nil
	}
	b, err := fieldsOf(ctx, j.B, j.B.Geo.Request(j.ReadB(), f.WeightsOfB(j)))
	if err != nil {
		return nil, err
	}
	return p, geometry.SameUnits(a, b)
}

// fieldsOf are the fields of the coordinates, of no rows at all.
func fieldsOf(ctx context.Context, s *job.Side, req catalog.Request) ([]catalog.Field, error) {
	req.Empty = true
	none, err := s.Cat.Part(catalog.Part{}).Select(ctx, req)
	if err != nil {
		return nil, err
	}
	return none.Fields, nil
}
