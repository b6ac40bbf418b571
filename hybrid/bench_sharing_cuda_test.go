//go:build cuda && linux

package hybrid_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"skyjoin/neighbors"
)

// sharing measures what it costs a GPU to share a join within a radius, apart:
// rows in portions, threads that compute, threads that join at the same time,
// and what it costs these. Times are over that of the GPU undisturbed, in the
// last column rates of the CPU over that of the CPU undisturbed.
func (b *bench) sharing() error {
	portions := []int{8, 16, 32}
	threads := []int{b.cpu.Workers(), b.cpu.Workers() * 3 / 4, b.cpu.Workers() / 2}
	fmt.Print("\n| data | S | GPU s |")
	for _, n := range portions {
		fmt.Printf(" in %d portions |", n)
	}
	fmt.Printf(" beside %d threads that compute |", threads[0])
	for _, n := range threads {
		fmt.Printf(" beside %d that join; these |", n)
	}
	fmt.Printf("\n|---|---|---|%s%s\n", repeated("---|", len(portions)+1), repeated("---|", len(threads)))
	return b.each(sharedCases, func(name string, s *subject) error {
		rivals := []rival{{name: "GPU", joiner: b.gpus[0]}}
		for _, n := range portions {
			rivals = append(rivals, rival{name: fmt.Sprintf("%d portions", n), joiner: b.gpus[0], work: inPortions(n)})
		}
		t, err := b.compete(s, rivals...)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d | %v |", name, s.mean(), t[0])
		for _, p := range t[1:] {
			fmt.Printf(" %.2f |", p.median/t[0].median)
		}
		slow, _, err := b.disturbed(s, func(stop *atomic.Bool) (int64, error) { compute(threads[0], stop); return 0, nil }, threads[0])
		if err != nil {
			return err
		}
		fmt.Printf(" %.2f |", slow/t[0].median)
		for _, n := range threads {
			join, err := b.joining(s, n)
			if err != nil {
				return err
			}
			calm := 0.0
			for range 2 { // the first touches the memory
				var stop atomic.Bool
				time.AfterFunc(aWhile, func() { stop.Store(true) })
				start := time.Now()
				rows, err := join(&stop)
				if err != nil {
					return err
				}
				calm = float64(rows) / time.Since(start).Seconds()
			}
			slow, rate, err := b.disturbed(s, join, n)
			if err != nil {
				return err
			}
			fmt.Printf(" %.2f; %.2f |", slow/t[0].median, rate/calm)
		}
		fmt.Println()
		return nil
	})
}

// aWhile is long enough to measure a rate.
const aWhile = 500 * time.Millisecond

func repeated(s string, n int) (all string) {
	for range n {
		all += s
	}
	return all
}

// disturbed returns the median seconds of the GPU while threads of the CPU do
// something else until they are stopped, and the rows a second that they did.
// Go may run as many goroutines at the same time as in a shared join.
func (b *bench) disturbed(s *subject, by func(stop *atomic.Bool) (int64, error), threads int) (median, rate float64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), threads+neighbors.Workers(b.gpus[0])+1)))
	var stop atomic.Bool
	var other sync.WaitGroup
	var rows int64
	var failed error
	start := time.Now()
	other.Go(func() { rows, failed = by(&stop) })
	t, err := b.compete(s, rival{name: "GPU", joiner: b.gpus[0]})
	stop.Store(true)
	other.Wait()
	if err == nil {
		err = failed
	}
	if err != nil {
		return 0, 0, err
	}
	return t[0].median, float64(rows) / time.Since(start).Seconds(), nil
}

// joining returns what joins the same rows by so many threads, over and over
// until it is stopped, and returns how many it did. Its index is there.
func (b *bench) joining(s *subject, threads int) (func(stop *atomic.Bool) (int64, error), error) {
	cpu := neighbors.CPU{Threads: threads}
	p, err := s.plan(context.Background())
	if err == nil {
		err = neighbors.Index(context.Background(), cpu, p)
	}
	return func(stop *atomic.Bool) (int64, error) {
		var done atomic.Int64
		for !stop.Load() {
			work := &stoppable{Work: p.Work(), stop: stop, done: &done}
			if err := neighbors.Visit(context.Background(), cpu, p, work, func(int, *neighbors.Batch) error { return nil }); err != nil {
				return 0, err
			}
		}
		return done.Load(), nil
	}, err
}

// A stoppable work hands out nothing when it is stopped.
type stoppable struct {
	neighbors.Work
	stop *atomic.Bool
	done *atomic.Int64
}

func (w *stoppable) Take(rows int, cost int64) []uint32 {
	if w.stop.Load() {
		return nil
	}
	taken := w.Work.Take(rows, cost)
	w.done.Add(int64(len(taken)))
	return taken
}

// compute has threads do sums in registers until they are stopped.
func compute(threads int, stop *atomic.Bool) {
	var all sync.WaitGroup
	var sum atomic.Uint64 // so that it is not left out
	for range threads {
		all.Go(func() {
			x := uint64(1)
			for !stop.Load() {
				for range 1 << 16 {
					x = splitmix(x)
				}
			}
			sum.Add(x)
		})
	}
	all.Wait()
}

// inPortions hands out the rows in so many portions, in the order of the index
// of the GPU, as a shared join does.
func inPortions(n int) work {
	return func(p *neighbors.Plan) neighbors.Work {
		rows := make([]uint32, p.Len())
		for i := range rows {
			rows[i] = uint32(i)
		}
		return &portions{Work: neighbors.NewWork(rows, nil), most: max(p.Len()/n, 1)}
	}
}

type portions struct {
	neighbors.Work
	most int
}

func (w *portions) Take(rows int, cost int64) []uint32 { return w.Work.Take(min(rows, w.most), cost) }

// Arrange has the rows handed out in the order given.
func (w *portions) Arrange(rows []uint32) { w.Work = neighbors.NewWork(rows, nil) }

// Tally has the GPU count for itself, but build its index before it takes rows.
func (w *portions) Tally(bool, func(lo, hi int) error, func() ([]uint32, error)) ([][]uint32, error) {
	return nil, nil
}

// Shared says that rows that the GPU gives back would come to it again.
func (w *portions) Shared() bool { return false }
