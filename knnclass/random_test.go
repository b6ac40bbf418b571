package knnclass

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// A definition is a model in the words of what it is, in numbers that neither
// overflow nor vanish.
type definition struct {
	plan    *neighbors.Plan // query rows and training rows, of any radius
	labels  []int32
	classes int
	values  []float64
	weights []float64
}

// near are the training rows that vote for a query row, nearest first, but for
// that to skip.
func (d *definition) near(row, skip int, o Options) []int {
	var order []int
	for i := range d.plan.DataLen() {
		if i != skip && (o.Radius == 0 || d.plan.SquaredDistance(uint32(row), uint32(i)) <= d.plan.SquaredRadius()) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := uint32(a), uint32(b)
		if o.Radius != 0 {
			return cmp.Compare(d.plan.Distance(uint32(row), x), d.plan.Distance(uint32(row), y))
		}
		return cmp.Compare(d.plan.SquaredDistance(uint32(row), x), d.plan.SquaredDistance(uint32(row), y))
	})
	if o.Radius == 0 {
		order = order[:o.K]
	}
	return order
}

// votes returns the share of all votes that each of the rows has.
func (d *definition) votes(row int, near []int, vote Vote) []*big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	var votes []*big.Float
	total := number(0)
	least := math.Inf(1)
	for _, i := range near {
		least = min(least, d.plan.Distance(uint32(row), uint32(i)))
	}
	for _, i := range near {
		v := number(1)
		if d.weights != nil {
			v = number(d.weights[i])
		}
		if dist := d.plan.Distance(uint32(row), uint32(i)); vote == ByDistance && dist > least && (least == 0 || math.IsInf(dist, 1)) {
			v = number(0)
		} else if vote == ByDistance && least > 0 && !math.IsInf(dist, 1) {
			v.Quo(v, number(dist))
		}
		votes = append(votes, v)
		total.Add(total, v)
	}
	for _, v := range votes {
		v.Quo(v, total)
	}
	return votes
}

// check compares a prediction of a query row.
func (d *definition) check(t *rapid.T, class, value *Prediction, row, skip int, o Options) {
	near := d.near(row, skip, o)
	if len(near) == 0 {
		if class.Class[row] != Outlier || class.Share[row] != 0 || !math.IsNaN(value.Value[row]) {
			t.Fatalf("row %d has no neighbour: class %d, share %v, value %v", row, class.Class[row], class.Share[row], value.Value[row])
		}
		return
	}
	share := make([]float64, d.classes)
	sum := make([]float64, d.classes) // of the distances of voters
	mean, size := new(big.Float).SetPrec(200), new(big.Float).SetPrec(200)
	for k, v := range d.votes(row, near, o.Vote) {
		i := near[k]
		f, _ := v.Float64()
		share[d.labels[i]] += f
		sum[d.labels[i]] += d.plan.Distance(uint32(row), uint32(i))
		p := new(big.Float).Mul(v, new(big.Float).SetPrec(200).SetFloat64(d.values[i]))
		mean.Add(mean, p)
		size.Add(size, p.Abs(p))
	}
	want, _ := mean.Float64()
	off, _ := size.Float64()
	for _, i := range near { // a share of less than 1e-300 is none
		off = max(off, 1e-288*math.Abs(d.values[i]))
	}
	if got := value.Value[row]; !(math.Abs(got/2-want/2) <= 1e-12*off+5e-324) {
		t.Fatalf("row %d: value %v, want %v", row, got, want)
	}
	best := slices.Max(share)
	got := class.Class[row]
	if got < 0 || share[got] < best*(1-1e-12) || math.Abs(class.Share[row]-best) > 1e-12 {
		t.Fatalf("row %d: class %d with a share of %v, want one with %v of %v", row, got, class.Share[row], best, share)
	}
	alike := 0
	for c, s := range share {
		if p := class.Probability[row*d.classes+c]; math.Abs(p-s) > 1e-12 {
			t.Fatalf("row %d: probability %v of class %d, want %v", row, p, c, s)
		}
		if s > best*(1-1e-12) {
			alike++
		}
	}
	if alike == 1 && class.Tie[row] {
		t.Fatalf("row %d: a tie of one class with %v of %v", row, best, share)
	}
	if d.weights != nil || o.Vote != Uniform {
		return // sums that should be equal may differ in the last bit
	}
	if class.Tie[row] != (alike > 1) {
		t.Fatalf("row %d: a tie: %v, of shares %v", row, class.Tie[row], share)
	}
	first := int32(-1)
	for _, i := range near { // the class of the least sum, of such that of the nearest row
		if c := d.labels[i]; share[c] > best*(1-1e-12) && (first < 0 || sum[c] < sum[first]) {
			first = c
		}
	}
	if got != first {
		t.Fatalf("row %d: class %d wins the tie, want %d: sums of distances %v", row, got, first, sum)
	}
}

