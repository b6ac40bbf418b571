package neighbors

import (
	"context"
	"iter"
)

// A Joiner carries out plans. [CPU] is one; packages gpu and hybrid have others, and
// anyone can write one with what a Plan tells about its rows. All give the same
// neighbours, counts and distances, bit for bit.
type Joiner interface {
	// Join streams the neighbour lists of the query rows that work hands out,
	// each row once, in batches of any size and order. The stream ends after
	// the first error. Breaking out of it, or cancelling ctx, ends every
	// goroutine of the join before the loop returns.
	Join(ctx context.Context, p *Plan, work Work) iter.Seq2[*Batch, error]
}

// A Visitor is a Joiner that can pass its batches to several goroutines at once, so
// that parallel consumers need not share a single stream.
type Visitor interface {
	Joiner
	// Workers is the number of goroutines that Visit uses.
	Workers() int
	// Visit calls visit for every batch; calls with the same worker, which is
	// in [0, Workers()), never overlap. The batch is valid during the call. An
	// error of visit ends the join, and the rows of that batch go back.
	Visit(ctx context.Context, p *Plan, work Work, visit func(worker int, b *Batch) error) error
}

// A Counter is a Joiner that can count neighbours without listing them.
type Counter interface {
	Joiner
	// Count sets count[row] to the number of neighbours, the row itself not
	// included, for every query row that work hands out. count has one element
	// per query row of the plan, whose query must be Within.
	Count(ctx context.Context, p *Plan, work Work, count []int64) error
}

// An Indexer is a Joiner that can build what it needs for a plan in advance.
type Indexer interface {
	Joiner
	// Index builds what Join would otherwise build first.
	Index(ctx context.Context, p *Plan) error
}

// Index has the joiner build what it needs for a plan, if it is an [Indexer]. Joins
// would do that themselves; this keeps the time apart, and ctx can cancel it.
func Index(ctx context.Context, j Joiner, p *Plan) error {
	if i, ok := j.(Indexer); ok {
		return i.Index(ctx, p)
	}
	return nil
}

// Visit hands every batch of the join to visit, concurrently if the joiner is
// a [Visitor] and otherwise from the calling goroutine as worker 0. Workers
// says how many workers to expect.
func Visit(ctx context.Context, j Joiner, p *Plan, work Work, visit func(worker int, b *Batch) error) error {
	if v, ok := j.(Visitor); ok {
		return v.Visit(ctx, p, work, visit)
	}
	for b, err := range j.Join(ctx, p, work) {
		if err != nil {
			return err
		}
		if err := visit(0, b); err != nil {
			return err
		}
	}
	return nil
}

// Workers returns how many workers Visit will use with j.
func Workers(j Joiner) int {
	if v, ok := j.(Visitor); ok {
		return v.Workers()
	}
	return 1
}

// Count sets count[row] to the number of neighbours of every query row that
// work hands out, by the joiner's own Count if it is a [Counter].
func Count(ctx context.Context, j Joiner, p *Plan, work Work, count []int64) error {
	if c, ok := j.(Counter); ok {
		return c.Count(ctx, p, work, count)
	}
	return Visit(ctx, j, p, work, func(_ int, b *Batch) error {
		for i, r := range b.Rows {
			count[r] = b.Offset[i+1] - b.Offset[i]
		}
		return nil
	})
}
