package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/tiles"
)

const planLong = `Cuts the work of a command into tiles that are computed by themselves, on any
machine and in any order, and put together to the very answer of one run. PLAN
is a folder, on a file system that all machines share. The inputs are not
moved: tiles read what they need of them, by the statistics of Parquet files;
where those cannot tell, the plan copies the coordinates of each tile's rows
into its folder, in one pass.

Then 'cluster submit PLAN' computes all tiles with a scheduler or on this
machine, or 'cluster tile PLAN --index I' one of them; 'cluster merge PLAN' puts
them together and, of clusters, 'cluster relabel PLAN' writes labelled copies of
the inputs.`

const planExample = `  # clusters of a large sky, in 500 tiles, with Slurm
  cluster plan dbscan gaia/ -c ra,dec --eps 10arcsec --min-points 8 --tiles 500 -o plan/
  cluster submit slurm plan/ -- --partition long --mem 8G
  cluster relabel plan/ -o labelled/`

// planFlags say how work is cut.
type planFlags struct {
	run    runFlags
	tiles  integer
	rows   integer
	stage  choice
	output string
	force  bool
}

func newPlan(planned ...tiledCommand) func(a *app) *cobra.Command {
	return func(a *app) *cobra.Command { return planCommand(a, planned) }
}

func planCommand(a *app, planned []tiledCommand) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "plan COMMAND IN… --tiles N -o PLAN",
		Short:   "cuts the work of a command into tiles",
		Long:    planLong,
		Example: planExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("what is to be planned? %s", whatCanBe(cmd))
			}
			return usagef("%s cannot be planned; %s", args[0], whatCanBe(cmd))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		// That the command is none is to be said, not that its flags are none.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	for _, p := range planned {
		c := p.plan(a)
		c.Flags().SortFlags = false
		c.DisableFlagsInUseLine = true
		cmd.AddCommand(c)
	}
	return cmd
}

// whatCanBe says what can be planned.
func whatCanBe(cmd *cobra.Command) string {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Sprintf("there is 'cluster plan COMMAND' with %s", strings.Join(names, ", "))
}

func (f *planFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.tiles, f.rows = integer{least: 1}, integer{least: 1}
	f.stage = newChoice(string(tiles.StageAuto), string(tiles.StageYes), string(tiles.StageNo))
	fs.Var(&f.tiles, "tiles", "number of tiles")
	fs.Var(&f.rows, "tile-rows", "rows of a tile, about, instead of their number")
	fs.Var(&f.stage, "stage", "copy the coordinates of each tile's rows into the plan (default: where tiles would have to read most rows several times)")
	fs.StringVarP(&f.output, "output", "o", "", "the `folder` of the plan, which is made")
	fs.BoolVar(&f.force, "force", false, "replace an existing plan, and what its tiles have computed")
	f.threads(cmd)
	complete(cmd, "stage", f.stage.values)
}

// threads registers the flags of a run that joins nothing.
func (f *planFlags) threads(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.run.threads = integer{least: 1}
	fs.VarP(&f.run.threads, "threads", "t", "CPU threads (default all)")
	fs.Var(&f.run.memory, "memory", "memory of a tile, as in 8GiB, instead of the number of tiles")
	f.run.device = newChoice("cpu")
	f.run.registerTalk(cmd)
}

// check refuses what cannot be planned, before anything is read.
func (f *planFlags) check() error {
	given := 0
	for _, is := range []bool{f.tiles.value > 0, f.rows.value > 0, f.run.memory.bytes > 0} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return usagef("how many tiles? one of --tiles N, --tile-rows R and --memory SIZE is needed")
	case f.tiles.value > tiles.MaxTiles:
		return usagef("--tiles %d: at most %d can be", f.tiles.value, tiles.MaxTiles)
	case f.output == "":
		return usagef("-o is needed: the folder of the plan")
	}
	st, err := os.Stat(f.output)
	switch {
	case err != nil:
		return nil // to be made
	case !st.IsDir():
		return usagef("%s is a file; a plan is a folder", f.output)
	case !f.force:
		return usagef("%s exists; --force replaces it", f.output)
	}
	if _, err := os.Stat(filepath.Join(f.output, "plan.json")); err != nil {
		return usagef("%s is a folder that holds no plan; name another one", f.output)
	}
	return nil
}

// make makes the plan and reports it.
func (f *planFlags) make(ctx context.Context, j *job, p *tiles.Plan, cats []*catalog.Catalog) error {
	report, end := j.rep.stages()
	err := await(ctx, func() (err error) {
		p, err = tiles.Make(ctx, filepath.Clean(f.output), tiles.Request{
			Plan: p, Catalogs: cats, Tiles: int(f.tiles.value), TileRows: f.rows.value, Memory: f.run.memory.bytes,
			Stage: tiles.Staging(f.stage.value), Threads: f.run.count(), Progress: report,
		})
		return err
	})
	end()
	if err != nil {
		return overMemory(err)
	}
	reportPlan(j, p)
	return j.finish()
}

// reportPlan says what the tiles are expected to take.
func reportPlan(j *job, p *tiles.Plan) {
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
			j.sum.Input.Files = append(j.sum.Input.Files, f.Path)
		}
	}
	j.sum.Input.Rows, j.sum.Input.Used = p.Rows(), p.Rows()
	r := &j.sum.Result
	r.set("tiles", int64(len(p.Tiles)))
	r.set("tile_rows", most.Rows)
	r.set("halo_share", float64(halo)/float64(max(p.Rows(), 1)))
	r.set("tile_memory", most.Memory)
	r.set("tile_seconds", most.Seconds)
	r.set("seconds", seconds)
	r.set("staged", p.Staged)
	if !p.Staged {
		r.set("rows_read", read)
	}
}

// metricOf is the metric of a plan.
func (g *geometry) metricOf(scales []float64) tiles.Metric {
	return tiles.Metric{Kind: g.unscaled().String(), Sides: g.sides, Scale: scales}
}

// setOf is a catalog as a plan has it.
func (g *geometry) setOf(cat *catalog.Catalog, f *readFlags, weights string) tiles.Set {
	return tiles.Set{Null: f.null, Define: cat.Definitions(), Where: f.where, Strict: f.strict, Columns: g.columns, Sky: g.sky, Weights: weights}
}

// openPlan opens the plan that a command line names.
func openPlan(ctx context.Context, args []string) (*tiles.Plan, error) {
	return tiles.Open(ctx, filepath.Clean(args[0]))
}

// needPlan refuses a command line without a plan.
func needPlan(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("one folder of a plan is needed, %d are named; usage: %s", len(args), cmd.UseLine())
	}
	return nil
}

// tileList writes numbers of tiles as schedulers take them: 0-3,7.
func tileList(numbers []int) string {
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
