//go:build cuda && linux

package cuda

/*
#include "cuda.h"

static CUresult skyjoin_launch(CUfunction f, unsigned grid, unsigned block, unsigned shared,
                               CUstream stream, void *args, size_t size) {
	void *config[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, args, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
	return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, stream, NULL, config);
}
*/
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	"skyjoin/internal/par"
)

// A Stream is a queue of work on one GPU, owned by one OS thread: a thread that
// CUDA has not seen has no current context, and goroutines change threads. All
// methods but Do and Close must be called inside Do.
type Stream struct {
	ctx  *Context
	s    C.CUstream
	jobs chan func()
	done chan struct{}
	once sync.Once
}

// NewStream starts a stream and its thread.
func (c *Context) NewStream() (*Stream, error) {
	s := &Stream{ctx: c, jobs: make(chan func()), done: make(chan struct{})}
	go s.run()
	err := s.Do(func() error {
		if err := c.current(); err != nil {
			return err
		}
		return check(C.cuStreamCreate(&s.s, C.CU_STREAM_NON_BLOCKING), "making a stream")
	})
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Stream) run() {
	// Never unlocked: the thread ends with the goroutine, its context with it.
	runtime.LockOSThread()
	prompt()
	for job := range s.jobs {
		job()
	}
	if s.s != nil {
		s.ctx.cache.drop(s.s)
		C.cuStreamDestroy(s.s)
	}
	close(s.done)
}

// Do runs f on the stream's thread and returns its error; a panic of f is one of Do.
func (s *Stream) Do(f func() error) error {
	var g par.Group
	errs := make(chan error, 1)
	s.jobs <- func() { errs <- g.Do(f) }
	err := <-errs
	g.Wait()
	return err
}

// Close ends the stream after what was asked of it.
func (s *Stream) Close() {
	s.once.Do(func() { close(s.jobs) })
	<-s.done
}

// Context returns the context of the stream.
func (s *Stream) Context() *Context { return s.ctx }

// Launch starts kernel with grid blocks of block threads and shared bytes of
// dynamic shared memory. The kernel takes one struct by value; args points to
// its Go twin of size bytes, which is copied before Launch returns.
func (s *Stream) Launch(kernel string, grid, block, shared int, args unsafe.Pointer, size uintptr) error {
	if grid == 0 {
		return nil
	}
	k, err := s.ctx.lookup(kernel)
	if err != nil {
		return err
	}
	return check(C.skyjoin_launch(k.f, C.uint(grid), C.uint(block), C.uint(shared), s.s, args, C.size_t(size)), "launching "+kernel)
}

// Launch starts a kernel whose only parameter is *args.
func Launch[T any](s *Stream, kernel string, grid, block, shared int, args *T) error {
	return s.Launch(kernel, grid, block, shared, unsafe.Pointer(args), unsafe.Sizeof(*args))
}

// Sync waits for everything asked of the stream.
func (s *Stream) Sync() error {
	return check(C.cuStreamSynchronize(s.s), "running on "+s.ctx.Device.Name)
}

// Occupancy returns how many blocks of kernel fit one multiprocessor.
func (s *Stream) Occupancy(kernel string, block, shared int) (int, error) {
	k, err := s.ctx.lookup(kernel)
	if err != nil {
		return 0, err
	}
	var n C.int
	err = check(C.cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, k.f, C.int(block), C.size_t(shared)), "asking the occupancy of "+kernel)
	return int(n), err
}
