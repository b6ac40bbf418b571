package tiled

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
	"skyjoin/tiles"
)

// A Command is a command that can be computed in tiles.
type Command struct {
	Name string
	Plan func(a *job.App) *cobra.Command // the command that plans it
	// Merge puts the tiles together, reports the answer and, with -o, writes it.
	Merge func(ctx context.Context, j *job.Job, p *tiles.Plan) error
}

// CommandOf returns the command that a plan was made for.
func CommandOf(planned []Command, p *tiles.Plan) (Command, error) {
	for _, c := range planned {
		if c.Name == p.Command {
			return c, nil
		}
	}
	return Command{}, fmt.Errorf("the plan %s is of %s, which cannot be merged", p.Dir(), p.Command)
}

// Merged puts the tiles of a plan together, and repeats what they warn of.
func Merged[T any](ctx context.Context, j *job.Job, p *tiles.Plan, merge func(context.Context) (T, error)) (T, error) {
	defer j.Timed(&j.Sum.Seconds.Cluster)()
	for _, text := range p.Warnings() {
		j.Sum.Warn("%s", text)
	}
	return exit.Await(ctx, func() (T, error) { return merge(ctx) })
}

// OpenInputs opens the first input of a plan if there is an output, which must not be
// one of the inputs.
func OpenInputs(ctx context.Context, j *job.Job, p *tiles.Plan) (err error) {
	if j.Out.Output == "" {
		return FitsMerge(ctx, j, p, 0)
	}
	j.Params.Metadata = p.Metadata
	s := &p.Sets[0]
	if err := exit.Do(ctx, s.Unchanged); err != nil {
		return err
	}
	defer j.Timed(&j.Sum.Seconds.Read)()
	j.Cat, err = flags.OpenCatalog(ctx, s.Names(), s.Options(j.Run.Count()))
	if err != nil {
		return err
	}
	if err := FitsMerge(ctx, j, p, 0); err != nil {
		return err
	}
	return j.Outputs(&j.Out)
}

// FitsMerge refuses a plan whose tiles take more than --memory to put together, and
// their answer to write: the rows of clusterings that several tiles know, those that
// one of them asks about, the numbers of neighbours; the pairs of matches. halo is the
// number of rows that tiles share, if the plan does not know of any yet.
func FitsMerge(ctx context.Context, j *job.Job, p *tiles.Plan, halo int64) error {
	const shared, asked, count, match = 20, 100, 8, 80
	d := job.Demand{Command: "merge"}
	switch {
	case p.Match != nil:
		d.More = match * p.Sets[0].Rows
	case p.DBSCAN != nil:
		most := int64(0)
		for _, t := range p.Tiles {
			halo += t.Halo
			most = max(most, t.Halo)
		}
		if d.More = shared*halo + asked*most; p.DBSCAN.Counts {
			d.More += count * p.Rows()
		}
	default:
		d.Shares = []job.Share{} // no row is read
	}
	return j.Fits(ctx, d)
}

// Relabels refuses a file of a plan whose labels, and what it takes to write it beside
// them, are more than --memory.
func Relabels(ctx context.Context, j *job.Job, p *tiles.Plan, file int, out string) (err error) {
	if j.Run.Memory.Bytes == 0 {
		return nil
	}
	s := &p.Sets[0]
	if j.Cat, err = flags.OpenCatalog(ctx, s.Names()[file:file+1], s.Options(j.Run.Count())); err != nil {
		return err
	}
	defer func() { j.Cat.Close(); j.Cat = nil }()
	j.Out.Output = out
	return FitsMerge(ctx, j, p, 0)
}

// MergeCounts merges pairs that found reports, and writes the table of their
// bins.
func MergeCounts(ctx context.Context, j *job.Job, p *tiles.Plan, found func() (*report.BinTable, error)) error {
	if err := OpenInputs(ctx, j, p); err != nil {
		return err
	}
	t, err := found()
	if err != nil {
		return err
	}
	return j.Table(ctx, j.Out.Output, t.Columns)
}

// WriteLabels writes the open catalog with the labels of a merged plan.
func WriteLabels(ctx context.Context, j *job.Job, p *tiles.Plan) error {
	defer j.Timed(&j.Sum.Seconds.Write)()
	columns, err := exit.Await(ctx, func() ([]table.Column, error) {
		r, err := p.Labels(ctx)
		if err != nil {
			return nil, err
		}
		l, err := r.Read(ctx, 0, j.Cat.Rows())
		if err != nil {
			return nil, err
		}
		return l.Columns(), nil
	})
	if err != nil {
		return err
	}
	return j.Append(ctx, columns)
}

// FoundClusters merges a clustering and reports it.
func FoundClusters(ctx context.Context, j *job.Job, p *tiles.Plan) error {
	ans, err := Merged(ctx, j, p, p.Merge)
	if err != nil {
		return err
	}
	TookPlanned(j, p, ans.Used)
	r := &j.Sum.Result
	r.Add(Clustering{ans.Clusters, ans.Noise, ans.Core, ans.Border, ans.Pairs, ans.Largest})
	r.Add(Halos{Tiles{int64(len(p.Tiles))}, ans.Halo})
	if what := map[bool]string{ans.Clusters == 0: "noise", ans.Clusters == 1 && ans.Noise == 0: "in one cluster"}[true]; what != "" && j.Sum.Input.Used > 1 {
		j.Sum.Hint("all rows are %s; 'cluster kdist -k %v' advises on radii", what, max(p.DBSCAN.MinPoints-1, 1))
	}
	return nil
}

// TookPlanned describes the first input in the summary.
func TookPlanned(j *job.Job, p *tiles.Plan, used int64) {
	in, s := j.Sum.Input, &p.Sets[0]
	if len(in.Files) == 0 {
		for _, f := range s.Files {
			in.Files = append(in.Files, f.Path)
		}
	}
	in.Rows, in.Used, in.Skipped = s.Rows, used, s.Rows-used
	if in.Skipped > 0 {
		in.Skips = []catalog.Skip{{Why: "not usable, or filtered", Rows: in.Skipped}}
		in.SkippedWhy["not usable, or filtered"] = in.Skipped
	}
}

// Tile computes a tile on the device that is asked for.
func Tile(ctx context.Context, j *job.Job, p *tiles.Plan, index int, again bool) (*tiles.Piece, error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	rows := 0
	if index >= 0 && index < len(p.Tiles) {
		rows = int(p.Tiles[index].Rows)
	}
	report, end := j.Rep.Stages()
	defer end()
	return job.Compute(ctx, j, rows, func(joiner neighbors.Joiner) (*tiles.Piece, error) {
		return p.Run(ctx, index, tiles.Options{
			Joiner: joiner, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes, Again: again,
			Progress: func(stage string, done, total int64) { report(fmt.Sprintf("tile %d: %s", index, stage), done, total) },
		})
	})
}
