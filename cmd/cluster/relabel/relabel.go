// Package relabel is 'cluster relabel', which writes labelled copies of the inputs of a merged plan.
package relabel

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/io/table"
	"skyjoin/tiles"
)

const relabelLong = `Writes a copy of each input of a merged clustering with the columns cluster and
core: beside it, as NAME.labelled.parquet, or with -o at the same place below a
folder, so that a partitioned catalog stays one. Inputs named after the plan
are written only, so that machines can share them.`

type relabelOptions struct {
	run tiled.Flags
	dir string
	out flags.Output
}

func New(a *job.App) *cobra.Command {
	o := &relabelOptions{}
	cmd := &cobra.Command{
		Use:     "relabel PLAN [IN…] [-o FOLDER]",
		Short:   "writes labelled copies of the inputs of a merged plan",
		Long:    relabelLong,
		Example: "  cluster relabel plan/ -o labelled/",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return tiled.NeedPlan(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	fs.StringVarP(&o.dir, "output", "o", "", "the `folder` of the copies (default: beside the inputs)")
	fs.BoolVar(&o.out.Force, "force", false, "replace existing files")
	o.run.Threads(cmd)
	fs.MarkHidden("memory")
	return cmd
}

func (o *relabelOptions) execute(ctx context.Context, a *job.App, args []string) error {
	j, err := job.New(a, "relabel", &o.run.Run)
	if err != nil {
		return err
	}
	p, err := tiled.OpenPlan(ctx, args)
	if err != nil {
		return err
	}
	if p.DBSCAN == nil {
		return exit.Usagef("%s is a plan of %s; labels are of dbscan", args[0], p.Command)
	}
	s := &p.Sets[0]
	files, err := named(s, args[1:])
	if err != nil {
		return err
	}
	common := s.Common()
	if err := j.Reads(s.Names()...); err != nil {
		return err
	}
	rows := int64(0)
	for _, i := range files {
		out := tiles.LabelledPath(s.Files[i].Path, common, o.dir)
		if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
			return err
		}
		if err := j.Writes("output", out, o.out.Force); err != nil {
			return err
		}
		rows += s.Files[i].Rows
	}
	if err := tiled.FoundClusters(ctx, j, p); err != nil {
		return err
	}
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Write, time.Now())
	phase := j.Rep.Phase("write", rows)
	defer phase.End()
	r, err := p.Labels(ctx)
	if err != nil {
		return err
	}
	for _, i := range files {
		_, err := r.Relabel(ctx, i, tiles.LabelledPath(s.Files[i].Path, common, o.dir), table.Options{
			Force: o.out.Force, Metadata: p.Metadata, Replaced: report.MetadataPrefix, Threads: o.run.Run.Count(), Progress: phase.Add,
		})
		if err != nil {
			return err
		}
	}
	j.Sum.Result.Set("files", int64(len(files)))
	return j.Finish()
}

// named returns which files of a set are named, all if none is.
func named(s *tiles.Set, paths []string) (files []int, err error) {
	if len(paths) == 0 {
		for i := range s.Files {
			files = append(files, i)
		}
		return files, nil
	}
	for _, path := range paths {
		full, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(s.Files, func(f tiles.File) bool { return f.Path == full })
		if i < 0 {
			return nil, exit.Usagef("%s is no input of the plan", path)
		}
		files = append(files, i)
	}
	return files, nil
}
