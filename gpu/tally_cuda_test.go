//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"skyjoin/hybrid"
	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// openSeveral takes two cards into use, or one twice where there is only one.
func openSeveral(t *testing.T) *hybrid.Joiner {
	t.Helper()
	devices, err := Devices()
	if err != nil {
		t.Fatal(err)
	}
	several := &hybrid.Joiner{}
	for i := range 2 {
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
	several := openSeveral(t)
	rows, radius := 200, 40.0
	if os.Getenv("SKYJOIN_GPU") != "" {
		rows, radius = 50_000, 12
	}
	for dim := 1; dim <= maxDim; dim++ {
		t.Run(fmt.Sprint(dim), func(t *testing.T) {
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
	jointest.RunFor(t, func() neighbors.Joiner { return several }, func(p *neighbors.Plan) bool {
		return p.Within() != nil && supports(p) == nil
	})
}
