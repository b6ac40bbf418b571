package paircount

import (
	"context"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/tiles"
)

// Planned takes what a plan needs to know of all rows: the scales, of the first
// catalog if it is loaded, and the units.
func (f *Flags) Planned(ctx context.Context, d *job.Duo) (tiles.Metric, error) {
	var points *neighbors.Points
	if d.Sel != nil {
		points = d.Sel.Points
	}
	scales, text, err := d.Geo.ScaleValues(points)
	if err != nil {
		return tiles.Metric{}, err
	}
	d.Scale, d.Sum.Input = text, report.NewInput()
	return tiled.MetricOf(d.Geo, scales), f.units(ctx, d)
}

// Sets are the catalogs as the plan of a count has them.
func (f *Flags) Sets(d *job.Duo) ([]tiles.Set, []*catalog.Catalog) {
	sets, cats := []tiles.Set{tiled.SetOf(d.Geo, d.Cat, &f.Read, f.Weights)}, []*catalog.Catalog{d.Cat}
	if d.B != nil {
		set := tiled.SetOf(d.B.Geo, d.B.Cat, &f.Read, f.WeightsOfB(d))
		set.Where = f.Second.Where
		sets, cats = append(sets, set), append(cats, d.B.Cat)
	}
	return sets, cats
}

// units takes the units of the coordinates, which are those of no rows at all.
func (f *Flags) units(ctx context.Context, d *job.Duo) error {
	fields := func(cat *catalog.Catalog, g *geometry.Geometry, weights string, read *flags.Read) ([]catalog.Field, error) {
		req := g.Request(read, weights, nil)
		req.Empty = true
		none, err := cat.Part(catalog.Part{}).Select(ctx, req)
		if err != nil {
			return nil, err
		}
		return none.Fields, nil
	}
	a, err := fields(d.Cat, d.Geo, f.Weights, &f.Read)
	if err != nil {
		return err
	}
	d.Geo.Took(a)
	if d.B == nil {
		return nil
	}
	b, err := fields(d.B.Cat, d.B.Geo, f.WeightsOfB(d), &flags.Read{Where: f.Second.Where, Strict: f.Read.Strict})
	if err != nil {
		return err
	}
	return geometry.SameUnits(a, b)
}
