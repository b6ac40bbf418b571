// Package tiled is what the commands about tiles share: the flags of a plan, the run of
// a tile, and the merge.
package tiled

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/tiles"
)

const PlanLong = `Cuts the work of a command into tiles that are computed by themselves, on any
machine and in any order, and put together into exactly the answer of
a single run. PLAN is a folder on a file system that all machines share. The
inputs are not moved: tiles read what they need of them, by the statistics of
Parquet files; where those do not tell, the plan copies the coordinates of each
tile's rows into its folder, in one pass.

Then 'cluster submit PLAN' computes all tiles with a scheduler or on this
machine, or 'cluster tile PLAN --index I' one of them; 'cluster merge PLAN' puts
them together and, of clusters, 'cluster relabel PLAN' writes labelled copies of
the inputs.`

const PlanExample = `  # clusters of a large sky, in 500 tiles, with Slurm
  cluster plan dbscan gaia/ -c ra,dec --eps 10arcsec --min-points 8 --tiles 500 -o plan/
  cluster submit slurm plan/ -- --partition long --mem 8G
  cluster relabel plan/ -o labelled/`

// Flags say how work is cut into tiles.
type Flags struct {
	run    *flags.Run
	tiles  flags.Integer
	rows   flags.Integer
	stage  flags.Choice
	output string
	force  bool
}

// Register registers the flags, and those of the run that makes the plan.
func (f *Flags) Register(cmd *cobra.Command, run *flags.Run) {
	fs := cmd.Flags()
	f.run, f.tiles, f.rows = run, flags.Integer{Least: 1}, flags.Integer{Least: 1}
	fs.Var(&f.tiles, "tiles", "number of tiles")
	fs.Var(&f.rows, "tile-rows", "rows of a tile, about, instead of their number")
	flags.AddChoice(fs, &f.stage, "stage", "copy the coordinates of each tile's rows into the plan (default: where tiles would have to read most rows several times)", tiles.StageAuto, tiles.StageYes, tiles.StageNo)
	fs.StringVarP(&f.output, "output", "o", "", "the `folder` of the plan, which is made")
	fs.BoolVar(&f.force, "force", false, "replace an existing plan, and what its tiles have computed")
	RegisterRun(cmd, run)
	fs.Var(&run.Memory, "memory", "memory of a tile, as in 8GiB, instead of the number of tiles")
}

// RegisterRun registers the flags of a run that joins nothing.
func RegisterRun(cmd *cobra.Command, run *flags.Run) {
	run.RegisterThreads(cmd.Flags(), "CPU threads (default all)")
	run.Device = flags.NewChoice("cpu")
	run.RegisterTalk(cmd)
}

// Check refuses what cannot be planned, before anything is read.
func (f *Flags) Check() error {
	given := 0
	for _, is := range []bool{f.tiles.Value > 0, f.rows.Value > 0, f.run.Memory.Bytes > 0} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return exit.Usagef("one of --tiles N, --tile-rows R and --memory SIZE is needed, to say how many tiles there are")
	case f.tiles.Value > tiles.MaxTiles:
		return exit.Usagef("--tiles %d: there can be at most %d", f.tiles.Value, tiles.MaxTiles)
	case f.output == "":
		return exit.Usagef("-o is needed: the folder of the plan")
	}
	st, err := os.Stat(f.output)
	switch {
	case err != nil:
		return nil // to be made
	case !st.IsDir():
		return exit.Usagef("%s is a file; a plan is a folder", f.output)
	case !f.force:
		return exit.Usagef("%s exists; --force replaces it", f.output)
	}
	return tiles.Replaceable(f.output)
}

// Make makes the plan and reports it.
func (f *Flags) Make(ctx context.Context, j *job.Job, p *tiles.Plan) error {
	if err := j.WritesFolder(f.output); err != nil {
		return err
	}
	j.Sum.Command = "plan " + p.Command
	var cats []*catalog.Catalog
	for _, s := range j.Sides() {
		cats, s.Sel = append(cats, s.Cat), nil
	}
	report, end := j.Rep.Stages()
	p, err := exit.Await(ctx, func() (*tiles.Plan, error) {
		return tiles.Make(ctx, filepath.Clean(f.output), tiles.Request{
			Plan: p, Catalogs: cats, Tiles: int(f.tiles.Value), TileRows: f.rows.Value, Memory: f.run.Memory.Bytes,
			Stage: tiles.Staging(f.stage.Value), Threads: f.run.Count(), Progress: report,
		})
	})
	end()
	if err != nil {
		return exit.OverMemory(err)
	}
	reportPlan(j, p)
	return j.Finish(ctx)
}

