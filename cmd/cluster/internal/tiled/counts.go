package tiled

import (
	"context"

	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/tiles"
)

// Counts merges pairs that found reports, and writes the table of their bins.
func (o *Merge) Counts(ctx context.Context, a *job.App, p *tiles.Plan, found func(j *job.Job) (*report.BinTable, error)) error {
	j, end, err := o.Begin(ctx, a, p)
	defer end()
	if err != nil {
		return err
	}
	t, err := found(j)
	if err != nil {
		return err
	}
	if o.Out.Output != "" {
		if err := j.Table(ctx, o.Out.Output, o.Out.Force, t.Columns, p.Metadata); err != nil {
			return err
		}
	}
	return j.Finish()
}
