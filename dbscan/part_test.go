package dbscan

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/each"
	"skyjoin/internal/jointest"
	"skyjoin/internal/piece"
	"skyjoin/neighbors"
)

// A divided run: rows are dealt to parts in any way, each part sees its own
// rows and all others (or those within ε, as ruler tells), and the answer is
// put together.
func divided(t jointest.Failer, points *neighbors.Points, part []int32, parts int, metric neighbors.Metric, eps float64, opt Options) *Result {
	t.Helper()
	n := len(part)
	everywhere := metric.IsAngle() && eps > 1.5 // where angles hardly tell what d² does
	ruler, err := neighbors.NewRuler(metric, points, points)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var largest float64
	for _, w := range opt.Weights {
		largest = max(largest, math.Abs(w))
	}
	r := &Result{Labels: slices.Repeat([]int32{Noise}, n), Core: make([]bool, n)}
	if opt.Counts {
		r.Counts = make([]int64, n)
	}
	pieces, asks := make([]*piece.Clusters, parts), &listed{}
	whole := make([]*piece.Local, parts)
	rows := make([][]uint32, parts)
	for k := range parts {
		var own []bool
		var weights []float64
		if opt.Weights != nil {
			weights = []float64{} // of no rows, too
		}
		for i := range uint32(n) {
			near := everywhere || part[i] == int32(k)
			for j := uint32(0); !near && j < uint32(n); j++ {
				near = part[j] == int32(k) && ruler.Distance(i, j) <= eps*(1+1e-9)
			}
			if near {
				rows[k] = append(rows[k], i)
				own = append(own, part[i] == int32(k))
				if opt.Weights != nil {
					weights = append(weights, opt.Weights[i])
				}
			}
		}
		o := opt
		o.Weights = weights
		p, err := runPart(context.Background(), points.Subset(rows[k]), own, metric, eps, largest, o)
		if err != nil {
			t.Fatalf("%v", err)
		}
		whole[k] = p
		pieces[k] = pieceOf(p, rows[k], part, asks)
		r.Pairs += p.Found
	}
	m, err := piece.Merge(pieces, asks, opt.Border == BorderNearest)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for k, p := range whole {
		for i, row := range rows[k] {
			if part[row] != int32(k) {
				continue
			}
			r.Core[row] = p.Core[i]
			if p.Labels[i] != Noise {
				r.Labels[row] = m.Number[k][p.Labels[i]]
			}
			if opt.Counts {
				r.Counts[row] = p.Counts[i]
			}
		}
		for i, row := range m.Rows[k] {
			r.Labels[row] = m.Labels[k][i]
		}
	}
	r.Sizes, r.Pairs = m.Sizes, r.Pairs/2
	for i, label := range r.Labels {
		switch {
		case r.Core[i]:
			r.CoreCount++
		case label == Noise:
			r.NoiseCount++
		default:
			r.BorderCount++
		}
	}
	return r
}

// listed are what parts ask of others.
type listed struct {
	links   [][]piece.Link
	choices [][]piece.Choice
}

func (l *listed) Links(part int) ([]piece.Link, error)     { return l.links[part], nil }
func (l *listed) Choices(part int) ([]piece.Choice, error) { return l.choices[part], nil }

// pieceOf tells Merge of the next part.
func pieceOf(p *piece.Local, rows []uint32, part []int32, asks *listed) *piece.Clusters {
	out := &piece.Clusters{Sizes: make([]int64, len(p.Lowest))}
	for _, row := range p.Lowest {
		out.Lowest = append(out.Lowest, int64(rows[row]))
	}
	for _, label := range p.Labels {
		if label != Noise {
			out.Sizes[label]++
		}
	}
	for _, row := range p.Shared {
		out.Shared = append(out.Shared, int64(rows[row]))
		out.Cluster = append(out.Cluster, p.Labels[row])
	}
	asks.links = append(asks.links, each.Of(p.Links, func(l piece.LocalLink) piece.Link {
		return piece.Link{Row: int64(rows[l.Row]), Tile: part[rows[l.Row]], Cluster: l.Cluster}
	}))
	asks.choices = append(asks.choices, each.Of(p.Choices, func(c piece.LocalChoice) piece.Choice {
		return piece.Choice{Row: int64(rows[c.Row]), Near: int64(rows[c.Near]), Tile: part[rows[c.Near]], Cluster: c.Cluster, D2: c.D2}
	}))
	return out
}

