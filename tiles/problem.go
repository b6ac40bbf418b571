package tiles

import (
	"skyjoin/stats2b"
)

// A Match says what match is computed; see match.Options. Errors of rows are the
// weights of the sets.
type Match struct {
	Find   string  `json:"find"`
	Min    float64 `json:"min_radius,omitempty"`
	Radius float64 `json:"radius,omitempty"` // 0: errors alone bound the matches
	K      int     `json:"k,omitempty"`
	// ErrorA and ErrorB are how many of the distances of the metric an error of
	// 1 is; 0 without errors.
	ErrorA float64 `json:"error_a,omitempty"`
	ErrorB float64 `json:"error_b,omitempty"`
	// Combine is how errors are combined, as match.ParseCombination has it, the
	// sum without; the result is taken Sigmas times, once without.
	Combine string  `json:"combine,omitempty"`
	Sigmas  float64 `json:"nsigma,omitempty"`
}

// A DBSCAN says what clustering is computed.
type DBSCAN struct {
	MinPoints float64 `json:"min_points"`
	Star      bool    `json:"star"`
	Border    string  `json:"border"`
	Counts    bool    `json:"counts"`
}

// A Hist says by which bins pairs are counted, those of the rows of one catalog
// or those of a row of each of two.
type Hist struct{ Binning }

// A Corr says what correlation function is computed of data, the first set, and
// randoms, the second, which a periodic box does without.
type Corr struct {
	Binning
	Pairs   []string          `json:"pairs"`             // which are counted: dd, dr, rr, d1d2
	Patches *stats2b.Division `json:"patches,omitempty"` // nil: none

	// What is made of the pairs, which tiles do not need.
	Kind         string `json:"kind"`
	Estimator    string `json:"estimator"`
	Covariance   string `json:"covariance,omitempty"`
	Realisations int    `json:"realisations,omitempty"`
	Seed         uint64 `json:"seed"`
	Coordinates  string `json:"coordinates,omitempty"` // their unit
}

// corrPairs are the sets that each of the pairs has a row of.
var corrPairs = map[string][]int{"dd": {0}, "dr": {0, 1}, "rr": {1}, CrossPairs: {0, 1}}

// CrossPairs are the pairs of data of two catalogs in a periodic box.
const CrossPairs = "d1d2"

// fits reports whether pairs can be counted with this number of sets.
func (c *Corr) fits(sets int) bool {
	for _, name := range c.Pairs {
		of := corrPairs[name]
		if of == nil || of[len(of)-1] >= sets {
			return false
		}
	}
	return c.Binning.fits()
}

// of is the binning of pairs: separations are those of data.
func (c *Corr) of(pairs string) *Binning {
	b := c.Binning
	b.Means = b.Means && (pairs == "dd" || pairs == CrossPairs)
	return &b
}
