// Package relabel is 'cluster relabel', which writes labelled copies of the inputs of a merged plan.
package relabel

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/tiles"
)

const doc = `relabel PLAN [IN…] [-o FOLDER]
writes labelled copies of the inputs of a merged plan

Writes a copy of each input of a merged clustering with the columns cluster and
core: beside it, as NAME.labelled.parquet, or with -o at the same place below a
folder, so that a partitioned catalog stays one. If inputs are named after the
plan, only those are written, so that several machines can share the work.

Examples:
  cluster relabel plan/ -o labelled/`

// Options are the flags of the command.
type Options struct {
	job.Flags
	dir string
}

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return tiled.NeedPlan(cmd, args)
		}
		return nil
	}, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args[0], args[1:]) })
	fs := cmd.Flags()
	fs.StringVarP(&o.dir, "output", "o", "", "the `folder` of the copies (default: beside the inputs)")
	fs.BoolVar(&o.Out.Force, "force", false, "replace existing files")
	tiled.RegisterRun(cmd, &o.Run)
	o.Run.RegisterMemory(fs)
	return cmd
}

// Run writes the copies of all inputs of a plan, or of those named.
func Run(ctx context.Context, a *job.App, o *Options, plan string, paths []string) error {
	j, err := job.New(a, "relabel", &o.Flags)
	if err != nil {
		return err
	}
	p, err := tiled.ReadPlan(ctx, j, plan)
	if err != nil {
		return err
	}
	if p.DBSCAN == nil {
		return exit.Usagef("%s is a plan of %s; only plans of dbscan have labels", plan, p.Command)
	}
	s := &p.Sets[0]
	files, err := named(s, paths)
	if err != nil {
		return err
	}
	common := s.Common()
	rows := int64(0)
	for _, i := range files {
		out := tiles.LabelledPath(s.Files[i].Path, common, o.dir)
		if err := o.folderOf(out); err != nil {
			return err
		}
		if err := j.Writes("output", out, o.Out.Force); err != nil {
			return err
		}
		if err := tiled.Relabels(ctx, j, p, i, out); err != nil {
			return err
		}
		rows += s.Files[i].Rows
	}
	if err := tiled.FoundClusters(ctx, j, p); err != nil {
		return err
	}
	j.Params.Metadata = p.Metadata
	defer j.Timed(&j.Sum.Seconds.Write)()
	phase := j.Rep.Phase("write", rows)
	defer phase.End()
	r, err := p.Labels(ctx)
	if err != nil {
		return err
	}
	for _, i := range files {
		_, err := r.Relabel(ctx, i, tiles.LabelledPath(s.Files[i].Path, common, o.dir), j.Options("", phase.Add))
		if err != nil {
			return err
		}
	}
	j.Sum.Result.Add(written{int64(len(files))})
	return j.Finish(ctx)
}

// Result is that of the command.
type Result struct {
	tiled.Assembled
	written
}

type written struct {
	Files int64 `json:"files" jsonschema:"files that were written"`
}

// folderOf makes the folder of a copy, which lies in that of -o: links below it
// are not followed.
func (o *Options) folderOf(out string) error {
	folder := filepath.Dir(out)
	if o.dir == "" {
		return nil
	}
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return err
	}
	for at := filepath.Clean(o.dir); at != folder; {
		rest, err := filepath.Rel(at, folder)
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(rest, string(filepath.Separator))
		at = filepath.Join(at, first)
		st, err := os.Lstat(at)
		if err == nil && st.Mode()&os.ModeSymlink != 0 {
			return exit.Usagef("%s is a link, and nothing is written outside of %s; remove it, or name another folder", at, o.dir)
		}
		if err := os.Mkdir(at, 0o777); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return nil
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
			return nil, exit.Usagef("%s is not an input of the plan", path)
		}
		files = append(files, i)
	}
	return files, nil
}
