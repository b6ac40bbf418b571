package hdbscan

import (
	"cmp"
	"fmt"
	"slices"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// Memberships are soft memberships of rows in clusters: K clusters for every row, the
// largest membership first.
type Memberships struct {
	K      int
	Labels []int32   // row i has Labels[i*K:(i+1)*K]; Noise where there are fewer clusters
	Values []float64 // in [0, 1], parallel to Labels
}

// Memberships returns the soft memberships in the clusters of a selection, computed
// from the tree alone.
//
// Let λ(x, C) be the largest λ at which the row x and some of the cluster C are in one
// component: that at which x leaves C, at most λmax(C), if C has x; that at which x
// leaves the cluster that it leaves if C begins below that one; else that at which the
// lowest cluster that has both splits. u(x, C) = λ(x, C)/λmax(C) is the fraction of the
// density of C that the row shares. The k clusters of the largest u are listed, those
// of lower labels first among equals; the membership is u(x, C)/Σu of these times the
// largest u, so that memberships of a row add up to that. For the cluster that has the
// row, u is the probability of Select; a cluster that is hardly denser than where both
// part can be nearer.
//
// (McInnes & Healy's soft clustering multiplies this by distances to exemplars,
// and holds a number for every row and cluster.)
func (c *Condensed) Memberships(s Selection, k int) (*Memberships, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if k < 1 {
		return nil, fmt.Errorf("%w: %d clusters of each row, there must be at least 1", neighbors.ErrRequest, k)
	}
	l := c.labeller(s)
	k = min(k, max(len(l.nodes), 1))
	t := c.tree
	m := &Memberships{K: k, Labels: slices.Repeat([]int32{Noise}, t.Len()*k), Values: make([]float64, t.Len()*k)}
	near := c.nearTo(l, k)
	par.Chunks(t.threads, t.Len(), func(_, lo, hi int) {
		var room []membership
		for p := lo; p < hi; p++ {
			id := c.cluster[p]
			room = append(room[:0], near[id].outside...)
			for _, label := range near[id].inside {
				room = append(room, membership{label, share(c.height[p], l.death[label])})
			}
			slices.SortFunc(room, membership.compare)
			row := int(t.rows[p])
			spread(room[:min(k, len(room))], m.Labels[row*k:(row+1)*k], m.Values[row*k:(row+1)*k])
		}
	})
	return m, nil
}

// A membership is a cluster and u.
type membership struct {
	label int32
	u     float64
}

func (m membership) compare(o membership) int {
	return cmp.Or(-cmp.Compare(m.u, o.u), cmp.Compare(m.label, o.label))
}

// spread writes the memberships of one row.
func spread(list []membership, labels []int32, values []float64) {
	sum := 0.0
	for _, m := range list {
		sum += m.u
	}
	for i, m := range list {
		labels[i] = m.label
		if sum > 0 {
			values[i] = m.u / sum * list[0].u
		}
	}
}

// near are the clusters that the rows that leave one are nearest to.
type near struct {
	inside  []int32      // labels of those at or above it, or below it
	outside []membership // all others
}

// nearTo returns the nearest k clusters to what leaves each, of either kind.
func (c *Condensed) nearTo(l *labeller, k int) []near {
	n := len(c.Clusters)
	lists := make([]near, n)
	dense := func(a, b int32) int { // by 1/λmax, as all have one λ
		return cmp.Or(cmp.Compare(lambda(l.death[a]), lambda(l.death[b])), cmp.Compare(a, b))
	}
	for id := n - 1; id >= 0; id-- { // labels at or below
		for _, kid := range c.children[id] {
			lists[id].inside = append(lists[id].inside, lists[kid].inside...)
		}
		if label := l.of[id]; label != Noise {
			lists[id].inside = []int32{label}
		}
		slices.SortFunc(lists[id].inside, dense)
		lists[id].inside = lists[id].inside[:min(k, len(lists[id].inside))]
	}
	for id := range c.Clusters {
		p := c.Clusters[id].Parent
		if p < 0 {
			continue
		}
		lists[id].outside = slices.Clone(lists[p].outside)
		if l.of[p] != Noise {
			continue // both are in one
		}
		for _, kid := range c.children[p] {
			if kid == int32(id) {
				continue
			}
			for _, label := range lists[kid].inside {
				lists[id].outside = append(lists[id].outside, membership{label, share(c.Clusters[p].Death, l.death[label])})
			}
		}
		slices.SortFunc(lists[id].outside, membership.compare)
		lists[id].outside = lists[id].outside[:min(k, len(lists[id].outside))]
	}
	return lists
}
