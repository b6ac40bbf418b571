package dbscan

import (
	"context"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/io/catalog"
	"skyjoin/tiles"
)

// mergeClusters merges a clustering, and writes the labelled table as 'cluster dbscan'
// does.
func mergeClusters(ctx context.Context, o *tiled.Merge, a *job.App, p *tiles.Plan) error {
	j, end, err := o.Begin(ctx, a, p)
	defer end()
	if err != nil {
		return err
	}
	if err := tiled.FoundClusters(ctx, j, p); err != nil {
		return err
	}
	if o.Out.Output != "" {
		if err := tiled.WriteLabels(ctx, j, p, &o.Out); err != nil {
			return err
		}
	}
	return j.Finish()
}

// Tiled is the clustering in tiles.
var Tiled = tiled.Command{
	Name:  "dbscan",
	Plan:  newPlanDBSCAN,
	Found: func(ctx context.Context, j *job.Job, p *tiles.Plan) error { return tiled.FoundClusters(ctx, j, p) },
	Write: mergeClusters,
}

func newPlanDBSCAN(a *job.App) *cobra.Command {
	o := &dbscanOptions{border: job.BorderChoice()}
	f := &tiled.Flags{}
	cmd := &cobra.Command{
		Use:     "dbscan IN… --eps E --min-points M --tiles N -o PLAN",
		Short:   "a clustering in tiles",
		Long:    tiled.PlanLong,
		Example: tiled.PlanExample,
		Args:    flags.NeedFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.plan(cmd.Context(), a, f, args) },
	}
	o.register(cmd)
	o.read.Register(cmd.Flags())
	o.registerCounts(cmd.Flags())
	f.Register(cmd)
	return cmd
}

// plan plans the clustering.
func (o *dbscanOptions) plan(ctx context.Context, a *job.App, f *tiled.Flags, paths []string) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := f.Check(); err != nil {
		return err
	}
	j, err := job.Open(ctx, a, "dbscan", &f.Run, &o.read, paths)
	if err != nil {
		return err
	}
	defer j.Cat.Close()
	if j.Geo, err = o.geometry.Resolve(j.Cat); err != nil {
		return err
	}
	p, err := o.planOf(ctx, j)
	if err != nil {
		return err
	}
	j.Sum.Command = "plan dbscan"
	return f.Make(ctx, j, p, []*catalog.Catalog{j.Cat})
}

// planOf returns what a plan of the clustering computes. Scales by rule are
// taken from all rows.
func (o *dbscanOptions) planOf(ctx context.Context, j *job.Job) (*tiles.Plan, error) {
	eps, err := j.Geo.Radius("--eps", o.eps)
	if err != nil {
		return nil, err
	}
	if j.Geo.ByRule() {
		if err := j.Load(ctx, &o.read, ""); err != nil {
			return nil, err
		}
	}
	var scales []float64
	if j.Sel != nil {
		scales, j.Scale, err = j.Geo.ScaleValues(j.Sel.Points)
		j.Sel, j.Sum.Input = nil, report.NewInput()
	} else {
		scales, j.Scale, err = j.Geo.ScaleValues(nil)
	}
	if err != nil {
		return nil, err
	}
	return &tiles.Plan{
		Command:  "dbscan",
		Sets:     []tiles.Set{tiled.SetOf(j.Geo, j.Cat, &o.read, o.weights)},
		Metric:   tiled.MetricOf(j.Geo, scales),
		Radius:   eps,
		DBSCAN:   &tiles.DBSCAN{MinPoints: o.minPoints.Value, Star: o.star, Border: o.border.Value, Counts: o.counts},
		Metadata: o.parameters(j),
	}, nil
}
