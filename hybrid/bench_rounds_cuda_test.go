//go:build cuda && linux

package hybrid_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"skyjoin/hybrid"
	"skyjoin/internal/hook"
	"skyjoin/neighbors"
)

// A rival is one way to carry out a join.
type rival struct {
	name   string
	joiner neighbors.Joiner
	work   work

	optional bool // is not run where another takes too long
}

// A timing is what the runs of a rival took. Seconds are NaN if there was none.
type timing struct {
	median, least float64
	about         bool // estimated from a part of the rows
	over          bool // broken off, it takes longer
	report        hybrid.Report
}

func (t timing) String() string {
	switch {
	case math.IsNaN(t.median):
		return "–"
	case t.over:
		return fmt.Sprintf("> %.3g", t.median)
	case t.about:
		return fmt.Sprintf("≈ %.3g", t.median)
	case t.least < t.median:
		return fmt.Sprintf("%s (%s)", seconds(t.median), seconds(t.least))
	}
	return seconds(t.median)
}

// unsure reports whether it is no time of whole runs.
func (t timing) unsure() bool { return t.about || t.over }

func seconds(s float64) string {
	if s < 0.1 {
		return fmt.Sprintf("%.4f", s)
	}
	return fmt.Sprintf("%.3f", s)
}

// long is how long a first run takes that is as good as any: what only first
// runs pay, pinned and fresh memory, is little of it.
const long = 2 * time.Second

// compete times rivals in rounds, A B C, B C A, …, so that what changes on the
// machine changes for all of them, and none always finds the memory that another
// has left. The first round, which pins and touches the
// memory that later ones find, counts only for runs that are long. Garbage is
// collected before every run. Each rival has its share of the patience, so that
// there are more runs of short ones.
//
// The CPU is not run if it is estimated to take longer than the limit.
func (b *bench) compete(s *subject, rivals ...rival) ([]timing, error) {
	times := make([]timing, len(rivals))
	runs := make([][]result, len(rivals))
	spent := make([]time.Duration, len(rivals))
	for round := range b.rounds + 1 {
		for turn := range rivals {
			i := (turn + round) % len(rivals)
			r := rivals[i]
			if _, alone := r.joiner.(neighbors.CPU); alone && round == 0 {
				t, err := b.estimate(s, r)
				if err != nil {
					return nil, err
				}
				if t > b.limit.Seconds() {
					times[i] = timing{median: t, least: t, about: true}
				}
			}
			if r.optional && slices.ContainsFunc(times, timing.unsure) {
				times[i] = summary(nil)
				continue
			}
			enough := spent[i] > b.patience/time.Duration(len(rivals)) || b.left() < 0
			if times[i].unsure() || len(runs[i]) > 0 && enough {
				continue
			}
			runtime.GC()
			start := time.Now()
			done, err := b.run(s, r)
			took := time.Since(start)
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				times[i] = timing{median: took.Seconds(), least: took.Seconds(), over: true}
			case err != nil:
				return nil, err
			case round > 0 || took > long:
				runs[i] = append(runs[i], done)
				spent[i] += took
			}
		}
	}
	for i := range rivals {
		if !times[i].unsure() {
			times[i] = summary(runs[i])
		}
	}
	return times, nil
}

func summary(runs []result) timing {
	if len(runs) == 0 {
		return timing{median: math.NaN(), least: math.NaN()}
	}
	slices.SortFunc(runs, func(x, y result) int {
		if x.seconds < y.seconds {
			return -1
		}
		return 1
	})
	median := runs[(len(runs)-1)/2]
	return timing{median: median.seconds, least: runs[0].seconds, report: median.report}
}

const (
	// part is how many runs of rows there are for one of those that the CPU is
	// estimated by, and block how many rows follow each other in these: enough
	// to be found together, as all rows are.
	part  = 32
	block = 512
)

// estimate predicts what a CPU takes for all rows, from its index and a part
// of the rows.
func (b *bench) estimate(s *subject, r rival) (float64, error) {
	limit := min(ample, b.grace())
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	p, err := s.plan(ctx)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	err = neighbors.Index(ctx, r.joiner, p)
	index := time.Since(start).Seconds()
	if err == nil {
		var rows []uint32
		order := hook.Get[func(*neighbors.Plan) []uint32]("neighbors.IndexOrder")(p)
		if r.work != nil {
			order = r.work(p).Take(math.MaxInt, 0)
		}
		for lo := 0; lo < len(order); lo += part * block {
			rows = append(rows, order[lo:min(lo+block, len(order))]...)
		}
		start = time.Now()
		err = neighbors.Visit(ctx, r.joiner, p, neighbors.NewWork(rows, nil), func(int, *neighbors.Batch) error { return nil })
	}
	found := time.Since(start).Seconds()
	if errors.Is(err, context.DeadlineExceeded) {
		return part * limit.Seconds(), nil
	}
	return index + part*found, err
}
