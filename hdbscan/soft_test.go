package hdbscan

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

// Memberships are those of the definition.
func TestMemberships(t *testing.T) {
	several := 0
	for seed := range uint64(200) {
		tr := newTrial(seed)
		p := columns(t, tr.cols...)
		r := newReference(t, tr, p, TiesTogether, tr.size)
		tree := build(t, p, tr.metric, tr.options())
		c := condense(t, tree, tr.size)
		s := Selection{Method: Leaf}
		if seed%2 == 0 {
			s = Selection{}
		}
		k := 1 + int(seed%4)
		got, err := c.Memberships(s, k)
		if err != nil {
			t.Fatal(err)
		}
		r.choose(s)
		for i := range p.Len() {
			var up []*refCluster
			for o := r.of[i]; o != nil; o = o.parent {
				up = append(up, o)
			}
			var list []membership
			for _, o := range r.found {
				if !o.taken {
					continue
				}
				m := membership{label: int32(len(list))}
				x := 1 / r.leaves[i]
				if !slices.Contains(up, o) {
					both := o
					for !slices.Contains(up, both) {
						both = both.parent
					}
					if both != r.of[i] {
						x = 1 / both.death
					}
				}
				if most := 1 / o.death; x >= most {
					m.u = 1
				} else {
					m.u = x / most
				}
				list = append(list, m)
			}
			slices.SortFunc(list, func(a, b membership) int {
				return cmp.Or(-cmp.Compare(a.u, b.u), cmp.Compare(a.label, b.label))
			})
			if len(list) > 1 {
				several++
			}
			list = list[:min(k, len(list))]
			sum := 0.0
			for _, m := range list {
				sum += m.u
			}
			total := 0.0
			for j := range got.K {
				label, value := Noise, 0.0
				if j < len(list) {
					label = list[j].label
					if sum > 0 {
						value = list[j].u / sum * list[0].u
					}
				}
				if at := i*got.K + j; got.Labels[at] != label || got.Values[at] != value {
					t.Fatalf("trial %d, row %d, place %d: %d %v, want %d %v", seed, i, j, got.Labels[at], got.Values[at], label, value)
				}
				total += value
			}
			if sum > 0 && math.Abs(total-list[0].u) > 1e-15 {
				t.Fatalf("trial %d, row %d: memberships add up to %v, want %v", seed, i, total, list[0].u)
			}
		}
	}
	if several < 1000 {
		t.Errorf("only %d rows have several clusters", several)
	}
}
