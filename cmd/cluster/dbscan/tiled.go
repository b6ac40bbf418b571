package dbscan

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/internal/file"
	"skyjoin/internal/size"
	"skyjoin/io/catalog"
	"skyjoin/tiles"
)

// A catalog that does not fit --memory is clustered in tiles, one after the
// other, which gives the same bytes.

// tooLarge reports whether clustering all rows at once would take more than
// --memory.
func (o *Options) tooLarge(j *job.Job) bool {
	return j.Run.Memory.Bytes > 0 && tiles.Memory(j.Cat.Rows(), len(j.Geo.Columns), j.Geo.Sky) > j.Run.Memory.Bytes
}

// The shares of --memory for a tile and for its live heap. The rest is for what is
// read and written meanwhile.
const (
	tileShare = 0.6
	heapShare = 0.8
)

// inTiles clusters the open catalog in tiles.
func (o *Options) inTiles(ctx context.Context, j *job.Job) error {
	least := j.Cat.Rows() * 12 // labels, and what goes where
	switch {
	case o.clusters != "" || o.panels.path != "" || len(o.Out.Plots) > 0:
		return exit.Usagef("--memory %s: %s do not fit at once, about %s are needed; --clusters, --plot and --plot-panels look at all of them",
			&j.Run.Memory, human.Plural(j.Cat.Rows(), "row", "rows"), size.Text(tiles.Memory(j.Cat.Rows(), len(j.Geo.Columns), j.Geo.Sky)))
	case least > j.Run.Memory.Bytes:
		return exit.Usagef("--memory %s: the labels of %s alone take %s; 'cluster plan' and 'cluster relabel' hold a part of them only",
			&j.Run.Memory, human.Plural(j.Cat.Rows(), "row", "rows"), size.Text(least))
	}
	old := debug.SetMemoryLimit(int64(heapShare * float64(j.Run.Memory.Bytes)))
	defer debug.SetMemoryLimit(old)
	p, err := o.planOf(ctx, j)
	j.Sel = nil
	if err != nil {
		return err
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
			Plan: p, Catalogs: []*catalog.Catalog{j.Cat}, Memory: int64(tileShare * float64(j.Run.Memory.Bytes)), Threads: j.Run.Count(), Progress: report,
		})
	})
	end()
	if err != nil {
		return exit.OverMemory(err)
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
