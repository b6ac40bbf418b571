package hdbscan

import (
	"fmt"
	"math"

	"skyjoin/hdbscan/internal/cores"
	"skyjoin/internal/exact"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A Stored is a condensed tree as it is written to tables: where clusters begin,
// and where rows leave them.
type Stored struct {
	MinClusterSize float64
	Parents        []int32   // of the clusters from 1 on, in their order
	Births         []float64 // heights at which these begin
	Cluster        []int32   // that each row leaves, see Condensed.Rows
	Height         []float64 // and the height at which it does
	Weights        []float64 // of rows; nil counts every row once
	Threads        int       // 0 is all cores
}

// Restore returns the condensed tree that was stored, for other selections. Its answers
// are those of the original to the last bit, but it cannot Predict. Errors wrap
// neighbors.ErrRequest.
func (s *Stored) Restore() (*Condensed, error) {
	n, threads := len(s.Cluster), par.Threads(s.Threads)
	if len(s.Height) != n || len(s.Births) != len(s.Parents) {
		return nil, fmt.Errorf("%w: %d heights of %d rows, %d births of %d clusters", neighbors.ErrRequest, len(s.Height), n, len(s.Births), len(s.Parents))
	}
	t := &Tree{rows: make([]uint32, n), threads: threads, scale: rowScale}
	for i := range t.rows {
		t.rows[i] = uint32(i)
	}
	if s.Weights != nil {
		if err := cores.CheckWeights(s.Weights, n); err != nil {
			return nil, err
		}
		t.scale, t.fixed = cores.ScaleOf(s.Weights), make([]int64, n)
		for i, w := range s.Weights {
			t.fixed[i] = t.scale.Fixed(w)
		}
	}
	least, err := t.minMass("min-cluster-size", s.MinClusterSize, 2)
	if err != nil {
		return nil, err
	}
	c := &Condensed{MinClusterSize: s.MinClusterSize, tree: t, least: least, cluster: s.Cluster, height: s.Height}
	if err := c.restore(s); err != nil {
		return nil, err
	}
	c.describe()
	return c, nil
}

// restore sums up clusters by their rows.
func (c *Condensed) restore(s *Stored) error {
	n := len(s.Parents) + 1
	c.Clusters, c.children, c.mass, c.worth = make([]Cluster, n), make([][]int32, n), make([]exact.Sum, n), make([]stability, n)
	c.Clusters[0] = Cluster{Parent: -1, Birth: math.Inf(1), Death: math.Inf(1)}
	for i, p := range s.Parents {
		id := i + 1
		if p < 0 || int(p) >= id || !(s.Births[i] >= 0 && s.Births[i] <= c.Clusters[p].Birth) || math.IsInf(lambda(s.Births[i]), 1) {
			return fmt.Errorf("%w: cluster %d begins below cluster %d at %v, which no tree has", neighbors.ErrRequest, id, p, s.Births[i])
		}
		c.Clusters[id] = Cluster{Parent: p, Birth: s.Births[i], Death: s.Births[i]}
		c.Clusters[p].Death = min(c.Clusters[p].Death, s.Births[i])
		c.children[p] = append(c.children[p], int32(id))
	}
	for row, id := range s.Cluster {
		h := s.Height[row]
		if id < 0 || int(id) >= n || !(h >= 0 && h <= c.Clusters[id].Birth) {
			return fmt.Errorf("%w: row %d leaves cluster %d at %v, which no tree has", neighbors.ErrRequest, row, id, h)
		}
		k := &c.Clusters[id]
		k.Death = min(k.Death, h)
		k.Rows++
		mass := c.tree.rowMass(row)
		c.mass[id].AddSum(mass)
		c.worth[id].add(mass, lambda(h))
	}
	for id := n - 1; id >= 0; id-- {
		k := &c.Clusters[id]
		for _, kid := range c.children[id] {
			k.Rows += c.Clusters[kid].Rows
			c.mass[id].AddSum(c.mass[kid])
			c.worth[id].add(c.mass[kid], lambda(k.Death))
		}
		c.worth[id].subtract(c.mass[id], lambda(k.Birth))
		k.Weight = c.tree.scale.Float(c.mass[id])
	}
	return nil
}
