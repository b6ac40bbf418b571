package dbscan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// A requested run is one of a random legal request.
type requested struct {
	points *neighbors.Points
	metric neighbors.Metric
	eps    float64
	opt    Options
	plan   *neighbors.Plan
}

func drawRun(t *rapid.T) (*requested, *rand.Rand) {
	seed := rapid.Uint64().Draw(t, "seed")
	most := rapid.SampledFrom([]int{1, 2, 3, 8, 20, 20, 60, 60, 200, 200, 200, 600}).Draw(t, "most")
	rng := rand.New(rand.NewPCG(seed, 4))
	r := jointest.RandomRequest(seed, most)
	q := &requested{points: r.Input.Query, metric: r.Input.Metric, eps: r.Radii[rng.IntN(len(r.Radii))]}
	var err error
	if q.plan, err = neighbors.Prepare(context.Background(), neighbors.Input{Query: q.points, Metric: q.metric}, neighbors.Within{Radius: q.eps}); err != nil {
		t.Fatal(err)
	}
	minPoints := []float64{1, 1.5, 2, 2, 3, 3, 4, 5, 9, 40, float64(q.points.Len()), 1e300}[rng.IntN(12)]
	q.opt = Options{MinPoints: max(minPoints, 1), Star: rng.IntN(4) == 0, Border: Border(rng.IntN(2)), Counts: rng.IntN(3) == 0, SkipPairs: rng.IntN(3) == 0, Threads: 1 + rng.IntN(3)}
	if rng.IntN(3) == 0 {
		// Sums of these are exact in float64, as those of the definition must be.
		unit := []float64{1. / 64, 1, 0x1p-1000, 0x1p900, 5e-324}[rng.IntN(5)]
		q.opt.MinPoints = min(q.opt.MinPoints*64, 1<<20) * unit
		q.opt.Weights = make([]float64, q.points.Len())
		for i := range q.opt.Weights {
			q.opt.Weights[i] = float64(rng.IntN(160)-8) * unit
		}
		if rng.IntN(8) == 0 {
			clear(q.opt.Weights)
		}
	}
	return q, rng
}

func (q *requested) String() string {
	o := q.opt
	return fmt.Sprintf("%v, %d rows, %d columns, ε %v, min-points %v, star %v, border %v, counts %v, pairs skipped %v, weights %v, joiner %T", q.metric, q.points.Len(), q.points.Dim(), q.eps, o.MinPoints, o.Star, o.Border, o.Counts, o.SkipPairs, o.Weights != nil, o.Joiner)
}

// Whatever legal request comes, the axioms hold, and predictions for the rows of
// the run are its labels.
func TestRandomRuns(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		q, rng := drawRun(t)
		q.opt.Joiner = []neighbors.Joiner{nil, nil, nil, neighbors.CPU{Threads: 1, Algorithm: neighbors.Scan}, neighbors.CPU{Threads: 2, Algorithm: neighbors.KDTree}, lister{neighbors.CPU{}}, crowd{workers: 8, rows: 3}}[rng.IntN(7)]
		q.opt.Algorithm = []Algorithm{Auto, Auto, Cells, UnionFind, Device}[rng.IntN(5)]
		r, err := Run(ctx, q.points, q.metric, q.eps, q.opt)
		if q.opt.Algorithm != Auto && errors.Is(err, neighbors.ErrRequest) { // it does not know all
			q.opt.Algorithm = Auto
			r, err = Run(ctx, q.points, q.metric, q.eps, q.opt)
		}
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		if r.Algorithm == Auto || q.opt.Algorithm != Auto && r.Algorithm != q.opt.Algorithm {
			t.Fatalf("%v: algorithm %q", q, r.Algorithm)
		}
		truth := truthOfPlan(q.plan, q.opt)
		if r.Pairs == -1 {
			truth.opt.SkipPairs, truth.opt.Counts = true, false
		} else {
			truth.opt.SkipPairs = false
		}
		if r.Pairs == -1 && (!q.opt.SkipPairs || q.opt.Counts) || q.opt.Counts != (r.Counts != nil) {
			t.Fatalf("%v: %d pairs, counts %v", q, r.Pairs, r.Counts)
		}
		if err := truth.verify(r); err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		model, err := r.Model(q.points, q.metric, q.eps, q.opt.Border)
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		labels, err := model.Predict(ctx, q.points, Join{})
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		for i, label := range labels {
			if label != r.Labels[i] && (r.Core[i] || !q.opt.Star) {
				t.Fatalf("%v: row %d is predicted to be in %d, it is in %d", q, i, label, r.Labels[i])
			}
		}
	})
}

