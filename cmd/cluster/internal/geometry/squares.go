package geometry

import (
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/squares"
	"skyjoin/stats2b"
)

// notTooSmall refuses a radius whose square would vanish. That of duplicates is
// larger.
func notTooSmall(flag string, l flags.Length, radius float64) (float64, error) {
	if radius < squares.LeastDistance {
		return 0, exit.Usagef("%s %s: it is too small, as %s; multiply the coordinates, as with --let \"x2 = x * 1e200\"", flag, l.Text, squares.Vanish)
	}
	return radius, nil
}

// edgesNotTooSmall is notTooSmall for the edges of bins.
func edgesNotTooSmall(flag string, bins stats2b.Bins) error {
	for _, e := range bins.Edges() {
		if e > 0 && e < squares.LeastDistance {
			return exit.Usagef("%s: an edge is too near 0, as %s; multiply the coordinates, as with --let \"x2 = x * 1e200\"", flag, squares.Vanish)
		}
	}
	return nil
}