// Whatever legal request comes, predictions are those of the definition.
func TestRandomPredictions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		most := rapid.SampledFrom([]int{2, 3, 8, 20, 60}).Draw(t, "most")
		rng := rand.New(rand.NewPCG(seed, 3))
		r := jointest.RandomRequest(seed, most)
		in := r.Input
		train, self := in.Data, in.Data == nil
		if self {
			train = in.Query
		}
		if train.Len() == 0 {
			t.Skip("no training rows")
		}
		d := &definition{classes: 1 + rng.IntN(4)}
		for range train.Len() {
			d.labels = append(d.labels, int32(rng.IntN(d.classes)))
			d.values = append(d.values, rng.NormFloat64())
		}
		extremes := []float64{5e-324, 1e-310, 1e-300, 1e-150, 1, 1, 3, 1e150, 1e300, math.MaxFloat64}
		if rng.IntN(3) == 0 {
			for i := range d.values {
				d.values[i] = extremes[rng.IntN(len(extremes))] * float64(1-2*rng.IntN(2))
			}
		}
		if kind := rng.IntN(4); kind > 1 {
			for range train.Len() {
				w := []float64{1 - rng.Float64(), extremes[rng.IntN(len(extremes))]}[kind-2]
				d.weights = append(d.weights, w)
			}
		}
		radius := r.Radii[rng.IntN(len(r.Radii))]
		var err error
		if d.plan, err = neighbors.Prepare(context.Background(), in, neighbors.Within{Radius: radius}); err != nil {
			t.Fatal(err)
		}
		classifier, err := NewClassifier(train, in.Metric, d.labels, d.classes, d.weights)
		if err != nil {
			t.Fatal(err)
		}
		regressor, err := NewRegressor(train, in.Metric, d.values, d.weights)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Vote: Vote(rng.IntN(2)), Probabilities: true, Block: []int{0, 1, 7}[rng.IntN(3)], Threads: 1 + rng.IntN(3)}
		var ks []int
		if have := train.Len(); rng.IntN(3) == 0 {
			o.Radius = radius
		} else if self {
			if have < 2 {
				t.Skip("no other rows")
			}
			ks = []int{1, have - 1, 1 + rng.IntN(have-1)}
		} else {
			o.K = 1 + rng.IntN(min(have, []int{1, 5, 60}[rng.IntN(3)]))
		}
		if !self {
			class, err := classifier.Predict(context.Background(), in.Query, o)
			if err != nil {
				t.Fatal(err)
			}
			value, err := regressor.Predict(context.Background(), in.Query, o)
			if err != nil {
				t.Fatal(err)
			}
			for row := range in.Query.Len() {
				d.check(t, class, value, row, -1, o)
			}
			return
		}
		class, err := classifier.LeaveOneOut(context.Background(), ks, o)
		if err != nil {
			t.Fatal(err)
		}
		value, err := regressor.LeaveOneOut(context.Background(), ks, o)
		if err != nil {
			t.Fatal(err)
		}
		for j := range class {
			if ks != nil {
				o.K = ks[j]
			}
			for row := range train.Len() {
				d.check(t, class[j], value[j], row, row, o)
			}
		}
	})
}
