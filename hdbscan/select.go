package hdbscan

import (
	"fmt"
	"math"

	"skyjoin/internal/exact"
	"skyjoin/internal/named"
	"skyjoin/neighbors"
)

// A Method selects clusters of a condensed tree.
type Method uint8

const (
	// EOM takes the clusters of the largest total stability, "excess of mass".
	EOM Method = iota
	// Leaf takes the clusters that do not split.
	Leaf
)

var methodNames = []string{EOM: "eom", Leaf: "leaf"}

// String returns "eom" or "leaf".
func (m Method) String() string { return methodNames[m] }

// ParseMethod returns the method of the given name.
func ParseMethod(name string) (Method, error) {
	return named.Index[Method](neighbors.ErrRequest, "selection", methodNames, name)
}

// A Selection says which clusters are selected. The zero value is EOM, and never
// selects the root.
type Selection struct {
	Method Method

	// Epsilon, if positive, replaces clusters that begin at a height below it by the
	// cluster above them that begins at Epsilon or higher (Malzer & Baum 2020), which
	// can be the root only with SingleCluster.
	Epsilon float64

	// EpsilonMax, if positive, is the largest height at which a cluster of EOM
	// may begin.
	EpsilonMax float64

	// MaxClusterSize, if positive, is the largest size, or with Weights weight, of a
	// cluster of EOM. A larger cluster that does not split is noise.
	MaxClusterSize float64

	// SingleCluster lets EOM select the root. If the root is the only cluster, it has
	// the rows that leave it last, or with Epsilon those that leave it at that height
	// or below.
	SingleCluster bool
}

// check validates a selection.
func (s *Selection) check() error {
	if s.Method > Leaf {
		return fmt.Errorf("%w: selection %d, it must be EOM or Leaf", neighbors.ErrRequest, s.Method)
	}
	for _, o := range []struct {
		name  string
		value float64
	}{{"epsilon", s.Epsilon}, {"epsilon-max", s.EpsilonMax}, {"max-cluster-size", s.MaxClusterSize}} {
		if !(o.value >= 0) || math.IsInf(o.value, 1) {
			return fmt.Errorf("%w: %s %v, it must be positive, or 0 for none", neighbors.ErrRequest, o.name, o.value)
		}
	}
	return nil
}

// choose returns which clusters are selected.
func (c *Condensed) choose(s Selection) []bool {
	taken := make([]bool, len(c.Clusters))
	if s.Method == Leaf {
		for id, kids := range c.children {
			taken[id] = len(kids) == 0 && id > 0
		}
	} else {
		c.excessOfMass(s, taken)
	}
	if s.Epsilon > 0 && !taken[0] {
		taken = c.climb(s, taken)
	}
	return taken
}

// excessOfMass goes from the leaves up: a cluster gives way to those selected below it
// if their total stability is larger.
func (c *Condensed) excessOfMass(s Selection, taken []bool) {
	most := exact.Sum{}
	if s.MaxClusterSize > 0 {
		most = c.tree.scale.Ceil(s.MaxClusterSize)
	}
	tooLarge := func(id int) bool {
		d := c.mass[id].Compare(most)
		return s.MaxClusterSize > 0 && (d > 0 || d == 0 && c.tree.scale.Float(most) > s.MaxClusterSize)
	}
	best := make([]stability, len(c.Clusters)) // of a cluster, or what is taken below it
	for id := len(c.Clusters) - 1; id >= 0; id-- {
		below := stability{}
		for _, k := range c.children[id] {
			below.plus(&best[k])
			best[k] = stability{}
		}
		k := &c.Clusters[id]
		switch {
		case id == 0 && !(s.SingleCluster && c.mass[0].Compare(c.least) >= 0),
			tooLarge(id),
			s.EpsilonMax > 0 && k.Birth > s.EpsilonMax,
			below.compare(&c.worth[id]) > 0:
			best[id] = below
		default:
			best[id] = c.worth[id].clone()
			taken[id] = true
		}
	}
	// Clusters below a selected one are not selected.
	covered := make([]bool, len(taken))
	for id := range c.Clusters {
		if p := c.Clusters[id].Parent; p >= 0 {
			covered[id] = covered[p] || taken[p]
		}
	}
	for id := range taken {
		taken[id] = taken[id] && !covered[id]
	}
}

// climb replaces clusters that begin below epsilon by those above them that do
// not.
func (c *Condensed) climb(s Selection, taken []bool) []bool {
	out := make([]bool, len(taken))
	for id, t := range taken {
		if !t {
			continue
		}
		for c.Clusters[id].Birth < s.Epsilon {
			p := c.Clusters[id].Parent
			if p == 0 && !(s.SingleCluster && c.mass[0].Compare(c.least) >= 0) {
				break
			}
			id = int(p)
		}
		out[id] = true
	}
	return out
}
