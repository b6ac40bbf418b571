package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// grace is how long an interrupted run waits for work that does not look at
// the context, so that it can take its temporary files away.
const grace = 500 * time.Millisecond

// await calls work, which must not be writing to a file for longer than
// grace, and returns its error. When the run is interrupted it returns soon,
// whether or not work does: the process is about to end.
func await(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- guarded(work) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return ctx.Err()
	}
}

// guarded calls work and returns its panic as an error. It is the last fence:
// libraries return errors, and a panic is a bug of this program that a user
// should see as one line.
func guarded(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &crash{r, debug.Stack()}
		}
	}()
	return work()
}

// A crash is a panic that was caught.
type crash struct {
	value any
	stack []byte
}

func (c *crash) Error() string {
	return fmt.Sprintf("internal error: %v (set %s=1 for the stack)", c.value, debugVariable)
}

// debugVariable is the environment variable that shows the stack of a crash.
const debugVariable = "SKYJOIN_DEBUG"
