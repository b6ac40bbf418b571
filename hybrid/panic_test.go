package hybrid

import (
	"context"
	"testing"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A broken joiner panics when it is given rows.
type broken struct{ neighbors.CPU }

func (broken) Visit(context.Context, *neighbors.Plan, neighbors.Work, func(int, *neighbors.Batch) error) error {
	panic("device")
}

// panicOf returns what f panics with, as it comes from another goroutine.
func panicOf(f func()) (value any) {
	defer func() {
		if p, ok := recover().(*par.Panic); ok {
			value = p.Value
		}
	}()
	f()
	return nil
}

// A panic of a device, of the consumer, or of what is prepared beside the devices ends
// the run and is that of the caller, however rows are shared.
func TestPanicsComeToTheCaller(t *testing.T) {
	p := plan(t, cloud(t, 5000), neighbors.Within{Radius: 0.01})
	for _, partition := range []Partition{Adaptive, ByRows, ByCandidates} {
		nothing := func(int, *neighbors.Batch) error { return nil }
		j := joiner(partition, 2, true, nil)
		j.GPUs[0], j.GPUs[1] = broken{}, broken{}
		if v := panicOf(func() { _ = j.Visit(t.Context(), p, p.Work(), nothing) }); v != "device" {
			t.Errorf("%v: a device: %v", partition, v)
		}
		j = joiner(partition, 2, true, nil)
		if v := panicOf(func() {
			_ = j.Visit(t.Context(), p, p.Work(), func(int, *neighbors.Batch) error { panic("consumer") })
		}); v != "consumer" {
			t.Errorf("%v: a consumer: %v", partition, v)
		}
		if v := panicOf(func() {
			for range neighbors.Stream(t.Context(), &Joiner{Partition: partition, CPU: broken{}}, p, p.Work()) {
			}
		}); v != "device" {
			t.Errorf("%v: a stream: %v", partition, v)
		}
	}
	q := newQueue(nil, nil, 0, nil)
	q.fetch = func() []uint32 { panic("rows") }
	if v := panicOf(func() { q.beginFetch(); q.fetching.Wait() }); v != "rows" || q.failed() == nil {
		t.Errorf("rows: %v, the run has the error %v", v, q.failed())
	}
}
