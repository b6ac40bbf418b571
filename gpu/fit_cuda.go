//go:build cuda && linux

package gpu

import (
	"errors"
	"fmt"

	"skyjoin/internal/cuda"
	"skyjoin/internal/size"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

// treeBytes predicts the memory of a point of a Nearest plan on the card: the
// coordinates as given, and either keys and rows twice each, with what the
// refinement of equal keys needs, or the coordinates in the order of the curve with
// their rows. After that there are only these, and the positions of the current
// rows, which are sorted by them. There is a node for every 31 points.
func treeBytes(p *neighbors.Plan) int64 {
	space := querySpace(p)
	dim := int64(space.Dim())
	given := 8*dim + given32(space)
	keyed := given + 2*8 + 2*4 + 7*4 + dim/2
	built := given + 8*dim + 4
	searched := 8*dim + 4 + 4 + 2*8 + 4*4
	return max(keyed, built, searched) + (2*8*dim+4)/31 + 1
}

// given32 returns the memory of float32 columns as given.
func given32(space *space.Space) (each int64) {
	for _, c := range space.Columns {
		if c.Float32 != nil {
			each += 4
		}
	}
	return each
}

// gridBytes predicts the memory of a point of a join within a radius on the card:
// while the index is built, the coordinates as given and in the order of cells, keys
// and rows twice each, and at most one cell and eight entries of the table. A point
// of a periodic box is in the indexes of both sides; images beyond the edges are few
// where points fill a card, and are ignored.
func gridBytes(p *neighbors.Plan) int64 {
	space := querySpace(p)
	dim := int64(space.Dim())
	each := 2*8*dim + 2*8 + 2*4 + 3*4 + 12 + 8*4 + given32(space)
	if p.Self() && space.Side != nil {
		each += each - 8*dim
	}
	if p.Nearest() != nil {
		// Numbers, positions, lists and offsets of the current rows, whose keys and
		// rows are sorted like those of the index.
		each += 3*4 + 8 + 4
	}
	return each
}

// bothSides returns the number of points of a plan on both sides together.
func bothSides(p *neighbors.Plan) int64 {
	if p.Self() {
		return int64(p.Len())
	}
	return int64(p.Len()) + int64(p.DataLen())
}

// tooLarge adds to an out-of-memory error how much an index needs, at each bytes a
// point, and how much there is. Other errors are returned unchanged.
func tooLarge(st *cuda.Stream, p *neighbors.Plan, each int64, err error) error {
	if !errors.Is(err, cuda.ErrMemory) {
		return err
	}
	ctx := st.Context()
	free, total, asked := ctx.Free()
	if asked != nil {
		return err
	}
	what := fmt.Sprintf("%d points", p.Len())
	if !p.Self() {
		what = fmt.Sprintf("%d and %d points", p.Len(), p.DataLen())
	}
	return fmt.Errorf("%w; an index of %s in %d dimensions can take %s, of %s on %s %s are free: part of the points, a GPU of more memory or the CPU can do it",
		err, what, querySpace(p).Dim(), size.Text(bothSides(p)*each), size.Text(total), ctx.Device.Name, size.Text(free))
}
