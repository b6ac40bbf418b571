package hdbscan

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// A shuffler is a Spanner that has its tree from another run, and orders rows at random.
type shuffler struct {
	neighbors.CPU
	opt    Options
	points *neighbors.Points
	metric neighbors.Metric
	asked  *int
	err    error
}

func (s shuffler) Span(ctx context.Context, p *neighbors.Plan, others int, alpha float64, rows []uint32, core []float64, ends [][2]uint32, heights []float64, joined func(edges int)) error {
	if *s.asked++; s.err != nil {
		return s.err
	}
	t, err := Build(ctx, s.points, s.metric, s.opt)
	if err != nil {
		return err
	}
	place := rand.New(rand.NewPCG(uint64(len(rows)), 23)).Perm(len(rows))
	own := t.CoreDistances()
	for row, at := range place {
		rows[at], core[at] = uint32(row), own[row]
	}
	edges := t.Edges()
	slices.Reverse(edges)
	slices.SortStableFunc(edges, func(a, b Edge) int { // by height alone
		switch {
		case a.Height < b.Height:
			return -1
		case a.Height > b.Height:
			return 1
		}
		return 0
	})
	for i, e := range edges {
		ends[i], heights[i] = [2]uint32{uint32(place[e.A]), uint32(place[e.B])}, e.Height
	}
	joined(len(edges))
	return nil
}

// Whoever finds the spanning tree, and in whatever order it has the rows, every answer is
// the same to the bit. Where it cannot, or the rules are others, the tree is found here.
func TestSpannersDoNotMatter(t *testing.T) {
	spanned := 0
	for seed := range uint64(150) {
		tr := newTrial(seed)
		p := columns(t, tr.cols...)
		opt := tr.options()
		opt.Ties, opt.Threads = Ties(seed%4/3), 1+int(seed%3)
		asked := 0
		s := shuffler{opt: opt, points: p, metric: tr.metric, asked: &asked}
		if seed%7 == 0 {
			s.err = errors.ErrUnsupported
		}
		want := build(t, p, tr.metric, opt)
		opt.Joiner = s
		got := build(t, p, tr.metric, opt)
		spans := tr.weights == nil && opt.Ties == TiesTogether && p.Len() > 1
		if (asked == 1) != spans {
			t.Fatalf("trial %d: the joiner was asked for its tree %d times", seed, asked)
		}
		if spans && s.err == nil {
			spanned++
		}
		if !slices.Equal(got.Edges(), want.Edges()) || !slices.Equal(got.CoreDistances(), want.CoreDistances()) || !slices.Equal(got.Linkage(), want.Linkage()) {
			t.Fatalf("trial %d: other edges, core distances or dendrogram", seed)
		}
		a, b := condense(t, got, tr.size), condense(t, want, tr.size)
		nodes, heights := a.Rows()
		wantNodes, wantHeights := b.Rows()
		if !slices.Equal(nodes, wantNodes) || !slices.Equal(heights, wantHeights) || !reflect.DeepEqual(a.Clusters, b.Clusters) {
			t.Fatalf("trial %d: another condensed tree", seed)
		}
		sel := Selection{Method: Method(seed % 5 / 4)}
		if !reflect.DeepEqual(choose(t, a, sel), choose(t, b, sel)) {
			t.Fatalf("trial %d: other clusters", seed)
		}
		predicted, err := a.Predict(context.Background(), sel, p, Join{})
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := b.Predict(context.Background(), sel, p, Join{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(predicted, wanted) {
			t.Fatalf("trial %d: other predictions", seed)
		}
	}
	if spanned < 50 {
		t.Errorf("only %d trees came from the joiner", spanned)
	}
	failed := errors.New("the card is gone")
	asked := 0
	p := columns(t, []float64{1, 2, 3})
	if _, err := Build(context.Background(), p, neighbors.Euclidean(), Options{MinSamples: 2, Joiner: shuffler{asked: &asked, err: failed}}); !errors.Is(err, failed) {
		t.Errorf("a joiner that fails: %v", err)
	}
}
