package dbscan

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// A truth is what a clustering has to be right about: the pairs within ε,
// found by looking at all of them, and the definition of a core row.
type truth struct {
	near [][]uint32 // neighbours of each row, itself not included
	d2   func(i, j int) float64
	opt  Options
}

// truthOf computes Euclidean neighbourhoods from the definition: √d² ≤ ε, d²
// summed over the columns in order.
func truthOf(cols [][]float64, eps float64, opt Options) *truth {
	t := &truth{opt: opt, d2: func(i, j int) float64 {
		var sum float64
		for _, c := range cols {
			d := c[i] - c[j]
			sum += float64(d * d)
		}
		return sum
	}}
	return t.find(len(cols[0]), func(d2 float64) bool { return math.Sqrt(d2) <= eps })
}

// truthOfPlan takes d² and what is within ε from a plan.
func truthOfPlan(p *neighbors.Plan, opt Options) *truth {
	t := &truth{opt: opt, d2: func(i, j int) float64 { return p.SquaredDistance(uint32(i), uint32(j)) }}
	return t.find(p.Len(), func(d2 float64) bool { return d2 <= p.SquaredRadius() })
}

// find finds the neighbours of n rows.
func (t *truth) find(n int, within func(d2 float64) bool) *truth {
	for i := range n {
		var list []uint32
		for j := range n {
			if i != j && within(t.d2(i, j)) {
				list = append(list, uint32(j))
			}
		}
		t.near = append(t.near, list)
	}
	return t
}

func (t *truth) weight(i int) float64 {
	if t.opt.Weights == nil {
		return 1
	}
	return t.opt.Weights[i]
}

// verify checks a result against the axioms of DBSCAN, without an algorithm
// of its own for the clusters: it is told them, and tests what they must obey.
// Weights must be such that float64 sums of them are exact.
func (t *truth) verify(r *Result) error {
	n := len(t.near)
	if len(r.Labels) != n || len(r.Core) != n {
		return fmt.Errorf("%d labels and %d core flags for %d rows", len(r.Labels), len(r.Core), n)
	}
	sizes := make([]int64, r.Clusters())
	var cores, borders, noise, pairs int64
	for i, list := range t.near {
		pairs += int64(len(list))
		sum := t.weight(i)
		for _, j := range list {
			sum += t.weight(int(j))
		}
		if core := sum >= t.opt.MinPoints; core != r.Core[i] {
			return fmt.Errorf("row %d has %v in its ball, core = %v", i, sum, r.Core[i])
		}
		if r.Counts != nil && r.Counts[i] != int64(len(list))+1 {
			return fmt.Errorf("row %d has %d rows in its ball, not %d", i, len(list)+1, r.Counts[i])
		}
		label := r.Labels[i]
		if label < Noise || int(label) >= r.Clusters() {
			return fmt.Errorf("row %d has label %d of %d clusters", i, label, r.Clusters())
		}
		if want := t.border(i, r); !r.Core[i] && label != want {
			return fmt.Errorf("row %d, not core, has label %d, want %d", i, label, want)
		}
		switch {
		case r.Core[i]:
			cores++
		case label == Noise:
			noise++
		default:
			borders++
		}
		if label != Noise {
			sizes[label]++
		}
		if !r.Core[i] {
			continue
		}
		if label == Noise {
			return fmt.Errorf("row %d is core and noise", i)
		}
		for _, j := range list {
			if r.Core[j] && r.Labels[j] != label {
				return fmt.Errorf("core rows %d and %d are neighbours in clusters %d and %d", i, j, label, r.Labels[j])
			}
		}
	}
	if err := t.connected(r); err != nil {
		return err
	}
	if !slices.Equal(sizes, r.Sizes) {
		return fmt.Errorf("sizes %v, want %v", r.Sizes, sizes)
	}
	pairs /= 2
	if t.opt.SkipPairs && !t.opt.Counts {
		pairs = -1
	}
	got := [...]int64{r.CoreCount, r.BorderCount, r.NoiseCount, r.Pairs}
	if want := [...]int64{cores, borders, noise, pairs}; got != want {
		return fmt.Errorf("core, border, noise, pairs %v, want %v", got, want)
	}
	return nil
}

