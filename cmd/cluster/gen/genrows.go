package gen

import (
	"context"

	"skyjoin/internal/mock"
	"skyjoin/io/catalog"
)

// genTypes are the types of a catalog for those of a mock one.
var genTypes = map[mock.Type]catalog.Type{
	mock.Float64: catalog.Float64,
	mock.Float32: catalog.Float32,
	mock.Int64:   catalog.Int64,
	mock.Int32:   catalog.Int32,
}

func genFields(c *mock.Catalog) []catalog.Field {
	var fields []catalog.Field
	for _, f := range c.Fields() {
		fields = append(fields, catalog.Field{
			Name: f.Name, Type: genTypes[f.Type], Nullable: f.Nullable,
			Unit: f.Unit, UCD: f.UCD, Description: f.Description,
		})
	}
	return fields
}

// genRows is how many rows are made at a time by one thread.
const genRows = 1 << 16

// blocks makes the rows of c in order, the given number of blocks at a time.
func blocks(ctx context.Context, c *mock.Catalog, threads int) func(yield func([]mock.Column) bool) {
	return func(yield func([]mock.Column) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		queue := make(chan chan []mock.Column, threads)
		go func() {
			defer close(queue)
			for lo := int64(0); lo < c.Rows(); lo += genRows {
				made := make(chan []mock.Column, 1)
				select {
				case queue <- made: // waits while threads blocks are on their way
				case <-ctx.Done():
					return
				}
				go func() { made <- c.Fill(lo, min(lo+genRows, c.Rows())) }()
			}
		}()
		for made := range queue {
			if !yield(<-made) {
				return
			}
		}
	}
}
