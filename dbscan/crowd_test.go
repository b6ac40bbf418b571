package dbscan

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"skyjoin/neighbors"
)

// A crowd is a Visitor of several goroutines with batches of a chosen size,
// whatever the size of the input: the order of events changes at every run.
type crowd struct{ workers, rows int }

func (c crowd) Workers() int { return c.workers }

func (c crowd) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.CPU{Threads: 1, Algorithm: neighbors.Scan}.Join(ctx, p, smallBites{work, c.rows})
}

func (c crowd) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	errs := make([]error, c.workers)
	var wg sync.WaitGroup
	for w := range c.workers {
		wg.Go(func() {
			for b, err := range c.Join(ctx, p, work) {
				if err == nil {
					err = visit(w, b)
				}
				if err != nil {
					errs[w] = err
					return
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// smallBites hands out at most rows rows at a time.
type smallBites struct {
	neighbors.Work
	rows int
}

func (s smallBites) Take(rows int, cost int64) []uint32 {
	return s.Work.Take(min(rows, s.rows), cost)
}

// A lister is a joiner that cannot count without listing.
type lister struct{ neighbors.Visitor }

// joiners are the joiners that must all give the same answer.
func joiners() map[string]neighbors.Joiner {
	m := map[string]neighbors.Joiner{"brute": neighbors.CPU{Threads: 1, Algorithm: neighbors.Scan}, "default": nil}
	for _, threads := range []int{1, 2, 8, 64} {
		m[fmt.Sprintf("cpu-%d", threads)] = neighbors.CPU{Threads: threads}
	}
	for rows := 1; rows <= 11; rows += 2 {
		m[fmt.Sprintf("crowd-%d", rows)] = crowd{workers: 8, rows: rows}
	}
	return m
}
