package hybrid

import (
	"container/heap"
	"math"
	"testing"
	"time"

	"skyjoin/internal/workq"
)

// A device of a simulation: so many workers, each of which does a row in a time
// that depends on its place in the order of all.
type device struct {
	side *side
	row  func(place float64) time.Duration
	each time.Duration // for every portion
	open time.Duration // until it can begin
}

// An event is a worker that wants rows, or ends.
type event struct {
	at   time.Duration
	d    *device
	done delivery
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

// simulate runs a queue whose clock is that of the events and returns when each
// side was through.
func simulate(n int, expected float64, devices []*device) (end []time.Duration) {
	var sides []*side
	for _, d := range devices {
		sides = append(sides, d.side)
	}
	q := newQueue(sides, places(n), n, adaptive{})
	q.expected = expected
	var at time.Duration
	q.now = func() time.Time { return q.start.Add(at) }
	var all events
	opened := false
	for _, d := range devices {
		workers := d.side.workers
		if d.side.gpu {
			workers = 1
		}
		for range workers {
			heap.Push(&all, event{at: d.open, d: d})
		}
	}
	for len(all) > 0 {
		e := heap.Pop(&all).(event)
		at = e.at
		if !e.d.side.gpu && !opened {
			opened = true
			q.open(workq.Given(places(n)), nil)
		}
		q.deliver(e.d.side, &e.done)
		if e.d.side.since == 0 {
			e.d.side.since = e.at
		}
		rows := q.take(e.d.side, math.MaxInt, 0)
		if !e.d.side.gpu && len(rows) > takeRows {
			q.put(e.d.side, rows[takeRows:])
			rows = rows[:takeRows]
		}
		if rows == nil {
			continue
		}
		took := e.d.each
		for _, r := range rows {
			took += e.d.row(float64(r) / float64(n))
		}
		heap.Push(&all, event{at: e.at + took, d: e.d, done: delivery{rows: len(rows), work: int64(len(rows))}})
	}
	for _, s := range sides {
		end = append(end, s.stats.end)
	}
	return end
}

// Both sides end together, however fast they are and however the work is spread
// over the rows.
func TestAdaptiveEndsTogether(t *testing.T) {
	const n = 1_000_000
	for _, spread := range []struct {
		name string
		work func(place float64) float64 // 1 in the mean
	}{
		{"even", func(float64) float64 { return 1 }},
		{"dense front", func(x float64) float64 { return 4.075 * math.Exp(-4*x) }},
		{"dense back", func(x float64) float64 { return 4.075 * math.Exp(-4*(1-x)) }},
		{"dense middle", func(x float64) float64 { return 2.55 * math.Exp(-20*(x-0.5)*(x-0.5)) }},
		{"ripples", func(x float64) float64 { return 1 + math.Sin(200*x) }},
	} {
		for _, ratio := range []float64{0.2, 0.5, 1, 2, 5} { // seconds of the CPU alone, of a GPU that takes 1
			for _, off := range []float64{0.5, 1, 2} { // by how much that is expected wrongly
				cpu := &device{side: &side{workers: 16}, open: 100 * time.Millisecond, row: func(x float64) time.Duration {
					return time.Duration(16 * ratio * spread.work(x) * 1e9 / n)
				}}
				gpu := &device{side: &side{workers: 3, gpu: true}, open: 50 * time.Millisecond, each: 200 * time.Microsecond, row: func(x float64) time.Duration {
					return time.Duration(spread.work(x) * 1e9 / n)
				}}
				end := simulate(n, off*ratio/(1+off*ratio), []*device{gpu, cpu})
				all := max(end[0], end[1])
				apart := max(end[0]-end[1], end[1]-end[0])
				ideal := (1 + cpu.open.Seconds()/ratio + gpu.open.Seconds()) / (1 + 1/ratio)
				t.Logf("%s, CPU %v off %v: GPU %v, CPU %v, imbalance %.3f, over ideal %.3f", spread.name, ratio, off, end[0], end[1], apart.Seconds()/all.Seconds(), all.Seconds()/ideal)
				if apart.Seconds() > 0.08*all.Seconds() || all.Seconds() > 1.08*ideal {
					t.Errorf("%s, CPU %v times as long, expected %v times that: the GPU ends at %v, the CPU at %v, ideal were %.3f s", spread.name, ratio, off, end[0], end[1], ideal)
				}
			}
		}
	}
}
