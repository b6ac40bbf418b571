package tiles

import (
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A division says of each row which tile it belongs to.
type division interface {
	tiles() int
	// complete lets goroutines share the division.
	complete()
	// place returns the tile that has the row, and all tiles that the row is
	// within reach of, the owner included or not: those whose halo it is in.
	// near is valid until the next call with the same scratch. A division that
	// was made for one tile may not name others.
	place(p *neighbors.Points, row int, s *scratch) (owner int32, near []int32)
	// touch adds the tiles that rows within the bounds of their coordinates can
	// belong to or be within reach of.
	touch(b []catalog.Interval, tiles map[int32]bool)
}

// scratch is memory of a division that one goroutine uses.
type scratch struct {
	x, lo, hi []float64
	near      []int32
}
