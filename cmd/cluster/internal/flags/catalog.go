package flags

import (
	"context"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/io/catalog"
)

// Options are those that a catalog is opened with.
func (f *Read) Options(threads int) catalog.Options {
	return catalog.Options{Null: f.Null, Let: f.Let, Extension: f.HDU, Format: f.Format, Names: f.Names, Threads: threads}
}

// OpenCatalog opens a catalog. All commands open their catalogs with it, on either
// side of a join, and so does the completion of a shell.
func OpenCatalog(ctx context.Context, paths []string, opt catalog.Options) (*catalog.Catalog, error) {
	opt.Renamed, opt.Stdin = RenamedColumns, stdinOf(ctx)
	return exit.Await(ctx, func() (*catalog.Catalog, error) { return catalog.Open(ctx, paths, opt) })
}