// border returns the label that row i, if it is not core, must have, given
// those of the core rows.
func (t *truth) border(i int, r *Result) int32 {
	best := -1
	for _, j := range t.near[i] {
		j := int(j)
		if !r.Core[j] || t.opt.Star {
			continue
		}
		switch {
		case best < 0:
			best = j
		case t.opt.Border == BorderFirst && r.Labels[j] < r.Labels[best]:
			best = j
		case t.opt.Border == BorderNearest && t.d2(i, j) < t.d2(i, best): // ties stay with the lower row
			best = j
		}
	}
	if best < 0 {
		return Noise
	}
	return r.Labels[best]
}

// connected checks that the core rows of a cluster are connected through core
// rows, and that clusters are numbered by their lowest core row.
func (t *truth) connected(r *Result) error {
	seen := make([]bool, len(t.near))
	next := int32(0)
	for i := range t.near {
		if !r.Core[i] || seen[i] {
			continue
		}
		if r.Labels[i] != next {
			return fmt.Errorf("core row %d begins a connected part, of label %d, want %d", i, r.Labels[i], next)
		}
		next++
		seen[i] = true
		for stack := []int{i}; len(stack) > 0; {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, j := range t.near[top] {
				if r.Core[j] && !seen[j] {
					seen[j] = true
					stack = append(stack, int(j))
				}
			}
		}
	}
	if int(next) != r.Clusters() {
		return fmt.Errorf("%d clusters, want %d", r.Clusters(), next)
	}
	return nil
}

// The verifier accepts the answer worked out by hand and rejects every way of
// being wrong.
func TestVerifier(t *testing.T) {
	// Two clusters that share the border row 5, and a lone row 11.
	x := []float64{-.5, -.5, -.5, -.5, 0, 1, 2, 2.5, 2.5, 2.5, 2.5, 9, 3.25}
	tr := truthOf([][]float64{x}, 1, Options{MinPoints: 5})
	right := func() *Result {
		return &Result{
			Labels:      []int32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, -1, 1},
			Core:        []bool{true, true, true, true, true, false, true, true, true, true, true, false, true},
			Sizes:       []int64{6, 6},
			CoreCount:   11,
			BorderCount: 1,
			NoiseCount:  1,
			Pairs:       10 + 1 + 1 + 10 + 4,
		}
	}
	if err := tr.verify(right()); err != nil {
		t.Fatalf("the right answer is rejected: %v", err)
	}
	for name, damage := range map[string]func(r *Result){
		"core row called border":     func(r *Result) { r.Core[0] = false },
		"border row called core":     func(r *Result) { r.Core[5] = true },
		"border row in wrong one":    func(r *Result) { r.Labels[5] = 1 },
		"border row called noise":    func(r *Result) { r.Labels[5] = Noise },
		"noise in a cluster":         func(r *Result) { r.Labels[11] = 0 },
		"core row called noise":      func(r *Result) { r.Labels[3] = Noise },
		"core row in the wrong one":  func(r *Result) { r.Labels[3] = 1 },
		"clusters fused":             func(r *Result) { fill(r.Labels[6:11], 0); r.Labels[12] = 0; r.Sizes = []int64{12} },
		"clusters in another order":  func(r *Result) { swap(r.Labels); r.Sizes = []int64{6, 6} },
		"label of no cluster":        func(r *Result) { r.Labels[11] = 2 },
		"wrong size":                 func(r *Result) { r.Sizes[0]++ },
		"wrong number of pairs":      func(r *Result) { r.Pairs++ },
		"wrong number of core rows":  func(r *Result) { r.CoreCount-- },
		"wrong number of noise rows": func(r *Result) { r.NoiseCount = 0 },
		"empty cluster":              func(r *Result) { r.Sizes = append(r.Sizes, 0) },
		"a row too few":              func(r *Result) { r.Labels = r.Labels[1:] },
		"wrong count":                func(r *Result) { r.Counts = make([]int64, 13) },
	} {
		r := right()
		damage(r)
		if tr.verify(r) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	tr.opt.Star = true
	if tr.verify(right()) == nil {
		t.Error("DBSCAN*: border row in a cluster accepted")
	}
}

func fill(labels []int32, v int32) {
	for i := range labels {
		labels[i] = v
	}
}

func swap(labels []int32) {
	for i, v := range labels {
		if v >= 0 {
			labels[i] = 1 - v
		}
	}
}

// columns makes points of columns.
func columns(t testing.TB, cols ...[]float64) *neighbors.Points {
	t.Helper()
	c := make([]neighbors.Column, len(cols))
	for i := range cols {
		c[i] = neighbors.Float64s(cols[i])
	}
	p, err := neighbors.NewPoints(c...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
