package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"skyjoin/internal/size"
	"skyjoin/io/catalog"
	"skyjoin/tiles"
)

// A catalog that does not fit --memory is clustered in tiles, one after the
// other, which gives the same bytes.

// tooLarge reports whether clustering all rows at once would take more than
// --memory.
func (o *dbscanOptions) tooLarge(j *job) bool {
	return j.run.memory.bytes > 0 && tiles.Memory(j.cat.Rows(), len(j.geo.columns), j.geo.sky) > j.run.memory.bytes
}

// What of --memory is for a tile and its garbage; the rest is for what is read
// and written meanwhile.
const (
	tileShare = 0.6
	heapShare = 0.8
)

// inTiles clusters the open catalog in tiles.
func (o *dbscanOptions) inTiles(ctx context.Context, j *job) error {
	least := j.cat.Rows() * 12 // labels, and what goes where
	switch {
	case o.clusters != "" || o.panels.path != "" || len(o.out.plots) > 0:
		return usagef("--memory %s: %s do not fit at once, about %s are needed; --clusters, --plot and --plot-panels look at all of them",
			&j.run.memory, plural(j.cat.Rows(), "row", "rows"), size.Text(tiles.Memory(j.cat.Rows(), len(j.geo.columns), j.geo.sky)))
	case least > j.run.memory.bytes:
		return usagef("--memory %s: the labels of %s alone take %s; 'cluster plan' and 'cluster relabel' hold a part of them only",
			&j.run.memory, plural(j.cat.Rows(), "row", "rows"), size.Text(least))
	}
	old := debug.SetMemoryLimit(int64(heapShare * float64(j.run.memory.bytes)))
	defer debug.SetMemoryLimit(old)
	p, err := o.planOf(ctx, j)
	if err != nil {
		return err
	}
	dir, err := o.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	report, end := j.rep.stages()
	err = await(ctx, func() (err error) {
		p, err = tiles.Make(ctx, filepath.Join(dir, "plan"), tiles.Request{
			Plan: p, Catalogs: []*catalog.Catalog{j.cat}, Memory: int64(tileShare * float64(j.run.memory.bytes)), Threads: j.run.count(), Progress: report,
		})
		return err
	})
	end()
	if err != nil {
		return overMemory(err)
	}
	for i := range p.Tiles {
		if _, err := j.tile(ctx, p, i, false); err != nil {
			return overMemory(err)
		}
	}
	if err := j.foundClusters(ctx, p); err != nil {
		return err
	}
	if err := j.writeLabels(ctx, p, &o.out); err != nil {
		return err
	}
	return j.finish()
}

// scratch makes a folder for the tiles: beside the output, where there is room
// for it.
func (o *dbscanOptions) scratch() (string, error) {
	dir, base := os.TempDir(), "cluster"
	if o.out.output != "" && o.out.output != stdout {
		dir, base = filepath.Split(o.out.output)
		if dir == "" {
			dir = "."
		}
	}
	tmp, err := os.MkdirTemp(dir, "."+base+".*.tiles")
	if err != nil {
		return "", fmt.Errorf("the tiles of a catalog that does not fit --memory need a folder: %w", err)
	}
	return tmp, nil
}
