package stats2b

import (
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// A Correlation is a two-point correlation function.
type Correlation struct {
	Bins   Bins    // of the distance, or of rp
	Across Bins    // of π or μ where Xi is in two dimensions; none otherwise
	DD     *Counts // by cell of the binning, even if Xi is a projection
	DR, RR *Counts // nil where the estimator does not use them

	// From CorrelateBox, in place of RR: the share of the pairs of uncorrelated
	// points in each cell.
	Ideal []float64

	Xi    []float64 // of each bin; bin i, j of two dimensions is i·Across.Len()+j
	Error []float64 // standard deviation: from the covariance, or by Poisson statistics

	// From resampling, else nil.
	Covariance   [][]float64
	Realisations [][]float64
	EmptyPatches int // with randoms but no data
}

// A Statistic says what the estimates of the cells are combined to.
type Statistic uint8

const (
	Plain      Statistic = iota // the estimates themselves
	Projected                   // wp(rp) = 2 Σ ξ(rp, π) Δπ over the bins of π
	Monopole                    // ξ0(s) = Σ ξ(s, μ) Δμ
	Quadrupole                  // ξ2(s) = 5 Σ ξ(s, μ) L2 Δμ, L2 averaged over each bin of μ
)

// Correlate estimates the correlation function from the counts, and its covariance
// by resampling.
func Correlate(t Tallies, e Estimator, what Statistic, r Resampling) (*Correlation, error) {
	if e.of == nil {
		e = estimators[0]
	}
	if t.DD == nil || e.needDR && t.DR == nil || e.needRR && t.RR == nil {
		return nil, fmt.Errorf("%w: estimator %v without all the pair counts that it uses", neighbors.ErrRequest, e)
	}
	if !e.needDR {
		t.DR = nil
	}
	if !e.needRR {
		t.RR = nil
	}
	b := &t.DD.binning
	if err := what.check(b); err != nil {
		return nil, err
	}
	c := &Correlation{Bins: b.Bins, DD: t.DD.Counts(), DR: t.DR.Counts(), RR: t.RR.Counts()}
	if what == Plain && b.Plane != NoPlane {
		c.Across = b.Across
	}
	cells := estimate(e, c.DD, c.DR, c.RR)
	c.Xi, c.Error = what.project(b, cells), what.poisson(b, cells, c.DD)
	if r.Method != NoResampling {
		var err error
		c.Realisations, c.Covariance, err = r.run(t, func(dd, dr, rr *Counts) []float64 { return what.project(b, estimate(e, dd, dr, rr)) })
		if err != nil {
			return nil, err
		}
		_, c.EmptyPatches = t.footprint()
		for i := range c.Error {
			c.Error[i] = math.Sqrt(c.Covariance[i][i])
		}
	}
	return c, nil
}

// estimate applies the estimator to each cell.
func estimate(e Estimator, dd, dr, rr *Counts) []float64 {
	xi := make([]float64, len(dd.Pairs))
	for i := range xi {
		var x, y float64
		if dr != nil {
			x = dr.Normalised(i)
		}
		if rr != nil {
			y = rr.Normalised(i)
		}
		xi[i] = e.of(dd.Normalised(i), x, y)
	}
	return xi
}

func (s Statistic) check(b *Binning) error {
	need := [...]Plane{Plain: b.Plane, Projected: RpPi, Monopole: SMu, Quadrupole: SMu}[s]
	if b.Plane != need {
		return fmt.Errorf("%w: the projection needs pairs in bins of rp and π, or of s and μ", neighbors.ErrRequest)
	}
	return nil
}

// factor returns what the estimate in a bin of π or μ is multiplied by.
func (s Statistic) factor(b *Binning, j int) float64 {
	lo, hi := b.Across.Edge(j), b.Across.Edge(j+1)
	switch s {
	case Projected:
		return 2 * (hi - lo)
	case Quadrupole: // ∫ 5 (3μ²-1)/2 dμ
		f := func(x float64) float64 { return float64(float64(float64(x*x)*x)-x) * 2.5 }
		return f(hi) - f(lo)
	}
	return hi - lo
}

// project sums the estimates over the second coordinate. A NaN among them
// makes a NaN.
func (s Statistic) project(b *Binning, cells []float64) []float64 {
	if s == Plain {
		return cells
	}
	n := b.Across.Len()
	out := make([]float64, b.Bins.Len())
	for i := range out {
		for j := range n {
			out[i] += float64(cells[i*n+j] * s.factor(b, j))
		}
	}
	return out
}

// poisson returns the error due to the number of data pairs alone, (1+ξ)/√DD in each
// cell, with DD being Counts.EffectivePairs; for a sum of cells, the root of the sum
// of squares. It is too small where pairs are not independent.
func (s Statistic) poisson(b *Binning, cells []float64, dd *Counts) []float64 {
	each := make([]float64, len(cells))
	for i, x := range cells {
		each[i] = ratio(1+x, math.Sqrt(dd.EffectivePairs(i)))
	}
	if s == Plain {
		return each
	}
	n := b.Across.Len()
	out := make([]float64, b.Bins.Len())
	for i := range out {
		var variance, pairs float64
		for j := range n {
			if k := i*n + j; dd.EffectivePairs(k) != 0 { // without pairs, 1+ξ is 0
				f := float64(each[k] * s.factor(b, j))
				variance += float64(f * f)
				pairs += dd.EffectivePairs(k)
			}
		}
		if out[i] = math.NaN(); pairs != 0 {
			out[i] = math.Sqrt(variance)
		}
	}
	return out
}
