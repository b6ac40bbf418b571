package hdbscan

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// New rows attach by definition, and those of the tree get their own labels.
func TestPredict(t *testing.T) {
	trials := 300
	if testing.Short() {
		trials = 80
	}
	seen := 0
	for seed := range uint64(trials) {
		tr := newTrial(seed)
		p := columns(t, tr.cols...)
		opt := tr.options()
		opt.Ties, opt.Threads = Ties(seed%2), 1+int(seed%3)
		tree := build(t, p, tr.metric, opt)
		c := condense(t, tree, tr.size)
		s := Selection{SingleCluster: seed%3 == 0, Method: Method(seed % 5 / 4)}
		own, err := c.Predict(context.Background(), s, p, Join{})
		if err != nil {
			t.Fatal(err)
		}
		want := choose(t, c, s)
		outliers := c.Outliers()
		if tr.weights == nil && opt.Ties == TiesTogether && (!slices.Equal(own.Labels, want.Labels) || !slices.Equal(own.Probabilities, want.Probabilities) || !slices.Equal(own.Outliers, outliers)) {
			t.Fatalf("trial %d: the rows of the tree get %v, %v\nwant %v, %v", seed, own.Labels, own.Probabilities, want.Labels, want.Probabilities)
		}
		// Others, some at the places of rows.
		rng := rand.New(rand.NewPCG(seed, 26))
		fresh := make([][]float64, len(tr.cols))
		for range 20 {
			from, shift := rng.IntN(p.Len()), rng.NormFloat64()/8*float64(rng.IntN(2))
			for j := range fresh {
				fresh[j] = append(fresh[j], math.Abs(tr.cols[j][from]+shift)) // no negative distance
			}
		}
		q := columns(t, fresh...)
		got, err := c.Predict(context.Background(), s, q, Join{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: q, Data: p, Metric: tr.metric}, neighbors.Nearest{K: 1})
		if err != nil {
			t.Fatal(err)
		}
		core := tree.CoreDistances()
		cluster, height := c.Rows()
		for i := range got.Labels {
			type near struct {
				d   float64
				row int
			}
			var all []near
			for row := range p.Len() {
				all = append(all, near{plan.Distance(uint32(i), uint32(row)), row})
			}
			slices.SortStableFunc(all, func(a, b near) int { return int(math.Copysign(1, a.d-b.d)) * bit(a.d != b.d) })
			sum, own := 1.0, 0.0
			for _, a := range all {
				if sum >= tr.m {
					break
				}
				own = a.d
				if tr.weights == nil {
					sum++
				} else {
					sum += tr.weights[a.row]
				}
			}
			best := near{math.Inf(1), -1}
			for row := range p.Len() {
				w := max(own, core[row], plan.Distance(uint32(i), uint32(row))/tr.alpha)
				if all[0].d == 0 {
					w = plan.Distance(uint32(i), uint32(row))
				}
				if best.row < 0 || w < best.d {
					best = near{w, row}
				}
			}
			id := cluster[best.row]
			for c.Clusters[id].Birth <= best.d && id > 0 {
				id = c.Clusters[id].Parent
			}
			if h := max(best.d, height[best.row]); got.Cluster[i] != id || got.Height[i] != h {
				t.Fatalf("trial %d, new row %d: leaves cluster %d at %v, want %d at %v", seed, i, got.Cluster[i], got.Height[i], id, h)
			}
			if got.Labels[i] >= 0 {
				seen++
			}
		}
	}
	if seen < trials {
		t.Errorf("only %d new rows in clusters: the trials test little", seen)
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
