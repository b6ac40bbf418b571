//go:build cuda && linux

package gpu

import (
	"errors"
	"fmt"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// indexBytes predicts what the index of n points takes while it is built: the
// coordinates as given and in the order of cells, keys and rows twice each,
// and for each point at most a cell and eight entries of the table.
func indexBytes(n, dim int) int64 {
	return int64(n) * int64(2*8*dim+2*8+2*4+3*4+12+8*4)
}

// planBytes predicts what the index of a plan takes while it is built.
func planBytes(p *neighbors.Plan) int64 {
	dim := p.QuerySpace().Dim()
	need := indexBytes(p.Len(), dim)
	if !p.Self() {
		need += indexBytes(p.DataLen(), dim)
	}
	return need
}

// tooLarge adds to an error for want of memory how much an index needs and how
// much there is. Other errors stay as they are.
func tooLarge(st *cuda.Stream, p *neighbors.Plan, err error) error {
	if !errors.Is(err, cuda.ErrMemory) {
		return err
	}
	ctx := st.Context()
	free, total, asked := ctx.Free()
	if asked != nil {
		return err
	}
	points := fmt.Sprintf("%d points", p.Len())
	if !p.Self() {
		points = fmt.Sprintf("%d and %d points", p.Len(), p.DataLen())
	}
	return fmt.Errorf("%w; an index of %s in %d dimensions can take %s, of %s on %s %s are free: part of the points, a GPU of more memory or the CPU can do it",
		err, points, p.QuerySpace().Dim(), size(planBytes(p)), size(total), ctx.Device.Name, size(free))
}

// size prints a number of bytes.
func size(bytes int64) string {
	units := []string{"KiB", "MiB", "GiB"}
	v := float64(bytes) / 1024
	for v >= 1024 && len(units) > 1 {
		v, units = v/1024, units[1:]
	}
	return fmt.Sprintf("%.1f %s", v, units[0])
}
