package stats2b

import (
	"fmt"
	"math/rand/v2"

	"skyjoin/neighbors"
)

// A Method is a way to resample patches.
type Method uint8

const (
	NoResampling Method = iota
	Jackknife           // one realisation per patch, without it
	Bootstrap           // patches drawn with repetition
)

// A Resampling says how the covariance is estimated. The pairs must have been
// counted by patch.
type Resampling struct {
	Method       Method
	Realisations int    // of the bootstrap; 0: 100
	Seed         uint64 // of the bootstrap: PCG (math/rand/v2) with this seed and stream 2
}

// run returns the realisations and their covariance.
//
// Both methods use the K patches of the footprint. Jackknife: C_ij = (K-1)/K Σ_k
// (ξ_ik - ξ̄_i)(ξ_jk - ξ̄_j). Bootstrap: K patches are drawn each time, and C_ij =
// 1/(B-1) Σ_b (…); the pairs within a patch drawn m times count m times, and those
// with a patch drawn n times m·n times: copies of a patch form no pairs with each
// other.
func (r Resampling) run(t Tallies, of func(dd, dr, rr *Counts) []float64) (realisations, covariances [][]float64, err error) {
	patches := t.DD.patches
	for _, x := range []*Tally{t.DR, t.RR} {
		if x != nil && x.patches != patches {
			return nil, nil, fmt.Errorf("%w: pairs counted in %d and in %d patches", neighbors.ErrRequest, patches, x.patches)
		}
	}
	footprint, _ := t.footprint()
	if len(footprint) < 2 {
		return nil, nil, fmt.Errorf("%w: resampling needs 2 patches at least, there are %d with rows", neighbors.ErrRequest, len(footprint))
	}
	factor := 0.0
	if r.Method == Jackknife {
		for _, k := range footprint {
			realisations = append(realisations, of(t.DD.Without(k), t.DR.Without(k), t.RR.Without(k)))
		}
		n := float64(len(realisations))
		factor = (n - 1) / n
	} else {
		n := r.Realisations
		if n == 0 {
			n = 100
		}
		if n < 2 {
			return nil, nil, fmt.Errorf("%w: %d bootstrap realisations, 2 are needed", neighbors.ErrRequest, n)
		}
		rng := rand.New(rand.NewPCG(r.Seed, 2))
		for range n {
			times := make([]int, patches)
			for range footprint {
				times[footprint[rng.IntN(len(footprint))]]++
			}
			realisations = append(realisations, of(t.DD.resampled(times), t.DR.resampled(times), t.RR.resampled(times)))
		}
		factor = 1 / float64(n-1)
	}
	return realisations, covariance(realisations, factor), nil
}

// footprint returns the patches that hold rows of the data or of the randoms, and
// how many of them hold no data. Rows of weight 0 do not count.
func (t Tallies) footprint() (patches []int, empty int) {
	var randoms []mass
	switch {
	case t.RR != nil:
		randoms = t.RR.a
	case t.DR != nil:
		randoms = t.DR.b
	}
	for k := range t.DD.patches {
		switch {
		case t.DD.a[k].any():
			patches = append(patches, k)
		case randoms != nil && randoms[k].any():
			patches = append(patches, k)
			empty++
		}
	}
	return patches, empty
}

// covariance returns the covariance of realisations, with factor in place of 1/n. It
// is NaN where a realisation is.
func covariance(realisations [][]float64, factor float64) [][]float64 {
	n := len(realisations[0])
	mean := make([]float64, n)
	for _, x := range realisations {
		for i, v := range x {
			mean[i] += v / float64(len(realisations))
		}
	}
	c := make([][]float64, n)
	for i := range c {
		c[i] = make([]float64, n)
		for j := range c[i] {
			var sum float64
			for _, x := range realisations {
				sum += float64((x[i] - mean[i]) * (x[j] - mean[j]))
			}
			c[i][j] = sum * factor
		}
	}
	return c
}

// resampled returns the weights of the pairs when each patch occurs the given number
// of times. It sets only Weights and TotalWeight, in plain float64 arithmetic and an
// order of its own; nil for no tally.
func (t *Tally) resampled(times []int) *Counts {
	if t == nil {
		return nil
	}
	c := &Counts{Pairs: make([]uint64, t.binning.Cells()), Weights: make([]float64, t.binning.Cells())}
	b := t.b
	if t.self {
		b = t.a
	}
	for p := range t.groups() {
		for q := range t.groups() {
			if t.self && p > q {
				continue
			}
			m := float64(times[p] * times[q])
			if p == q {
				m = float64(times[p])
			}
			if m == 0 {
				continue
			}
			for i := range c.Weights {
				c.Weights[i] += float64(m * t.value(t.at(p, q)+1+i))
			}
			if t.self && p == q {
				c.TotalWeight += float64(m * t.a[p].weight(nil))
			} else {
				c.TotalWeight += float64(m * t.a[p].weight(&b[q]))
			}
		}
	}
	return c
}

// value returns the weight of the pairs in a slot, their number if there are no
// weights.
func (t *Tally) value(slot int) float64 {
	if t.weights != nil {
		return t.scale.Float(t.weights[slot])
	}
	return float64(t.pairs[slot])
}
