//go:build cuda && linux

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"skyjoin/internal/costmodel"
	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// everyConfig is every pattern in every order with every number of threads,
// in batches so small that some overflow.
func everyConfig() (configs []Config) {
	for _, p := range []Pattern{PatternFull, PatternUnicomp, PatternLIDUnicomp, PatternBrute} {
		for _, o := range []Order{OrderNone, OrderSortByWL, OrderWorkQueue} {
			for k := 1; k <= 32; k *= 2 {
				configs = append(configs, Config{Pattern: p, Order: o, Threads: k, Batch: 20000})
			}
		}
	}
	return configs
}

// name tells configurations of everyConfig apart.
func (c Config) name() string {
	if c.Pattern == PatternDefault {
		return "default"
	}
	return fmt.Sprintf("%s %s %d", c.Pattern, c.Order, c.Threads)
}

// The corpus, with every pattern in every order, and every number of threads in
// one of them; on a card with every number in all. Joiners at work side by side
// in one context of the card leave it idle less than one after another do.
func TestPatternsConform(t *testing.T) {
	var configs []Config
	for i, p := range []Pattern{PatternFull, PatternUnicomp, PatternLIDUnicomp, PatternBrute} {
		for k, o := range []Order{OrderNone, OrderSortByWL, OrderWorkQueue} {
			configs = append(configs, Config{Pattern: p, Order: o, Threads: 1 << ((i + 2*k) % 6), Batch: 20000})
		}
	}
	for i, k := range []int{1, 2, 4, 8, 16, 32} {
		configs = append(configs, Config{Pattern: []Pattern{PatternFull, PatternUnicomp, PatternLIDUnicomp}[i%3], Threads: k})
	}
	if os.Getenv("SKYJOIN_GPU") != "" {
		configs = everyConfig()
	}
	if testing.Short() {
		configs = []Config{configs[1], configs[4], configs[7], configs[10]} // each pattern, sorted by work
	}
	for _, c := range configs {
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			j, err := Open(c)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			serves := func(p *neighbors.Plan) bool { return supports(p) == nil && c.Pattern.serves(p) == nil }
			most := 1000
			if testing.Short() && c.Pattern != PatternLIDUnicomp {
				most = 30 // the corpus as a whole in one pattern
			}
			jointest.RunSome(t, 30, most, func() neighbors.Joiner { return j }, serves)
			if !c.Pattern.half() && (!testing.Short() || c.Pattern == PatternFull) {
				jointest.RunProtocol(t, func() neighbors.Joiner { return j }, serves)
			}
		})
	}
}

