//go:build cuda && linux

package cuda

/*
#include "cuda.h"
*/
import "C"

// An Event marks a place in a stream.
type Event struct{ e C.CUevent }

// NewEvent makes an event. Threads that wait for it do so as those that wait for
// a stream.
func (s *Stream) NewEvent() (*Event, error) {
	e, flags := &Event{}, C.uint(C.CU_EVENT_DEFAULT)
	if s.ctx.yields {
		flags = C.CU_EVENT_BLOCKING_SYNC
	}
	if err := check(C.cuEventCreate(&e.e, flags), "making an event"); err != nil {
		return nil, err
	}
	return e, nil
}

// Record marks the place after everything asked of the stream so far.
func (s *Stream) Record(e *Event) error {
	return check(C.cuEventRecord(e.e, s.s), "recording an event")
}

// Wait lets the stream go on only after e, which may be another stream's.
func (s *Stream) Wait(e *Event) error {
	return check(C.cuStreamWaitEvent(s.s, e.e, 0), "waiting for an event")
}

// Sync waits until the event has passed.
func (e *Event) Sync() error { return check(C.cuEventSynchronize(e.e), "waiting for an event") }

// Since returns the seconds between two events that have passed.
func (e *Event) Since(start *Event) (float64, error) {
	var ms C.float
	err := check(C.cuEventElapsedTime(&ms, start.e, e.e), "timing")
	return float64(ms) / 1e3, err
}

// Destroy frees the event.
func (e *Event) Destroy() { C.cuEventDestroy(e.e) }
