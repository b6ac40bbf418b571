package tiles

import (
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A division says which tile each row belongs to.
type division interface {
	tiles() int
	// complete makes the division safe for concurrent use.
	complete()
	// place returns the tile that owns the row, and the tiles whose halos contain
	// it: all those that it is within reach of. The owner may or may not be among
	// them. near is valid until the next call with the same scratch. A division made
	// for a single tile need not name other tiles.
	place(p *neighbors.Points, row int, s *scratch) (owner int32, near []int32)
	// touch adds the tiles that rows within the bounds of their coordinates can
	// belong to or be within reach of.
	touch(b []catalog.Interval, tiles map[int32]bool)
}

// scratch is the memory that a division needs for one goroutine.
type scratch struct {
	x, lo, hi []float64
	near      []int32
}
