package main

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/tiles"
)

// dbscanTiles is the clustering in tiles.
var dbscanTiles = tiledCommand{
	name:  "dbscan",
	plan:  newPlanDBSCAN,
	found: func(ctx context.Context, j *job, p *tiles.Plan) error { return j.foundClusters(ctx, p) },
	write: mergeClusters,
}

func newPlanDBSCAN(a *app) *cobra.Command {
	o := &dbscanOptions{border: borderChoice()}
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:     "dbscan IN… --eps E --min-points M --tiles N -o PLAN",
		Short:   "a clustering in tiles",
		Long:    planLong,
		Example: planExample,
		Args:    needFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.plan(cmd.Context(), a, f, args) },
	}
	o.register(cmd)
	o.read.register(cmd.Flags())
	o.registerCounts(cmd.Flags())
	f.register(cmd)
	return cmd
}

// plan plans the clustering.
func (o *dbscanOptions) plan(ctx context.Context, a *app, f *planFlags, paths []string) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	j, err := openJob(ctx, a, "dbscan", &f.run, &o.read, paths)
	if err != nil {
		return err
	}
	defer j.cat.Close()
	if j.geo, err = o.geometry.resolve(j.cat); err != nil {
		return err
	}
	p, err := o.planOf(ctx, j)
	if err != nil {
		return err
	}
	j.sum.Command = "plan dbscan"
	return f.make(ctx, j, p, []*catalog.Catalog{j.cat})
}

// planOf returns what a plan of the clustering computes. Scales by rule are
// taken from all rows.
func (o *dbscanOptions) planOf(ctx context.Context, j *job) (*tiles.Plan, error) {
	eps, err := j.geo.radius("--eps", o.eps)
	if err != nil {
		return nil, err
	}
	if j.geo.byRule() {
		if err := j.load(ctx, &o.read, ""); err != nil {
			return nil, err
		}
	}
	var scales []float64
	if j.sel != nil {
		scales, j.scale, err = j.geo.scaleValues(j.sel.Points)
		j.sel, j.sum.Input = nil, newInput()
	} else {
		scales, j.scale, err = j.geo.scaleValues(nil)
	}
	if err != nil {
		return nil, err
	}
	return &tiles.Plan{
		Command:  "dbscan",
		Sets:     []tiles.Set{j.geo.setOf(j.cat, &o.read, o.weights)},
		Metric:   j.geo.metricOf(scales),
		Radius:   eps,
		DBSCAN:   &tiles.DBSCAN{MinPoints: o.minPoints.value, Star: o.star, Border: o.border.value, Counts: o.counts},
		Metadata: o.parameters(j),
	}, nil
}
