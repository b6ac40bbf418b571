//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"skyjoin/hybrid"
	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// openSeveral takes cards into use, some of them more than once where there are
// fewer.
func openSeveral(t *testing.T, cards int) *hybrid.Joiner {
	t.Helper()
	devices, err := Devices()
	if err != nil {
		t.Fatal(err)
	}
	several := &hybrid.Joiner{}
	for i := range cards {
		j, err := Open(Config{Devices: []int{i % len(devices)}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Close() })
		several.GPUs = append(several.GPUs, j)
	}
	return several
}

// Cards that count together find what each does by itself.
func TestCardsCountTogether(t *testing.T) {
	two := openSeveral(t, 2)
	rows, radius := 200, 40.0
	if os.Getenv("SKYJOIN_GPU") != "" {
		rows, radius = 50_000, 12
	}
	for dim := 1; dim <= maxDim; dim++ {
		t.Run(fmt.Sprint(dim), func(t *testing.T) {
			several := two
			if dim == 2 || dim == leastHalfDim { // counts of own rows, and of pairs for both
				several = openSeveral(t, 2+dim/2)
			}
			points := pairPoints(t, rand.New(rand.NewPCG(7, uint64(dim))), rows, dim, false)
			plan := func() *neighbors.Plan {
				p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points}, neighbors.Within{Radius: radius})
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			want, got := make([]int64, rows), make([]int64, rows)
			if err := neighbors.Count(context.Background(), neighbors.CPU{}, plan(), plan().Work(), want); err != nil {
				t.Fatal(err)
			}
			p := plan()
			if err := several.Count(context.Background(), p, p.Work(), got); err != nil {
				t.Fatal(err)
			}
			p = plan()
			sum := int64(0)
			for r := range want {
				if sum += want[r]; got[r] != want[r] {
					t.Fatalf("row %d: %d neighbours, want %d", r, got[r], want[r])
				}
			}
			if sum == 0 {
				t.Fatal("no neighbours to count")
			}
			err := neighbors.Visit(context.Background(), several, p, p.Work(), func(_ int, b *neighbors.Batch) error {
				for i, r := range b.Rows {
					if len(b.List(i)) != int(want[r]) {
						return fmt.Errorf("row %d: a list of %d, want %d", r, len(b.List(i)), want[r])
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	if testing.Short() {
		return // it takes a minute on the emulator
	}
	jointest.RunFor(t, func() neighbors.Joiner { return two }, func(p *neighbors.Plan) bool {
		return p.Within() != nil && supports(p) == nil
	})
}

// Rows whose neighbours are known have as many as when they are counted, in
// whatever order they come.
func TestKnownCounts(t *testing.T) {
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	const rows = 500
	points := pairPoints(t, rand.New(rand.NewPCG(17, 2)), rows, 2, false)
	p, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: points}, neighbors.Within{Radius: 20})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int64, rows)
	if err := neighbors.Count(context.Background(), neighbors.CPU{}, p, p.Work(), want); err != nil {
		t.Fatal(err)
	}
	err = j.prepare.Do(func() error {
		s, err := newSession(j.prepare, p, j.lay, &j.used)
		if err != nil {
			return err
		}
		defer s.release()
		order, err := s.ordered()
		if err != nil {
			return err
		}
		known := make([]uint32, rows)
		for i, r := range order {
			known[i] = uint32(want[r])
		}
		q := begin(j.prepare)
		defer q.end()
		if s.know(q, [][]uint32{known}, nil); q.err != nil {
			return q.err
		}
		backward := slices.Clone(order[50:350])
		slices.Reverse(backward)
		for name, some := range map[string][]uint32{"all": order, "a part": order[100:300], "backward": backward} {
			if err := s.take(some); err != nil {
				return err
			}
			if len(s.rows) != len(some) {
				return fmt.Errorf("%s: %d rows in hand, want %d", name, len(s.rows), len(some))
			}
			for i, r := range s.rows {
				if int64(s.found(i)) != want[r] {
					return fmt.Errorf("%s: row %d has %d neighbours, want %d", name, r, s.found(i), want[r])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
