package geometry

import (
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/stats2b"
)

// Bins reads --bins of distances of the geometry, which in a periodic box are at
// most half of a side.
func (g *Geometry) Bins(b *flags.Bins) (bins stats2b.Bins, unit string, err error) {
	if bins, unit, err = b.Parse("--bins", g.Angle); err != nil || g.Pure {
		return bins, unit, err
	}
	last := bins.Edge(bins.Len())
	for i, side := range g.Sides {
		if side > 0 && last > side/2 {
			return bins, unit, exit.Usagef("--bins %s: the last edge %v is more than half of the side %v of the box along %s", b.Text, last, side, g.Columns[i])
		}
	}
	return bins, unit, nil
}
