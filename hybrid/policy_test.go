package hybrid

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

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
	q := newQueue([]*side{gpu, cpu}, make([]uint32, 100_000), m)
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

// A side that is much slower than the other gets less, and both end together.
func TestAdaptiveEndsTogether(t *testing.T) {
	p := plan(t, cloud(t, 60000), neighbors.Within{Radius: 0.02})
	rates := func(sleep time.Duration) float64 {
		j := joiner(Adaptive, 1, true, func(_ int, s *standIn) { s.slow = sleep })
		if err := j.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error { return nil }); err != nil {
			t.Fatal(err)
		}
		r := j.Report()
		if r.Sides[0].Rows+r.Sides[1].Rows != int64(p.Len()) {
			t.Fatalf("%+v: rows are lost", r)
		}
		rows, _ := share(r)
		return rows
	}
	if fast, slow := rates(0), rates(300*time.Millisecond); slow >= fast {
		t.Errorf("a slow GPU did %v of the rows, a fast one %v", slow, fast)
	}
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
