//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"skyjoin/hybrid"
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

var firstSeed = flag.Uint64("seed", 1, "the first seed of random joins")

// Whatever is joined, by whom, and whatever fails on the way: a join ends, with
// what brute force finds or with the error that was brought about. Each seed is
// one join; further runs (-count) go on with the next.
func TestRandomJoinsThatFail(t *testing.T) {
	joins := 400
	if testing.Short() {
		joins = 40
	}
	for range joins {
		seed := *firstSeed
		*firstSeed++
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			r := newRandomJoin(t, rand.New(rand.NewPCG(seed, 21)))
			t.Log(r.text)
			r.run(t)
		})
	}
}

// A randomJoin is a join and what is to go wrong with it.
type randomJoin struct {
	plan   *neighbors.Plan
	joiner neighbors.Joiner
	cpu    bool          // there is a CPU, which no failure of cards reaches
	counts bool          // neighbours are counted, not listed
	stream bool          // by one consumer
	fail   string        // of the emulator
	enough int64         // batches after which the consumer fails; 0: never
	cancel time.Duration // until the context ends; 0: never
	text   string
}

func pick[T any](g *rand.Rand, v ...T) T { return v[g.IntN(len(v))] }

func newRandomJoin(t *testing.T, g *rand.Rand) *randomJoin {
	setenv(t, "EMULATOR_FAIL", "")
	setenv(t, "EMULATOR_PEERS", pick(g, "1", "1", "0"))
	setenv(t, cuda.CacheVariable, pick(g, "off", "on"))
	dim, s, narrow := 1+g.IntN(5), shapes[g.IntN(len(shapes))], g.IntN(3) == 0
	rows := func() int { return g.IntN(pick(g, 5, 60, 300)) }
	points := func(n int) *neighbors.Points {
		return pointsOf(t, n, dim, narrow, func(i, j int) float64 {
			if v := s.at(g, i, j); !narrow || v < 1e30 && v > -1e30 {
				return v
			}
			return 1e30
		})
	}
	in := neighbors.Input{Query: points(rows())}
	if g.IntN(3) == 0 {
		in.Data = points(rows())
	}
	if s.name == "even" && g.IntN(3) == 0 {
		in.Metric = neighbors.Periodic(slices.Repeat([]float64{10}, dim)...)
	}
	var query neighbors.Query = neighbors.Within{Radius: pick(g, 0.1, 1, 4.5), Distance: g.IntN(2) == 0}
	if g.IntN(2) == 0 {
		query = neighbors.Nearest{K: pick(g, 1, 5, 33), Pad: true}
	}
	p, err := neighbors.Prepare(context.Background(), in, query)
	if err != nil {
		t.Fatal(err)
	}
	r := &randomJoin{plan: p, counts: p.Within() != nil && g.IntN(3) == 0, stream: g.IntN(3) == 0}
	r.text = fmt.Sprintf("%s, %d and %d rows in %d dimensions, float32 %v, %v, %+v; counts %v, stream %v", s.name, p.Len(), p.DataLen(), dim, narrow, in.Metric, query, r.counts, r.stream)
	r.open(t, g)
	if g.IntN(3) > 0 {
		r.fail = fmt.Sprintf("%s:%d", pick(g, "launch", "alloc", "peer"), 1+g.IntN(pick(g, 10, 60, 300)))
	}
	if g.IntN(5) == 0 {
		r.enough = 1 + int64(g.IntN(pick(g, 3, 30)))
	}
	if g.IntN(4) == 0 {
		r.cancel = time.Duration(1+g.IntN(pick(g, 300, 3000, 30000))) * time.Microsecond
	}
	r.text += fmt.Sprintf("; fails %q, consumer after %d, cancelled after %v", r.fail, r.enough, r.cancel)
	return r
}

