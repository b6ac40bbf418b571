package tiles

import (
	"skyjoin/stats2b"
)

// A Match says how to match; see match.Options. The errors of rows are the weights
// of the sets.
type Match struct {
	Find   string  `json:"find"`
	Min    float64 `json:"min_radius,omitempty"`
	Radius float64 `json:"radius,omitempty"` // 0: errors alone bound the matches
	K      int     `json:"k,omitempty"`
	// ErrorA and ErrorB convert the errors of the catalogs to the distances of the
	// metric; 0 without errors.
	ErrorA float64 `json:"error_a,omitempty"`
	ErrorB float64 `json:"error_b,omitempty"`
	// Combine says how errors are combined, by the names of match.ParseCombination,
	// "" for the sum; the result is multiplied by Sigmas, 0 meaning 1.
	Combine string  `json:"combine,omitempty"`
	Sigmas  float64 `json:"nsigma,omitempty"`
}

// A DBSCAN says how to cluster.
type DBSCAN struct {
	MinPoints float64 `json:"min_points"`
	Star      bool    `json:"star"`
	Border    string  `json:"border"`
	Counts    bool    `json:"counts"`
}

// A Hist says in which bins pairs are counted: pairs of rows of one catalog, or of
// one row of each of two.
type Hist struct{ Binning }

// A Corr says which correlation function is computed. The data are the first set and
// the randoms, which a periodic box does not need, the second.
type Corr struct {
	Binning
	Pairs   []string          `json:"pairs"`             // which are counted: dd, dr, rr, d1d2
	Patches *stats2b.Division `json:"patches,omitempty"` // nil: none

	// How the estimate is made of the pairs. Tiles do not need it.
	Kind         string `json:"kind"`
	Estimator    string `json:"estimator"`
	Covariance   string `json:"covariance,omitempty"`
	Realisations int    `json:"realisations,omitempty"`
	Seed         uint64 `json:"seed"`
	Coordinates  string `json:"coordinates,omitempty"` // their unit
}

// corrPairs are the sets that the two rows of each kind of pair come from.
var corrPairs = map[string][]int{"dd": {0}, "dr": {0, 1}, "rr": {1}, CrossPairs: {0, 1}}

// CrossPairs are the pairs of data in two catalogs in a periodic box.
const CrossPairs = "d1d2"

// fits reports whether the pairs can be counted with so many sets.
func (c *Corr) fits(sets int) bool {
	for _, name := range c.Pairs {
		of := corrPairs[name]
		if of == nil || of[len(of)-1] >= sets {
			return false
		}
	}
	return c.Binning.fits()
}

// of returns the binning of a kind of pair: mean separations are wanted for data
// only.
func (c *Corr) of(pairs string) *Binning {
	b := c.Binning
	b.Means = b.Means && (pairs == "dd" || pairs == CrossPairs)
	return &b
}
