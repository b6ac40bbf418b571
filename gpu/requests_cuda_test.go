//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/pairfunc"
	"skyjoin/neighbors"
)

// A request is one of all that a Joiner can be asked, with an answer that can
// be compared.
type request struct {
	name string
	cfg  Config
	ask  func(ctx context.Context, j *Joiner) (any, error)
}

func everyRequest(t *testing.T) []request {
	t.Helper()
	clumps := clumpPlan(t, 200)
	g := rand.New(rand.NewPCG(8, 8))
	uniform := func(int, int) float64 { return 10 * g.Float64() }
	points := func(n, dim int, narrow bool) *neighbors.Points { return pointsOf(t, n, dim, narrow, uniform) }
	flat, wide := points(200, 2, false), points(150, 5, true)
	table := func(cfg Config, name string, p *neighbors.Plan) request {
		return request{name, cfg, func(ctx context.Context, j *Joiner) (any, error) {
			return neighbors.Collect(ctx, j, p, 0)
		}}
	}
	counts := func(cfg Config, name string, p *neighbors.Plan) request {
		return request{name, cfg, func(ctx context.Context, j *Joiner) (any, error) {
			n := make([]int64, p.Len())
			err := j.Count(ctx, p, p.Work(), n)
			return n, err
		}}
	}
	clusters := func(name string, p *neighbors.Plan) request {
		return request{name, Config{}, func(ctx context.Context, j *Joiner) (any, error) {
			labels, core, n := make([]int32, p.Len()), make([]bool, p.Len()), make([]int64, p.Len())
			var pairs int64
			err := j.Cluster(ctx, p, 4, false, labels, core, n, &pairs)
			return []any{labels, core, n, pairs}, err
		}}
	}
	bins := func(name string, cfg Pairs, in neighbors.Input, edges ...float64) request {
		return request{name, Config{Pairs: cfg}, func(ctx context.Context, j *Joiner) (any, error) {
			return j.BinPairs(ctx, in, squaredEdges(t, edges...))
		}}
	}
	listed := func(name string, cfg Pairs, in neighbors.Input) request {
		return request{name, Config{Pairs: cfg}, func(ctx context.Context, j *Joiner) (any, error) {
			v, err := j.ListPairs(ctx, in, 2)
			slices.Sort(v)
			return v, err
		}}
	}
	reduced := func(src string, r pairfunc.Reduction, perRow bool, edges ...float64) request {
		job := functionJob(t, src, 130, 0, r)
		job.PerRow, job.Edges = perRow, edges
		return request{fmt.Sprintf("%v of %s", r, src), Config{}, func(ctx context.Context, j *Joiner) (any, error) {
			n := 0
			res, err := j.Reduce(ctx, job, func(a, b []uint32) error { n += len(a); return nil })
			return []any{res, n}, err
		}}
	}
	box := neighbors.Periodic(10, 0)
	boxed := prepared(t, neighbors.Input{Query: flat, Metric: box}, neighbors.Within{Radius: .4})
	wideNear := prepared(t, neighbors.Input{Query: wide}, neighbors.Nearest{K: 3})
	cross := neighbors.Input{Query: flat, Data: points(130, 2, true)}
	return []request{
		table(Config{}, "lists", clumps),
		table(Config{}, "lists in a box", boxed),
		table(Config{Pattern: PatternFull}, "full pattern", clumps),
		table(Config{Pattern: PatternFull, Order: OrderWorkQueue}, "work queue", clumps),
		table(Config{Pattern: PatternUnicomp}, "unicomp", clumps),
		counts(Config{}, "counts", clumps),
		counts(Config{}, "counts in a box", boxed),
		counts(Config{Pattern: PatternLIDUnicomp}, "lid-unicomp counts", clumps),
		clusters("clusters", clumps),
		clusters("clusters in a box", boxed),
		table(Config{}, "nearest", wideNear),
		table(Config{}, "nearest of others", prepared(t, cross, neighbors.Nearest{K: 40})),
		table(Config{Linear: true}, "linear", wideNear),
		table(Config{Linear: true}, "linear of others", prepared(t, cross, neighbors.Nearest{K: 4})),
		bins("bins", Pairs{}, neighbors.Input{Query: wide}, linearEdges(0, 9, 12)...),
		bins("short bins", Pairs{}, neighbors.Input{Query: flat}, linearEdges(0, .3, 5)...),
		bins("short bins in a box", Pairs{}, neighbors.Input{Query: flat, Metric: box}, linearEdges(0, .3, 5)...),
		bins("bins in parts", Pairs{points: 64, float64: true}, cross, logEdges(.1, 9, 7)...),
		listed("pairs", Pairs{}, cross),
		listed("pairs in two passes", Pairs{Output: outputTwoPass}, neighbors.Input{Query: flat}),
		reduced("abs(a.z-b.z)", pairfunc.Sum, true),
		reduced("abs(a.z-b.z)", pairfunc.Histogram, false, linearEdges(0, 100, 5)...),
		reduced("a.x < b.y", pairfunc.Pairs, false),
		reduced("a.x - b.y", pairfunc.Least, true),
	}
}
