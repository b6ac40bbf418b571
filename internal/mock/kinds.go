package mock

import (
	"fmt"
	"slices"
	"strings"

	"skyjoin/internal/each"
)

// A Kind is a kind of catalog.
type Kind struct {
	Name  string
	About string // one line
	make  func(Options) (source, error)
}

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{
		{"uniform", "points spread evenly over a cube of side 100", newUniform},
		{"expo", "exponential coordinates of rate 40, cut at 1: a steep density gradient", newExpo},
		{"clumps", "Gaussian clumps of very unequal sizes in a uniform background, with the true clump", newClumps},
		{"sky", "a mock Gaia field: field stars and open clusters, with the true cluster", newSky},
		{"galaxy", "positions along the Galactic plane with a bulge and star clusters, with the true cluster", newGalaxy},
		{"tracks", "points along long smooth tracks, dense where tracks are slow", newTracks},
		{"sphere", "positions spread evenly over the whole sky", newSphere},
		{"randoms", "positions spread evenly over a footprint: a box in RA and Dec, or the pixels of a catalog", newRandoms},
	}
}

// New returns the catalog of the given kind.
func New(kind string, opt Options) (*Catalog, error) {
	if opt.Rows < 0 {
		return nil, fmt.Errorf("%w: %d rows, there cannot be fewer than 0", ErrRequest, opt.Rows)
	}
	if opt.Dim < 0 || opt.Dim > 16 {
		return nil, fmt.Errorf("%w: %d dimensions, there must be 1 to 16", ErrRequest, opt.Dim)
	}
	if opt.Clusters < 0 || opt.Clusters > 1e6 {
		return nil, fmt.Errorf("%w: %d clusters, there must be 1 to 1000000", ErrRequest, opt.Clusters)
	}
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == kind })
	if i < 0 {
		names := each.Of(kinds, func(k Kind) string { return k.Name })
		return nil, fmt.Errorf("%w: kind %q, there are %s", ErrRequest, kind, strings.Join(names, ", "))
	}
	s, err := kinds[i].make(opt)
	if err != nil {
		return nil, err
	}
	return &Catalog{opt.Rows, s}, nil
}