// However the rows are dealt to parts, they make the whole.
func TestRandomParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, rng := drawRun(t)
		n := q.points.Len()
		q.opt.SkipPairs = false
		want, err := Run(context.Background(), q.points, q.metric, q.eps, q.opt)
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		parts := 1 + rng.IntN(5)
		part := make([]int32, n)
		for i := range part {
			part[i] = int32(rng.IntN(parts))
		}
		if err := same(divided(t, q.points, part, parts, q.metric, q.eps, q.opt), want); err != nil {
			t.Fatalf("%v, in %d parts: %v", q, parts, err)
		}
	})
}

// Clusters have the sizes of the run, centres that are means, and numbers for
// everything.
func TestRandomSummaries(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		q, _ := drawRun(t)
		q.opt.MinPoints = min(q.opt.MinPoints, 3)
		r, err := Run(ctx, q.points, q.metric, q.eps, q.opt)
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		clusters, err := Summarize(ctx, q.points, q.metric, r, Join{})
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		// Terms are rounded to multiples that depend on the largest.
		largest := make([]float64, q.points.Dim())
		for i, label := range r.Labels {
			for j := range largest {
				if label != Noise {
					largest[j] = max(largest[j], math.Abs(q.points.Column(j).At(i)))
				}
			}
		}
		centres := 0
		for _, c := range clusters {
			if !c.Wraps {
				centres++
			}
		}
		for k, c := range clusters {
			if c.Wraps {
				if c.Size != r.Sizes[k] || q.metric.String() != "periodic" || c.Nearest != Noise || c.Extent == c.Extent || c.Centre[0] == c.Centre[0] {
					t.Fatalf("%v: wraps: %+v", q, c)
				}
				continue
			}
			if c.Size != r.Sizes[k] || centres > 1 && (c.Nearest < 0 || c.Nearest == int32(k) || c.Separation != c.Separation) {
				t.Fatalf("%v: %d rows, want %d: %+v", q, c.Size, r.Sizes[k], c)
			}
			if slices.ContainsFunc(slices.Concat(c.Centre, c.Deviation, []float64{c.Extent}), func(x float64) bool { return x != x }) {
				t.Fatalf("%v: not all are numbers: %+v", q, c)
			}
			for j := q.metric.PositionColumns(); j < q.points.Dim(); j++ {
				if l := q.metric.Side(j); l > 0 {
					if !(c.Centre[j] >= 0 && c.Centre[j] < l) {
						t.Fatalf("%v: centre %v in a box of side %v", q, c.Centre[j], l)
					}
					continue
				}
				sum := new(big.Float).SetPrec(2200)
				for i, label := range r.Labels {
					if label == int32(k) {
						sum.Add(sum, new(big.Float).SetFloat64(q.points.Column(j).At(i)))
					}
				}
				want, _ := sum.Quo(sum, big.NewFloat(float64(c.Size))).Float64()
				if !(math.Abs(c.Centre[j]-want) <= 1e-15*largest[j]+5e-324) {
					t.Fatalf("%v: centre %v of column %d, want %v", q, c.Centre[j], j, want)
				}
			}
		}
	})
}

// The k-th distances are those of the definition.
func TestRandomKDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, rng := drawRun(t)
		n := q.points.Len()
		if n < 2 {
			t.Skip("no other rows")
		}
		k := 1 + rng.IntN(n-1)
		got, err := KDistances(context.Background(), q.points, q.metric, k, Join{Threads: 2})
		if err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		for i := range uint32(n) {
			var all []float64
			for j := range uint32(n) {
				if i != j {
					all = append(all, q.plan.SquaredDistance(i, j))
				}
			}
			slices.Sort(all)
			// On the sky two pairs of one d² can differ in their angles.
			if d := math.Sqrt(all[k-1]); !q.metric.IsAngle() && got[i] != d || q.metric.IsAngle() && math.Abs(2*math.Asin(min(d/2, 1))-got[i]) > 1e-7 {
				t.Fatalf("%v: row %d has its neighbour %d at %v, want %v", q, i, k, got[i], d)
			}
		}
	})
}