func same(a, b *Result) error {
	switch {
	case !slices.Equal(a.Labels, b.Labels):
		return fmt.Errorf("labels\n%v\nwant\n%v", a.Labels, b.Labels)
	case !slices.Equal(a.Core, b.Core):
		return fmt.Errorf("core rows %v, want %v", a.Core, b.Core)
	case !slices.Equal(a.Counts, b.Counts):
		return fmt.Errorf("counts %v, want %v", a.Counts, b.Counts)
	case !slices.Equal(a.Sizes, b.Sizes):
		return fmt.Errorf("sizes %v, want %v", a.Sizes, b.Sizes)
	}
	got, want := [...]int64{a.CoreCount, a.BorderCount, a.NoiseCount, a.Pairs}, [...]int64{b.CoreCount, b.BorderCount, b.NoiseCount, b.Pairs}
	if got != want {
		return fmt.Errorf("core, border, noise, pairs %v, want %v", got, want)
	}
	return nil
}

// However rows are dealt to parts, the answer is that of Run: labels, core
// flags, counts, sizes.
func TestPartsMakeTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	borders := map[string]bool{}
	for round := range 400 {
		n := 1 + rng.IntN(150)
		metric, eps := neighbors.Euclidean(), 1.0
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = float64(rng.IntN(60))/4, float64(rng.IntN(40))/4 // many ties
		}
		switch round % 4 {
		case 1:
			metric = neighbors.Periodic(15, 0)
		case 2: // about a pole and RA 0
			metric, eps = neighbors.Sky(), 1*neighbors.Degree
			for i := range n {
				x[i], y[i] = x[i]*24, 90-y[i]/2
			}
		}
		opt := Options{MinPoints: 1 + float64(rng.IntN(6)), Counts: rng.IntN(2) == 0, Star: rng.IntN(4) == 0, Border: Border(rng.IntN(2))}
		if rng.IntN(3) == 0 {
			opt.Weights = make([]float64, n)
			for i := range n {
				opt.Weights[i] = float64(rng.IntN(9)-2) / 3
			}
		}
		want, err := Run(context.Background(), columns(t, x, y), metric, eps, opt)
		if err != nil {
			t.Fatal(err)
		}
		parts := 1 + rng.IntN(7)
		part := make([]int32, n)
		for i := range n {
			if part[i] = int32(rng.IntN(parts)); round%2 == 0 { // in strips, as tiles are
				part[i] = int32(min(float64(parts)*x[i]/15, float64(parts-1)))
			}
		}
		got := divided(t, columns(t, x, y), part, parts, metric, eps, opt)
		if err := same(got, want); err != nil {
			t.Fatalf("round %d, %v, %d rows in %d parts, min-points %v, border %v, star %v, weights %v:\n%v",
				round, metric, n, parts, opt.MinPoints, opt.Border, opt.Star, opt.Weights != nil, err)
		}
		if want.BorderCount > 0 && want.Clusters() > 1 && parts > 1 {
			borders[fmt.Sprint(opt.Border)] = true
		}
	}
	if len(borders) < 2 {
		t.Errorf("rules of borders that were tried: %v", borders)
	}
}

// The rows of a dense set, where most cells hold several core rows.
func TestDensePartsMakeTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n = 2000
	x, y := make([]float64, n), make([]float64, n)
	part := make([]int32, n)
	for i := range n {
		x[i], y[i] = 10*rng.Float64(), 10*rng.Float64()
		part[i] = int32(x[i]/5) + 2*int32(y[i]/5)
	}
	opt := Options{MinPoints: 15}
	for _, eps := range []float64{.45, .5, .6} {
		want, err := Run(context.Background(), columns(t, x, y), neighbors.Euclidean(), eps, opt)
		if err != nil {
			t.Fatal(err)
		}
		if want.CoreCount == 0 || want.CoreCount == n {
			t.Errorf("ε %v: %d core rows: tests little", eps, want.CoreCount)
		}
		if err := same(divided(t, columns(t, x, y), part, 4, neighbors.Euclidean(), eps, opt), want); err != nil {
			t.Errorf("ε %v: %v", eps, err)
		}
	}
}
