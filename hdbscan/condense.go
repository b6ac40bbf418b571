package hdbscan

import (
	"math"

	"skyjoin/internal/exact"
	"skyjoin/internal/linkage"
	"skyjoin/internal/par"
)

// A Condensed is the condensed tree of one min-cluster-size: clusters that begin
// where a component splits, and the heights at which rows leave them.
type Condensed struct {
	// MinClusterSize is the smallest number of rows, or weight, of a cluster.
	MinClusterSize float64
	// Clusters are in the order of scikit-learn's ids: 0 is the root, which is
	// all rows, and parents come before their children.
	Clusters []Cluster

	tree     *Tree
	least    exact.Sum
	cluster  []int32   // by position: cluster that the row leaves
	height   []float64 // and the height at which it does
	children [][]int32 // of every cluster
	mass     []exact.Sum
	worth    []stability
}

// A Cluster is a component from where it begins to where it splits or
// dissolves. Heights are distances in the unit of the metric, λ is 1/height.
type Cluster struct {
	Parent      int32   // -1 for the root
	Birth       float64 // height of the split that it comes from; +Inf for the root
	Death       float64 // height at which it splits, or the last rows leave it
	Rows        int64   // rows, those of the clusters below included
	Weight      float64 // their total weight; Rows without weights
	Stability   float64 // +Inf where rows leave at λ = ∞
	Persistence float64 // Stability / (Weight · largest λ of the tree), 1 where that is ∞
}

// lambda returns 1/height, the density at a height, which is ∞ for 0.
func lambda(height float64) float64 { return 1 / height }

// Lambdas returns the λ at which a cluster begins, and the largest at which
// anything leaves it.
func (c *Cluster) Lambdas() (birth, death float64) { return lambda(c.Birth), lambda(c.Death) }

// Condense returns the condensed tree of a min-cluster-size: rows, a whole number
// of at least 2, or with weights the least that a cluster weighs. Errors wrap
// neighbors.ErrRequest.
func (t *Tree) Condense(minClusterSize float64) (*Condensed, error) {
	least, err := t.minMass("min-cluster-size", minClusterSize, 2)
	if err != nil {
		return nil, err
	}
	d := &descent{Tree: t, least: least, fewest: uint32(min(minClusterSize, math.MaxUint32))}
	d.in = make([]bool, len(t.link.Height))
	par.Chunks(t.threads, len(d.in), func(_, lo, hi int) {
		for node := lo; node < hi; node++ {
			d.in[node] = d.within(node)
		}
	})
	d.count()
	d.descend()
	c := &Condensed{MinClusterSize: minClusterSize, tree: t, least: least}
	d.leave(c)
	c.number(d)
	c.describe()
	return c, nil
}

// A descent walks down the tree.
type descent struct {
	*Tree
	least  exact.Sum
	fewest uint32   // the same, in rows, without weights
	in     []bool   // by node: see within
	big    []uint32 // children that are clusters
	small  []uint32 // and all others
	at     []uint32 // its cluster, or if it is in none the node where it left one
	found  []branch
}

// A branch is a cluster while the tree is walked down.
type branch struct {
	parent  int32
	birth   float64
	death   float64
	node    uint32 // last node; None if the last is a row
	dropped int64  // children that left it, and at its split none became a cluster
	mass    exact.Sum
	rows    int64
	worth   stability
}

// within reports whether a node is a cluster or a part of one: it weighs enough,
// and comes from where λ is finite. The root always is.
func (d *descent) within(node int) bool {
	p := d.link.Parent[node]
	return p == linkage.None || d.enough(node) && d.parts(p)
}

// enough reports whether a node weighs enough for a cluster.
func (d *descent) enough(node int) bool {
	if d.mass != nil {
		return d.mass[node].Compare(d.least) >= 0
	}
	return d.link.Size[node] >= d.fewest
}

// parts reports whether clusters can come from a node: where λ is infinite, all
// rows leave.
func (d *descent) parts(node uint32) bool { return !math.IsInf(lambda(d.link.Height[node]), 1) }

// alone reports whether the row at a position is a cluster alone.
func (d *descent) alone(p int) bool {
	above := d.link.Above[p]
	return above != linkage.None && d.heavy(p, d.least) && d.parts(above)
}

