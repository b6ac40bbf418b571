package hdbscan

import (
	"math"

	"skyjoin/internal/par"
)

// A Clustering is the selected clusters and the rows of each.
type Clustering struct {
	Labels        []int32   // cluster of each row, counted from 0, or Noise
	Probabilities []float64 // strength of the row's membership of its cluster, in [0, 1]; 0 for noise

	// Nodes holds the id of every cluster in Condensed.Clusters, ascending.
	Nodes []int32
	Sizes []int64 // rows of every cluster

	NoiseCount int64 // rows of no cluster
	// Infinite is the number of rows that leave their clusters at λ = ∞:
	// duplicates. All other rows of such clusters have the probability 0.
	Infinite int64
}

// Clusters returns the number of clusters.
func (c *Clustering) Clusters() int { return len(c.Nodes) }

// Largest returns the size of the largest cluster, 0 if there is none.
func (c *Clustering) Largest() int64 {
	var largest int64
	for _, n := range c.Sizes {
		largest = max(largest, n)
	}
	return largest
}

// Select selects clusters and labels the rows. Errors wrap neighbors.ErrRequest.
//
// A row is in the selected cluster that holds it or that it left. Its probability is
// min(λ, λmax)/λmax: λ where the row leaves, and λmax the largest λ at which anything
// leaves the cluster itself, its split included.
func (c *Condensed) Select(s Selection) (*Clustering, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	t := c.tree
	l := c.labeller(s)
	r := &Clustering{Labels: make([]int32, t.Len()), Probabilities: make([]float64, t.Len()), Nodes: l.nodes, Sizes: make([]int64, len(l.nodes))}
	type tally struct {
		sizes           []int64
		noise, infinite int64
	}
	tallies := make([]tally, t.threads)
	par.Chunks(t.threads, t.Len(), func(chunk, lo, hi int) {
		k := &tallies[chunk]
		k.sizes = make([]int64, len(l.nodes))
		for p := lo; p < hi; p++ {
			label, probability := l.label(c.cluster[p], c.height[p])
			row := t.rows[p]
			r.Labels[row], r.Probabilities[row] = label, probability
			if label == Noise {
				k.noise++
			} else {
				k.sizes[label]++
			}
			if math.IsInf(lambda(c.height[p]), 1) {
				k.infinite++
			}
		}
	})
	for _, k := range tallies {
		r.NoiseCount += k.noise
		r.Infinite += k.infinite
		for label, n := range k.sizes {
			r.Sizes[label] += n
		}
	}
	return r, nil
}

// A labeller finds the label of rows that leave a cluster at some height.
type labeller struct {
	nodes []int32   // ids of the selected clusters
	of    []int32   // of every cluster: the label of the nearest selected one at or above it
	death []float64 // of every label
	most  float64   // largest height at which rows that leave the root are still in it
}

func (c *Condensed) labeller(s Selection) *labeller {
	taken := c.choose(s)
	l := &labeller{of: make([]int32, len(taken)), most: math.Inf(1)}
	for id := range taken {
		l.of[id] = Noise
		if taken[id] {
			l.of[id] = int32(len(l.nodes))
			l.nodes = append(l.nodes, int32(id))
			l.death = append(l.death, c.Clusters[id].Death)
		} else if p := c.Clusters[id].Parent; p >= 0 {
			l.of[id] = l.of[p]
		}
	}
	if len(taken) > 0 && taken[0] {
		l.most = c.Clusters[0].Death
		if s.Epsilon > 0 {
			l.most = s.Epsilon
		}
	}
	return l
}

// label returns the label and the probability of what leaves a cluster at some
// height.
func (l *labeller) label(cluster int32, height float64) (int32, float64) {
	label := l.of[cluster]
	if label == Noise || height > l.most {
		return Noise, 0
	}
	return label, share(height, l.death[label])
}

// share returns min(λ, λmax)/λmax of heights.
func share(height, death float64) float64 {
	x, most := lambda(height), lambda(death)
	if math.IsInf(x, 1) || most == 0 || x >= most {
		return 1
	}
	return x / most
}
