package stats2b

import (
	"skyjoin/internal/each"
	"skyjoin/internal/named"
	"skyjoin/neighbors"
)

// An Estimator computes the correlation function from counts of pairs, each
// normalised by the number, or weight, of all pairs: data with data DD, data with
// randoms DR, randoms with randoms RR.
type Estimator struct {
	name   string
	needDR bool
	needRR bool
	of     func(dd, dr, rr float64) float64
}

// The estimators. Where a denominator is 0 the value is NaN.
var estimators = []Estimator{
	// Landy & Szalay 1993, ApJ 412, 64.
	{"ls", true, true, func(dd, dr, rr float64) float64 { return ratio(dd-float64(2*dr)+rr, rr) }},
	// Peebles & Hauser 1974, ApJS 28, 19.
	{"natural", false, true, func(dd, _, rr float64) float64 { return ratio(dd, rr) - 1 }},
	// Davis & Peebles 1983, ApJ 267, 465.
	{"dp", true, false, func(dd, dr, _ float64) float64 { return ratio(dd, dr) - 1 }},
	// Hamilton 1993, ApJ 417, 19.
	{"hamilton", true, true, func(dd, dr, rr float64) float64 { return ratio(float64(dd*rr), float64(dr*dr)) - 1 }},
	// Hewett 1982, MNRAS 201, 867.
	{"hewett", true, true, func(dd, dr, rr float64) float64 { return ratio(dd-dr, rr) }},
}

// Estimators returns the names of all estimators; the first, of Landy and Szalay, is
// the default.
func Estimators() []string {
	return each.Of(estimators, func(e Estimator) string { return e.name })
}

// ParseEstimator returns the estimator of that name.
func ParseEstimator(name string) (Estimator, error) {
	i, err := named.Index[int](neighbors.ErrRequest, "estimator", Estimators(), name)
	return estimators[i], err
}

// String returns the name.
func (e Estimator) String() string { return e.name }

// NeedsDR reports whether the estimator uses pairs of data with randoms.
func (e Estimator) NeedsDR() bool { return e.needDR }

// NeedsRR reports whether the estimator uses pairs of randoms.
func (e Estimator) NeedsRR() bool { return e.needRR }

// Of returns the correlation function of one bin from normalised counts.
func (e Estimator) Of(dd, dr, rr float64) float64 { return e.of(dd, dr, rr) }
