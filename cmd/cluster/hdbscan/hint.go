package hdbscan

import (
	"fmt"
	"math"

	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/hdbscan"
)

// hint says what to try where the first size leaves nothing but noise, or everything
// in one cluster.
func (r *result) hint() error {
	j, a := r.job, &r.answers[0]
	n := int64(j.Sel.Points.Len())
	if !j.Hints() || n < 2 {
		return nil
	}
	switch {
	case a.clustering.Clusters() == 0:
		other, err := r.smaller(a.size)
		if err != nil {
			return err
		}
		j.Sum.Hint("all rows are noise: they do not divide into clusters of --min-cluster-size %v%s", a.size, other)
	case a.clustering.Clusters() == 1 && a.clustering.NoiseCount == 0:
		sel := hdbscan.Selection{Method: hdbscan.Leaf}
		k, err := a.condensed.Select(sel)
		if err != nil {
			return err
		}
		j.Sum.Hint("all rows are in one cluster; without other flags --select leaf finds %s", human.Plural(int64(k.Clusters()), "cluster", "clusters"))
	}
	return nil
}

// smaller says what half the size has, or half of that, and so on.
func (r *result) smaller(size float64) (string, error) {
	if r.tree == nil {
		return "; a tree of a smaller size may have some", nil
	}
	whole := r.options.weights == "" // a number of rows
	for range 10 {
		if size /= 2; whole {
			size = math.Floor(size)
		}
		if whole && size < 2 {
			break
		}
		c, err := r.tree.Condense(size)
		if err != nil {
			return "", err
		}
		k, err := c.Select(r.selection)
		if err != nil {
			return "", err
		}
		if k.Clusters() > 0 {
			return fmt.Sprintf("; with --min-cluster-size %v --min-samples %v there are %s of %s", size, r.options.minSamples(), human.Plural(int64(k.Clusters()), "cluster", "clusters"), human.Plural(int64(len(k.Labels))-k.NoiseCount, "row", "rows")), nil
		}
	}
	return fmt.Sprintf(", nor of smaller ones; a lower --min-samples than %v tells more places apart, and --single-cluster lets all be one", r.options.minSamples()), nil
}
