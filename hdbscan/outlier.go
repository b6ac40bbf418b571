package hdbscan

import (
	"math"

	"skyjoin/internal/par"
)

// Outliers returns the GLOSH score of every row (Campello, Moulavi, Zimek &
// Sander, TKDD 2015, section 6): (λmax - λ)/λmax, λ being where the row leaves a
// cluster and λmax the largest λ in that cluster and all below it. It is 0 for
// rows that leave at λ = ∞, and 1 for others of such clusters.
func (c *Condensed) Outliers() []float64 {
	t := c.tree
	lowest := c.lowest()
	scores := make([]float64, t.Len())
	par.Chunks(t.threads, t.Len(), func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			scores[t.rows[p]] = glosh(c.height[p], lowest[c.cluster[p]])
		}
	})
	return scores
}

// lowest returns the least height at which anything leaves each cluster or one
// below it.
func (c *Condensed) lowest() []float64 {
	low := make([]float64, len(c.Clusters))
	for id := len(low) - 1; id >= 0; id-- {
		low[id] = c.Clusters[id].Death
		for _, k := range c.children[id] {
			low[id] = min(low[id], low[k])
		}
	}
	return low
}

// glosh returns the score of what leaves at a height, of a cluster in which the
// least height is death.
func glosh(height, death float64) float64 {
	x, most := lambda(height), lambda(death)
	switch {
	case math.IsInf(x, 1) || x >= most:
		return 0
	case math.IsInf(most, 1):
		return 1
	}
	return (most - x) / most
}
