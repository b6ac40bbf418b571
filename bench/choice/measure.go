package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"skyjoin/neighbors"
)

// A contestant is an algorithm, or another program.
type contestant struct {
	name string
	once func(ctx context.Context, c *catalog, radius float64, threads int, g *progress) (result, error)
}

// A result is that of one run.
type result struct {
	pairs  int64
	digest uint64              // of the counts; 0 if not known
	took   time.Duration       // 0: as long as the call
	chosen neighbors.Algorithm // by a plan
}

// algorithm returns the contestant of an algorithm.
func algorithm(a neighbors.Algorithm) contestant {
	name := string(a)
	if a == neighbors.Auto {
		name = auto
	}
	return contestant{name, func(ctx context.Context, c *catalog, radius float64, threads int, g *progress) (r result, err error) {
		p, err := neighbors.Prepare(ctx, neighbors.Input{Query: c.points, Threads: threads}, neighbors.Within{Radius: radius})
		if err != nil {
			return r, err
		}
		cpu := neighbors.CPU{Threads: threads, Algorithm: a}
		if err := cpu.Index(ctx, p); err != nil {
			return r, err
		}
		g.index()
		count := make([]int64, c.points.Len())
		if err := cpu.Count(ctx, p, neighbors.Watch(p.Work(), g.tell), count); err != nil {
			return r, err
		}
		r.took = time.Since(g.begin)
		r.chosen = p.Algorithm()
		for row, n := range count {
			r.pairs += n
			r.digest += uint64(n) * (uint64(row)*0x9E3779B97F4A7C15 | 1)
		}
		return r, nil
	}}
}

// progress is how far a run has come.
type progress struct {
	begin   time.Time
	rows    int
	indexed atomic.Int64 // nanoseconds of the index, 0 until it is built
	done    atomic.Int64 // rows begun
}

func (g *progress) index() { g.indexed.Store(int64(time.Since(g.begin))) }

func (g *progress) tell(rows int) { g.done.Add(int64(rows)) }

// expected returns how long the whole run takes if all rows take as long as those
// that have been begun; 0 if that cannot be told, as where an algorithm takes all rows
// at once.
func (g *progress) expected() time.Duration {
	done, indexed := g.done.Load(), g.indexed.Load()
	if done <= 0 || done >= int64(g.rows) || indexed == 0 {
		return 0
	}
	return time.Duration(indexed + int64(float64(int64(time.Since(g.begin))-indexed)*float64(g.rows)/float64(done)))
}

// measure times all contestants in a cell. The first is the choice.
func (o *options) measure(ctx context.Context, c *catalog, to *cell) error {
	const warmed = 1 << 20 // bytes of memory, the first touch of which no one is to be charged with
	if 8*c.points.Len()*to.dim > warmed {
		if _, err := o.time(ctx, c, to, o.contestants[0], time.Second, false); err != nil {
			return err
		}
	}
	best, all, spent := o.limit, result{pairs: -1}, make([]time.Duration, len(o.contestants))
	for turn := 0; ; turn++ {
		going := false
		for i, who := range o.contestants {
			t := &to.times[place(who.name)]
			if t.over || turn > 0 && spent[i] > o.once || turn >= o.repeat && spent[i] > o.once/20 {
				continue
			}
			allowed := o.limit
			if i > 0 {
				allowed = min(allowed, time.Duration(o.patience*float64(best))+20*time.Millisecond)
			}
			if chosen := to.times[0]; chosen.over {
				allowed = chosen.seconds
			}
			r, err := o.time(ctx, c, to, who, allowed, i == 0)
			if err != nil {
				return fmt.Errorf("%s: %w", who.name, err)
			}
			spent[i] += r.seconds
			if r.over {
				if turn == 0 {
					*t = r.timing
				}
				spent[i] = o.once + 1
				continue
			}
			going = true
			if t.seconds == 0 || r.seconds < t.seconds {
				t.seconds = r.seconds
			}
			best = min(best, r.seconds)
			if i == 0 {
				to.chosen = string(r.chosen)
			}
			if all.pairs < 0 {
				all, to.pairs = r.result, r.pairs
			} else if all.pairs != r.pairs || all.digest != r.digest && r.digest != 0 {
				return fmt.Errorf("%s finds %d pairs, digest %x, others %d, %x", who.name, r.pairs, r.digest, all.pairs, all.digest)
			}
		}
		if !going {
			return nil
		}
	}
}

// A timed is a result and its time.
type timed struct {
	result
	timing
}

// time lets a contestant run once, for as long as is allowed. With early it is stopped
// before where it is expected to take more than twice that.
func (o *options) time(ctx context.Context, c *catalog, to *cell, who contestant, allowed time.Duration, early bool) (r timed, err error) {
	runtime.GC()
	limited, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	g := &progress{begin: time.Now(), rows: c.points.Len()}
	if early {
		look := time.AfterFunc(allowed/4, func() {
			if g.expected() > 2*allowed {
				cancel()
			}
		})
		defer look.Stop()
	}
	r.result, err = who.once(limited, c, to.radius, o.threads, g)
	if err == nil {
		r.seconds = r.took
		return r, nil
	}
	if limited.Err() == nil || ctx.Err() != nil {
		return r, err
	}
	return timed{timing: timing{seconds: min(allowed, time.Since(g.begin)), over: true, expected: g.expected()}}, nil
}

// place returns the place of a contestant among the names of the columns.
func place(name string) int { return slices.Index(names, name) }