// reportPlan says what the tiles are expected to take.
func reportPlan(j *job.Job, p *tiles.Plan) {
	var most tiles.Tile
	var halo, read int64
	seconds := 0.0
	for _, t := range p.Tiles {
		halo += t.Halo
		read += t.Read
		seconds += t.Seconds
		most.Rows, most.Memory, most.Seconds = max(most.Rows, t.Rows), max(most.Memory, t.Memory), max(most.Seconds, t.Seconds)
	}
	for _, s := range p.Sets {
		for _, f := range s.Files {
			j.Sum.Input.Files = append(j.Sum.Input.Files, f.Path)
		}
	}
	j.Sum.Input.Rows, j.Sum.Input.Used = p.Rows(), p.Rows()
	planned := Planned{Tiles{int64(len(p.Tiles))}, most.Rows, float64(halo) / float64(max(p.Rows(), 1)), most.Memory, most.Seconds, seconds, p.Staged, nil}
	if !p.Staged {
		planned.RowsRead = &read
	}
	j.Sum.Result.Add(planned)
}

// Plan returns the catalogs' part of a plan. Scales by rule are taken from all rows of
// the first. weights are the columns of numbers of each catalog that the tiles read
// besides.
func Plan(ctx context.Context, j *job.Job, command string, weights ...string) (*tiles.Plan, error) {
	for _, s := range j.Sides() {
		if slices.ContainsFunc(s.Cat.Files(), func(f catalog.File) bool { return f.Path == catalog.Stdin }) {
			return nil, exit.Usagef("a plan needs files, since its tiles read them again; write standard input to a file first")
		}
	}
	if j.Sel == nil && j.Geo.ByRule() {
		if err := j.LoadFirst(ctx, ""); err != nil {
			return nil, err
		}
	}
	var points *neighbors.Points
	if j.Sel != nil {
		points = j.Sel.Points
	}
	scales, text, err := j.Geo.ScaleValues(points)
	if err != nil {
		return nil, err
	}
	j.Scale, j.Sum.Input, j.Sum.InputB = text, report.NewInput("--where"), nil
	p := &tiles.Plan{Command: command, Metric: tiles.Metric{Kind: j.Geo.Unscaled().String(), Sides: j.Geo.Sides, Scale: scales}}
	for i, s := range j.Sides() {
		read := []*flags.Read{&j.Read, j.ReadB()}[i]
		p.Sets = append(p.Sets, tiles.Set{
			Format: read.Format, Labels: read.Names, Null: read.Null, Define: s.Cat.Definitions(), Where: read.Where, Strict: read.Strict, Empty: read.Empty,
			Columns: s.Geo.Columns, Sky: s.Geo.Sky, Assumed: s.Geo.Request(read, "").Units, Frame: s.Geo.Frame, Weights: weights[i],
		})
	}
	return p, nil
}

// OpenPlan opens the plan that a command line names.
func OpenPlan(ctx context.Context, dir string) (*tiles.Plan, error) {
	return tiles.Open(ctx, filepath.Clean(dir))
}

// ReadPlan opens a plan, and declares its folder and its inputs as read.
func ReadPlan(ctx context.Context, j *job.Job, dir string) (*tiles.Plan, error) {
	p, err := OpenPlan(ctx, dir)
	if err != nil {
		return nil, err
	}
	for i := range p.Sets {
		if err := j.Reads(p.Sets[i].Paths()...); err != nil {
			return nil, err
		}
	}
	j.TakeLine(p.Metadata)
	return p, j.ReadsFolder(p.Dir())
}

// NeedPlan refuses a command line without a plan.
func NeedPlan(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return exit.Usagef("one folder of a plan is needed, %d are named; usage: %s", len(args), cmd.UseLine())
	}
	return nil
}

// TileList writes numbers of tiles as schedulers take them: 0-3,7.
func TileList(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, numbers[i])
		if end > i {
			fmt.Fprintf(&b, "-%d", numbers[end])
		}
		i = end + 1
	}
	return b.String()
}
