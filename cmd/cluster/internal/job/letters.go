package job

import (
	"context"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/io/catalog"
)

// Letters returns about how many bytes the texts of a row have in the named columns; 0
// without --memory, which is what it is for.
func (j *Job) Letters(ctx context.Context, cat *catalog.Catalog, names ...string) (int64, error) {
	if j.Run.Memory.Bytes == 0 || len(names) == 0 {
		return 0, nil
	}
	return exit.Await(ctx, func() (int64, error) { return cat.Letters(ctx, names...) })
}
