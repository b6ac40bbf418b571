package hybrid

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"skyjoin/internal/workq"
	"skyjoin/neighbors"
)

// share is the part of the rows, and of the work, that GPUs did.
func share(r Report) (rows, work float64) {
	var all, gpu [2]float64
	for _, s := range r.Sides {
		v := [2]float64{float64(s.Rows), float64(s.Candidates)}
		for i := range v {
			all[i] += v[i]
			if s.Device != "cpu" {
				gpu[i] += v[i]
			}
		}
	}
	return gpu[0] / all[0], gpu[1] / all[1]
}

func TestFixedShares(t *testing.T) {
	p := plan(t, cloud(t, 20000), neighbors.Within{Radius: 0.01})
	for _, part := range []Partition{ByRows, ByCandidates} {
		for _, want := range []float64{0, 0.3, 0.75, 1} {
			for gpus := 1; gpus <= 3; gpus++ {
				j := joiner(part, gpus, true, nil)
				j.Share = want
				counts := make([]int64, p.Len())
				err := j.Visit(context.Background(), p, p.Work(), func(_ int, b *neighbors.Batch) error { return nil })
				if err != nil {
					t.Fatal(err)
				}
				rows, work := share(j.Report())
				got := rows
				if part == ByCandidates {
					got = work
				}
				if math.Abs(got-want) > 0.01 {
					t.Errorf("%s, %d GPUs: share %v, want %v", part, gpus, got, want)
				}
				if err := j.Count(context.Background(), p, p.Work(), counts); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	j := joiner(ByRows, 1, true, nil)
	j.Rates = Rates{CPU: 3, GPU: 1}
	if err := j.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if e := j.Report().Expected; e == nil || e.CPU != 3 || e.GPU != 1 || e.Both != 0.75 {
		t.Errorf("the model expects %+v, want 3, 1 and both at the sum of their rates", e)
	}
	j = joiner(ByRows, 1, true, nil)
	j.Share = 1.5
	if err := j.Visit(context.Background(), p, p.Work(), nil); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("a share of 1.5: %v", err)
	}
}

// The sizes of HYBRIDKNN-JOIN: 0.4, then at most half as large and none from
// the window of the CPU, then 0.005 and at last half of that.
func TestMonolithicBatches(t *testing.T) {
	m := newMonolithic(NearestOptions{}, 1)
	gpu, cpu := &side{gpu: true}, &side{}
	q := newQueue([]*side{gpu, cpu}, make([]uint32, 100_000), 100_000, m)
	take := func(s *side, want int) {
		t.Helper()
		got, _ := m.limit(q, s, 0)
		if got != want {
			t.Fatalf("a batch of %d, want %d, after %d and %d", got, want, gpu.taken, cpu.taken)
		}
		s.taken += int64(got)
		s.rows = got
		s.stats.Batches++
	}
	take(cpu, 500)
	take(gpu, 40_000)
	take(gpu, 19_500) // less than half: 1 - 0.405 - 0.4
	take(gpu, 500)
	take(cpu, 500)
	cpu.taken = 36_000
	take(gpu, 250) // more than 95 % are taken
	take(cpu, 250)
}

// From the rates follows what each side may take.
func TestAdaptiveBatches(t *testing.T) {
	const rows = 100_000
	gpu, cpu := &side{gpu: true, workers: 3}, &side{workers: 4}
	q := newQueue([]*side{gpu, cpu}, make([]uint32, rows), rows, adaptive{})
	if got := q.policy.early(q, gpu); got != rows/firstParts {
		t.Errorf("the first early part has %d rows, want %d", got, rows/firstParts)
	}
	q.open(workq.Given(places(rows)), nil)
	limit := func(s *side, want int64) {
		t.Helper()
		if _, work := q.policy.limit(q, s, time.Second); math.Abs(float64(work-want)) > 1 {
			t.Errorf("%s may take work %d, want %d", s.name(), work, want)
		}
	}
	limit(gpu, rows/16) // nothing is known: an eighth of an equal share
	gpu.speed.add(30_000, 100*time.Millisecond)
	limit(gpu, rows/16) // the CPU is taken to be as fast
	q.expected = 0.9
	limit(gpu, rows*9/80) // or as is expected
	q.expected = 0
	cpu.speed.add(10_000, 100*time.Millisecond)
	limit(gpu, rows*3/8) // half of three quarters
	limit(cpu, 781)      // an eighth of a quarter, for each of four threads
	q.deque.TakeBack(rows-10_000, 0)
	limit(gpu, 7500) // the last batch: all that it can do
	q.deque.TakeBack(9900, 0)
	if got, _ := q.policy.limit(q, gpu, time.Second); got != 0 {
		t.Errorf("a GPU may take %d rows that the CPU has done before it has begun", got)
	}
	cpu.lost = errDevice
	limit(gpu, 100)
}

func TestReportAddsRuns(t *testing.T) {
	var r Report
	r.Sides = make([]Side, 2)
	run := func(gpu, cpu, all time.Duration, failed int64) {
		a, b := &side{gpu: true}, &side{}
		a.stats = Side{Rows: 3, Failed: failed, end: gpu}
		b.stats = Side{Rows: 4, end: cpu}
		r.add([]*side{a, b}, all, true)
	}
	run(8*time.Second, 10*time.Second, 10*time.Second, 5)
	run(30*time.Second, 29*time.Second, 30*time.Second, 1)
	if math.Abs(r.Imbalance-3.0/40) > 1e-12 || r.Seconds != 40 || r.GPUSeconds != 38 || r.CPUSeconds != 39 || r.Failed != 6 || r.Sides[1].Rows != 8 {
		t.Errorf("%+v", r)
	}
}

// A consumer that fails is no failure of a device.
func TestConsumerFails(t *testing.T) {
	p := plan(t, cloud(t, 5000), neighbors.Within{Radius: 0.01})
	full := errors.New("the disk is full")
	j := joiner(Adaptive, 2, true, nil)
	work := p.Work()
	if err := j.Visit(context.Background(), p, work, func(int, *neighbors.Batch) error { return full }); !errors.Is(err, full) {
		t.Errorf("%v, want that of the consumer", err)
	}
	for _, s := range j.Report().Sides {
		if s.Lost != "" {
			t.Errorf("%s is taken to be lost: %s", s.Device, s.Lost)
		}
	}
	if rows := takeAll(work); len(rows) != p.Len() {
		t.Errorf("%d rows came back, want all %d", len(rows), p.Len())
	}
	if err := (&Joiner{}).Visit(context.Background(), p, work, nil); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("no joiners: %v", err)
	}
}

// A waiting joiner takes nothing until the context ends.
type waiting struct{ neighbors.CPU }

func (waiting) Visit(ctx context.Context, _ *neighbors.Plan, _ neighbors.Work, _ func(int, *neighbors.Batch) error) error {
	<-ctx.Done()
	return ctx.Err()
}

// Nor is a join that is given up, be it while the CPU builds its index.
func TestGivenUp(t *testing.T) {
	for range 50 {
		p := plan(t, cloud(t, 1000), neighbors.Within{Radius: 0.01})
		j := joiner(Adaptive, 0, true, nil)
		j.CPU = waiting{}
		for range 4 {
			j.GPUs = append(j.GPUs, waiting{})
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Millisecond, cancel)
		work := p.Work()
		if err := j.Visit(ctx, p, work, nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("%v, want %v", err, context.Canceled)
		}
		for _, s := range j.Report().Sides {
			if s.Lost != "" {
				t.Fatalf("%s is taken to be lost: %s", s.Device, s.Lost)
			}
		}
		if rows := takeAll(work); len(rows) != p.Len() {
			t.Fatalf("%d rows came back, want all %d", len(rows), p.Len())
		}
	}
	cpu := &side{joiner: neighbors.CPU{}}
	j := joiner(Adaptive, 0, true, nil)
	p := plan(t, cloud(t, 1000), neighbors.Within{Radius: 0.01})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	j.open(ctx, newQueue([]*side{cpu}, nil, p.Len(), adaptive{}), nil, p)
	if cpu.lost != nil {
		t.Errorf("the CPU is taken to be lost when its index is not wanted any more: %v", cpu.lost)
	}
}

// Every partition tells of candidates, at least as many as neighbours.
func TestCandidatesAreTold(t *testing.T) {
	p := plan(t, cloud(t, 20_000), neighbors.Within{Radius: 0.02})
	for _, part := range Partitions {
		for _, all := range []bool{false, true} {
			j := joiner(part, 1, true, nil)
			j.all, j.Share = all, 0.5
			if err := j.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error { return nil }); err != nil {
				t.Fatal(err)
			}
			for _, s := range j.Report().Sides {
				if s.Candidates < s.Neighbours || s.Candidates > 30*s.Neighbours {
					t.Errorf("%s: %s found %d neighbours among %d candidates", part, s.Device, s.Neighbours, s.Candidates)
				}
			}
		}
	}
}
