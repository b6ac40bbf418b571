package dbscan

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/internal/file"
	"skyjoin/io/catalog"
	"skyjoin/tiles"
)

// A catalog that does not fit --memory is clustered in tiles, one after the
// other, which gives the same bytes.

// tooLarge reports whether clustering all rows at once would take more than
// --memory, and how much it would take.
func (o *Options) tooLarge(j *job.Job) (need int64, is bool, err error) {
	if j.Run.Memory.Bytes == 0 {
		return 0, false, nil
	}
	if err := j.LeaveForCards(); err != nil {
		return 0, false, err
	}
	written, err := j.Written()
	need = tiles.Memory(j.Cat.Rows(), len(j.Geo.Columns), j.Geo.Sky) + written
	return need, !j.Takes(need), err
}

// A tile may have a share of what the process may take, in percent, so that there is
// room for what is read and for garbage, and takes leastTile with few rows.
const (
	tileShare = 65
	leastTile = 56 << 20
)

// inTiles clusters the open catalog in tiles; need is what it takes without.
func (o *Options) inTiles(ctx context.Context, j *job.Job, need int64) error {
	if o.clusters != "" || o.panels.Path != "" || len(o.Out.Plots) > 0 {
		return j.Refuse("--clusters, --plot and --plot-panels look at all rows at once", need)
	}
	if j.AsksGPU() {
		return j.Refuse("the tiles that need less are clustered with --device cpu, or each by a run of 'cluster tile'", need)
	}
	if need := int64(leastTile * 100 / tileShare); !j.Allows(need) {
		return j.Refuse("", need)
	}
	p, err := o.planOf(ctx, j)
	j.Sel = nil
	if err != nil {
		return err
	}
	if err := tiled.FitsMerge(ctx, j, p, 0); err != nil { // whatever tiles there are
		return tiled.FitsMerge(ctx, j, p, j.Cat.Rows())
	}
	// Beside the output, where there is room for it.
	beside := o.Out.Output
	if beside == "" || beside == flags.Stdout {
		beside = filepath.Join(os.TempDir(), "cluster")
	}
	dir, remove, err := file.Scratch(beside)
	if err != nil {
		return fmt.Errorf("the tiles of a catalog that does not fit --memory need a folder: %w", err)
	}
	defer remove()
	report, end := j.Rep.Stages()
	p, err = exit.Await(ctx, func() (*tiles.Plan, error) {
		return tiles.Make(ctx, filepath.Join(dir, "plan"), tiles.Request{
			Plan: p, Catalogs: []*catalog.Catalog{j.Cat}, Memory: j.Allowed() * tileShare / 100, Threads: j.Run.Count(), Progress: report,
		})
	})
	end()
	if err != nil {
		return exit.OverMemory(err)
	}
	if err := tiled.FitsMerge(ctx, j, p, 0); err != nil { // with the rows that tiles share
		return err
	}
	for i := range p.Tiles {
		if _, err := tiled.Tile(ctx, j, p, i, false); err != nil {
			return exit.OverMemory(err)
		}
	}
	if err := tiled.FoundClusters(ctx, j, p); err != nil {
		return err
	}
	if err := tiled.WriteLabels(ctx, j, p); err != nil {
		return err
	}
	return j.Finish(ctx)
}
