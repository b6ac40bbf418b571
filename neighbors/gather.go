package neighbors

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
)

// Gather carries out the whole plan and keeps its batches, in no particular
// order of rows or within lists: the cheapest whole table there is. Every query
// row is in one of the batches. limit, if positive, bounds the number of
// neighbours held; a larger result is an error that wraps ErrMemory.
func Gather(ctx context.Context, j Joiner, p *Plan, limit int64) ([]Batch, error) {
	return new(Gatherer).Gather(ctx, j, p, limit)
}

// GatherPairs is Gather for a self-join within a radius with each pair of rows
// kept once, in the list of one of the two: half the memory and hardly more
// than half the time. Which of the two it is means nothing; a list can be empty
// although its row has neighbours.
func GatherPairs(ctx context.Context, j Joiner, p *Plan, limit int64) ([]Batch, error) {
	return new(Gatherer).GatherPairs(ctx, j, p, limit)
}

// A Gatherer gathers one table after the other in the same memory. Most of the
// time of a large table goes to memory that the program uses for the first time,
// so that the second takes about half as long as the first.
//
// What it returned is valid until the next call, which overwrites it. The zero
// value is ready for use; a Gatherer serves one goroutine at a time.
type Gatherer struct{ memory segments }

// Gather is the function [Gather] in the memory of the last call.
func (g *Gatherer) Gather(ctx context.Context, j Joiner, p *Plan, limit int64) ([]Batch, error) {
	return g.gather(ctx, j, p, false, limit)
}

// GatherPairs is the function [GatherPairs] in the memory of the last call.
func (g *Gatherer) GatherPairs(ctx context.Context, j Joiner, p *Plan, limit int64) ([]Batch, error) {
	if !p.self || p.within == nil {
		return nil, fmt.Errorf("%w: each pair can be kept once of a self-join within a radius only", ErrRequest)
	}
	return g.gather(ctx, j, p, true, limit)
}

func (g *Gatherer) gather(ctx context.Context, j Joiner, p *Plan, half bool, limit int64) ([]Batch, error) {
	if c, ok := j.(CPU); ok && p.within != nil && c.Memory <= 0 {
		w, err := c.implementation(ctx, p)
		if err != nil {
			return nil, err
		}
		if w.name == Grid {
			w.note(ctx)
			return c.gather(ctx, p, &g.memory, half, limit)
		}
	}
	kept := make([][]Batch, Workers(j))
	var held atomic.Int64
	err := Visit(ctx, j, p, p.Work(), func(worker int, b *Batch) error {
		c := b.clone(half)
		if n := held.Add(int64(len(c.Index))); limit > 0 && n > limit {
			return tooManyNeighbours(limit)
		}
		kept[worker] = append(kept[worker], c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(kept...), nil
}

// clone returns a copy of the batch, with half only of neighbours that are of a
// higher row than the list.
func (b *Batch) clone(half bool) Batch {
	if !half {
		return Batch{
			Rows:  slices.Clone(b.Rows),
			Table: Table{Offset: slices.Clone(b.Offset), Index: slices.Clone(b.Index), Dist: slices.Clone(b.Dist)},
		}
	}
	c := Batch{Rows: slices.Clone(b.Rows), Table: Table{Offset: make([]int64, 1, len(b.Offset))}}
	for i, row := range b.Rows {
		dist := b.Dists(i)
		for k, other := range b.List(i) {
			if other < row {
				continue
			}
			c.Index = append(c.Index, other)
			if dist != nil {
				c.Dist = append(c.Dist, dist[k])
			}
		}
		c.Offset = append(c.Offset, int64(len(c.Index)))
	}
	return c
}
