package mock

import "sort"

// truth is the last column of catalogs whose clusters are known.
func truth(name string) Field {
	return Field{Name: name, Type: Int32, UCD: "meta.id.assoc", Description: "true cluster, -1 for none"}
}

// pick chooses among clusters with the given cumulative fractions: -1 with the
// probability that is left.
func pick(r *stream, cumulative []float64) int {
	i := sort.SearchFloat64s(cumulative, r.float())
	if i == len(cumulative) {
		return -1
	}
	return i
}

// cumulate scales weights to add up to total and returns their running sum.
func cumulate(weights []float64, total float64) []float64 {
	var sum float64
	for _, w := range weights {
		sum += w
	}
	out := make([]float64, len(weights))
	var run float64
	for i, w := range weights {
		run += w
		out[i] = float64(total * (run / sum))
	}
	return out
}

// clumps are Gaussian clumps in the cube of side 100: half of the rows, the
// other half is spread evenly. The sizes of the clumps follow a Pareto law of
// index 1.2, their standard deviations are even in [0.2, 2).
type clumps struct {
	seed       uint64
	names      []Field
	known      []Cluster
	cumulative []float64
}

func newClumps(opt Options) (source, error) {
	if opt.Clusters == 0 {
		opt.Clusters = 200
	}
	fields := coordinates(opt)
	c := &clumps{seed: opt.Seed}
	weights := make([]float64, opt.Clusters)
	for k := range weights {
		r := newStream(opt.Seed, ofClusters, uint64(k))
		// Pareto of index 1.2 from 0 on: (1-u)^(-1/1.2) - 1, and a floor.
		weights[k] = exp(r.exponential()/1.2) - 1 + 0.05
		t := Cluster{Label: int32(k), Radius: r.between(0.2, 2)}
		for range fields {
			t.Centre = append(t.Centre, r.between(0, 100))
		}
		c.known = append(c.known, t)
	}
	c.cumulative = cumulate(weights, 0.5)
	last := 0.0
	for k, v := range c.cumulative {
		c.known[k].Fraction = v - last
		last = v
	}
	c.names = append(fields, truth("true_cluster"))
	return c, nil
}

func (c *clumps) fields() []Field     { return c.names }
func (c *clumps) clusters() []Cluster { return c.known }

func (c *clumps) fill(lo int64, block []Column) {
	last := len(block) - 1
	for i := range block[last].Int64 {
		r := newStream(c.seed, ofRows, uint64(lo)+uint64(i))
		k := pick(r, c.cumulative)
		block[last].Int64[i] = int64(k)
		for d, col := range block[:last] {
			if k < 0 {
				col.set(i, r.between(0, 100))
			} else {
				col.set(i, c.known[k].Centre[d]+float64(c.known[k].Radius*r.normal()))
			}
		}
	}
}