// count counts the children of all nodes.
func (d *descent) count() {
	n := len(d.link.Height)
	d.big, d.small = make([]uint32, n), make([]uint32, n)
	for node, p := range d.link.Parent {
		switch {
		case p == linkage.None:
		case d.in[node]:
			d.big[p]++
		default:
			d.small[p]++
		}
	}
	for p, above := range d.link.Above {
		switch {
		case above == linkage.None:
		case d.alone(p):
			d.big[above]++
		default:
			d.small[above]++
		}
	}
}

// descend finds the clusters, parents first.
func (d *descent) descend() {
	d.at = make([]uint32, len(d.link.Height))
	d.found = append(d.found, branch{parent: -1, birth: math.Inf(1), death: math.Inf(1), node: linkage.None, mass: d.allMass(), rows: int64(d.Len())})
	for node := len(d.at) - 1; node >= 0; node-- {
		p := d.link.Parent[node]
		switch {
		case p == linkage.None:
			d.at[node] = 0
		case !d.in[node]:
			if d.at[node] = d.at[p]; d.in[p] {
				d.at[node] = p
			}
			continue
		case d.big[p] > 1:
			d.at[node] = d.begin(p, d.massOf(node), int64(d.link.Size[node]))
		default:
			d.goOn(p, d.massOf(node))
			d.at[node] = d.at[p]
		}
		d.pass(uint32(node))
	}
}

// begin begins a cluster below a node.
func (d *descent) begin(above uint32, mass exact.Sum, rows int64) uint32 {
	birth := d.link.Height[above]
	b := branch{parent: int32(d.at[above]), birth: birth, mass: mass, rows: rows}
	b.worth.subtract(mass, lambda(birth))
	d.found = append(d.found, b)
	return uint32(len(d.found) - 1)
}

// goOn lets everything but one child leave a cluster at a node.
func (d *descent) goOn(node uint32, child exact.Sum) {
	rest := d.massOf(int(node))
	rest.SubSum(child)
	d.found[d.at[node]].worth.add(rest, lambda(d.link.Height[node]))
}

// pass counts what leaves a cluster at a node, unless it goes on in a child.
func (d *descent) pass(node uint32) {
	b := &d.found[d.at[node]]
	b.node, b.death = node, d.link.Height[node]
	b.dropped += int64(d.small[node])
	if d.big[node] != 1 {
		b.worth.add(d.massOf(int(node)), lambda(b.death))
	}
}

// leave finds where every row leaves which cluster.
func (d *descent) leave(c *Condensed) {
	n := d.Len()
	c.cluster, c.height = make([]int32, n), make([]float64, n)
	if d.fixed != nil {
		d.leaveAlone(c)
	}
	par.Chunks(d.threads, n, func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			above := d.link.Above[p]
			if above == linkage.None {
				c.height[p] = math.Inf(1)
				continue
			}
			if d.alone(p) {
				continue
			}
			if !d.in[above] {
				above = d.at[above]
			}
			c.cluster[p], c.height[p] = int32(d.at[above]), d.link.Height[above]
		}
	})
}

// leaveAlone does so for rows that are clusters alone: they leave them at their
// core distances.
func (d *descent) leaveAlone(c *Condensed) {
	for p, above := range d.link.Above {
		if !d.alone(p) {
			continue
		}
		at := d.at[above]
		if mass := d.rowMass(p); d.big[above] > 1 {
			at = d.begin(above, mass, 1)
		} else {
			d.goOn(above, mass)
		}
		core := d.graph.From[p]
		b := &d.found[at]
		b.node, b.death = linkage.None, core
		b.worth.add(d.rowMass(p), lambda(core))
		c.cluster[p], c.height[p] = int32(at), core
	}
}

// describe sets the sizes and stabilities of clusters.
func (c *Condensed) describe() {
	most := 0.0
	for i := range c.Clusters {
		most = max(most, lambda(c.Clusters[i].Death))
	}
	for i := range c.Clusters {
		k := &c.Clusters[i]
		k.Stability = c.worth[i].float(c.tree.scale)
		k.Persistence = persistence(k.Stability, k.Weight, most)
	}
}

// Rows returns the cluster that every row leaves, and the height at which it
// does: λ is 1/height.
func (c *Condensed) Rows() (cluster []int32, height []float64) {
	return byRow(c.tree, c.cluster), byRow(c.tree, c.height)
}