// open takes a card into use, or several and perhaps the CPU.
func (r *randomJoin) open(t *testing.T, g *rand.Rand) {
	h := &hybrid.Joiner{Share: pick(g, 0, 0.3, 0.8, 1)}
	for i := range 1 + g.IntN(4) {
		c := Config{Devices: []int{i % 2}, Streams: g.IntN(5), Yield: g.IntN(4) == 0, Linear: g.IntN(4) == 0}
		c.Batch, c.Memory = pick(g, 0, 1, 7, 100), pick(g, int64(0), 0, 40<<10)
		if g.IntN(4) == 0 {
			c.Pattern, c.Order = pick(g, PatternFull, PatternBrute), pick(g, OrderNone, OrderSortByWL, OrderWorkQueue)
		}
		card, err := Open(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { card.Close() })
		r.text += fmt.Sprintf("; %+v", c)
		r.joiner = card
		if g.IntN(8) == 0 {
			h.GPUs = append(h.GPUs, cramped{card, 60 + (r.plan.Len()+r.plan.DataLen())/2})
		} else {
			h.GPUs = append(h.GPUs, card)
		}
	}
	if len(h.GPUs) == 1 && g.IntN(2) == 0 {
		return
	}
	h.Partition = pick(g, hybrid.Partitions...)
	if r.cpu = g.IntN(3) > 0; r.cpu {
		h.CPU = neighbors.CPU{Threads: 1 + g.IntN(3)}
		h.Partition = pick(g, hybrid.Partitions[1:]...) // which do not leave so few rows to the CPU alone
	}
	r.joiner = h
	r.text += fmt.Sprintf("; %s, %v, CPU %v", h.Partition, h.Share, r.cpu)
}

// A cramped joiner says that it holds no more than some points.
type cramped struct {
	*Joiner
	room int
}

func (c cramped) Room(*neighbors.Plan) int { return c.room }

var errEnough = errors.New("the consumer has enough")

// run carries the join out and checks what comes of it.
func (r *randomJoin) run(t *testing.T) {
	setenv(t, "EMULATOR_FAIL", r.fail)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if r.cancel > 0 {
		defer time.AfterFunc(r.cancel, cancel).Stop()
	}
	got, batches := newFound(r.plan), atomic.Int64{}
	err := got.by(ctx, r, func(b *neighbors.Batch) error {
		if n := batches.Add(1); r.enough > 0 && n > r.enough {
			return errEnough
		}
		return got.take(b)
	})
	switch {
	case err == nil:
	case r.enough > 0 && errors.Is(err, errEnough), r.cancel > 0 && errors.Is(err, context.Canceled):
		return
	case !r.cpu && r.fail != "" && IsFailure(err):
		return
	default:
		t.Fatal(err)
	}
	want := newFound(r.plan)
	if err := want.by(context.Background(), &randomJoin{plan: r.plan, joiner: neighbors.CPU{Threads: 1, Algorithm: neighbors.Scan}, counts: r.counts}, want.take); err != nil {
		t.Fatal(err)
	}
	for row := range want.lists {
		if got.counts[row] != want.counts[row] || !slices.Equal(got.lists[row], want.lists[row]) {
			t.Fatalf("row %d has %d neighbours, %v, want %d, %v", row, got.counts[row], got.lists[row], want.counts[row], want.lists[row])
		}
	}
}

// found is what a join has found.
type found struct {
	mu     sync.Mutex
	sorted bool // lists come in an order
	counts []int64
	lists  [][]uint32
}

func newFound(p *neighbors.Plan) *found {
	return &found{sorted: p.Nearest() != nil, counts: make([]int64, p.Len()), lists: make([][]uint32, p.Len())}
}

// by carries the join out.
func (f *found) by(ctx context.Context, r *randomJoin, take func(*neighbors.Batch) error) error {
	if r.counts {
		return neighbors.Count(ctx, r.joiner, r.plan, r.plan.Work(), f.counts)
	}
	if !r.stream {
		return neighbors.Visit(ctx, r.joiner, r.plan, r.plan.Work(), func(_ int, b *neighbors.Batch) error { return take(b) })
	}
	for b, err := range r.joiner.Join(ctx, r.plan, r.plan.Work()) {
		if err == nil {
			err = take(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *found) take(b *neighbors.Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, row := range b.Rows {
		list := slices.Clone(b.List(i))
		if !f.sorted {
			slices.Sort(list)
		}
		f.counts[row]++
		f.lists[row] = list
	}
	return nil
}