// Batches of HEGJOIN have about equal results, though the first rows of the work queue
// have many times those of the last. LBJOIN's have equal numbers of rows, as many batches
// as the first hundredth of the queue asks for: more than there are results for.
func TestWorkQueueBatches(t *testing.T) {
	p := clumpPlan(t, 2000)
	want := make([]int64, p.Len())
	if err := (neighbors.CPU{}).Count(context.Background(), p, p.Work(), want); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Config{{Order: OrderWorkQueue, Batch: 20000}, {Pattern: PatternLIDUnicomp, Order: OrderWorkQueue, Threads: 8, Batch: 20000}} {
		j := opened(t, c)
		err := j.prepare.Do(func() error {
			s, err := newSession(j.prepare, p, wide, nil)
			if err != nil {
				return err
			}
			defer s.release()
			if err := s.hand(p.Work().Take(p.Len(), 0)); err != nil {
				return err
			}
			pt, err := s.newPattern(j.cfg)
			if err != nil {
				return err
			}
			defer pt.release()
			q := begin(j.prepare)
			defer q.end()
			of := func(rows []uint32) (sum int64) {
				for _, r := range rows {
					sum += want[r]
				}
				return sum
			}
			total := of(pt.rows)
			spans, capacity := pt.batches(q, len(j.lanes), len(j.lanes), true)
			most := int64(0)
			for _, sp := range spans {
				most = max(most, of(pt.rows[sp.lo:sp.hi]))
			}
			first, last := spans[0], spans[len(spans)-1]
			if len(spans) < 4 || most > int64(capacity)*3/2 || most*int64(len(spans)) > 2*total || last.hi-last.lo < 2*(first.hi-first.lo) || last.hi != p.Len() {
				t.Errorf("%+v: %d batches of room for %d, the largest of %d neighbours of %d; rows [%d, %d) to [%d, %d)", c, len(spans), capacity, most, total, first.lo, first.hi, last.lo, last.hi)
			}
			equal := len(spans)
			spans, capacity = pt.batches(q, len(j.lanes), len(j.lanes), false)
			sampled := ceilDiv(p.Len(), costmodel.Step(p.Len()))
			estimate := float64(of(pt.rows[:sampled])) * float64(p.Len()) / float64(sampled) * sampleMargin
			if n := int(math.Ceil(math.Floor(estimate) / float64(capacity))); len(spans) != n || len(spans) < 2*equal {
				t.Errorf("%+v: %d batches of room for %d, the first rows ask for %d; there were %d of equal results", c, len(spans), capacity, n, equal)
			}
			for i, sp := range spans {
				if rows := sp.hi - sp.lo; rows > ceilDiv(p.Len(), len(spans)) || i > 0 && sp.lo != spans[i-1].hi || of(pt.rows[sp.lo:sp.hi]) > int64(capacity)*3/2 {
					t.Errorf("%+v: batch %d is of rows [%d, %d) with %d neighbours", c, i, sp.lo, sp.hi, of(pt.rows[sp.lo:sp.hi]))
				}
			}
			return q.err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []Config{{Pattern: "half"}, {Order: "random"}, {Threads: 3}, {Threads: 64}, {Streams: -1}, {Batch: -1}, {Memory: -1}, {Devices: []int{0, 1}}} {
		if _, err := Open(c); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%+v: error %v, want %v", c, err, neighbors.ErrRequest)
		}
	}
}

// A work that hands out what another holds once the first is empty.
type inTurn [2]neighbors.Work

func (w inTurn) Take(rows int, cost int64) []uint32 {
	if got := w[0].Take(rows, cost); got != nil {
		return got
	}
	return w[1].Take(rows, cost)
}
func (w inTurn) Put(rows []uint32) { w[1].Put(rows) }

// Half patterns list in batches whose pairs are parts of lists, estimated as others: no
// kernel counts all rows first, and the card never has the whole table.
func TestHalfPatternsListInBatches(t *testing.T) {
	p := clumpPlan(t, 1500)
	want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := len(want.Index)
	for _, half := range []Pattern{PatternUnicomp, PatternLIDUnicomp} {
		j := opened(t, Config{Pattern: half, Batch: all / 10, Streams: 2})
		var s *session
		var pt *pattern
		id := make([]uint32, p.Len())
		err := j.prepare.Do(func() (err error) {
			if s, err = newSession(j.prepare, p, j.lay, nil); err != nil {
				return err
			}
			if err = s.hand(p.Work().Take(p.Len(), 0)); err != nil {
				return err
			}
			if pt, err = s.newPattern(j.cfg); err != nil {
				return err
			}
			q := begin(s.stream)
			defer q.end()
			pull(q, id, s.query.id)
			return q.sync()
		})
		if err != nil {
			t.Fatal(err)
		}
		h, left, err := pt.gather(context.Background(), j.lanes)
		if err != nil || len(left) > 0 {
			t.Fatalf("%s: %d batches left, error %v", half, len(left), err)
		}
		parts := 0
		for _, batch := range h.pairs {
			if len(batch) > all/10 {
				t.Errorf("%s: a batch of %d pairs, there is room for %d", half, len(batch), all/10)
			}
			seen := map[uint64]int64{}
			for _, pair := range batch {
				seen[pair>>32]++
			}
			for position, n := range seen {
				if row := id[position]; n < want.Offset[row+1]-want.Offset[row] {
					parts++
				}
			}
		}
		if len(h.pairs) < 10 || parts == 0 {
			t.Errorf("%s: %d batches, %d lists in parts", half, len(h.pairs), parts)
		}
		if _, index := h.lists(len(id)); len(index) != all {
			t.Errorf("%s: %d neighbours, want %d", half, len(index), all)
		}
		for _, l := range j.lanes {
			if l.pairs.N > all/10*3/2 {
				t.Errorf("%s: a stream has room for %d of %d pairs", half, l.pairs.N, all)
			}
		}
		if err := j.prepare.Do(func() error { pt.release(); s.release(); return nil }); err != nil {
			t.Error(err)
		}
	}
}

// The table of a half pattern is on the host, within the memory that is allowed or not at
// all; the full pattern needs no more than a batch.
func TestHalfPatternsHaveACap(t *testing.T) {
	p := clumpPlan(t, 600)
	for _, c := range []struct {
		pattern Pattern
		refused bool
	}{{PatternUnicomp, true}, {PatternLIDUnicomp, true}, {PatternFull, false}} {
		j := opened(t, Config{Pattern: c.pattern, Memory: 100_000})
		_, err := neighbors.Collect(context.Background(), j, p, 0)
		if errors.Is(err, neighbors.ErrMemory) != c.refused || err != nil && !c.refused {
			t.Errorf("%s: error %v", c.pattern, err)
		}
	}
}

// Rows that come while the table of a half pattern is given out are not lost.
func TestHalfPatternGoesOn(t *testing.T) {
	p := clumpPlan(t, 200)
	for _, pattern := range []Pattern{PatternUnicomp, PatternLIDUnicomp, PatternFull} {
		j := opened(t, Config{Pattern: pattern, Streams: 1})
		seen := make([]int, p.Len())
		err := j.Visit(context.Background(), p, inTurn{p.Work(), p.Work()}, func(_ int, b *neighbors.Batch) error {
			for _, r := range b.Rows {
				seen[r]++
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
		if i := slices.IndexFunc(seen, func(n int) bool { return n != 2 }); i >= 0 {
			t.Errorf("%s: row %d was handed out twice and delivered %d times", pattern, i, seen[i])
		}
	}
}
