package exit

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// grace is how long an interrupted run waits for work that does not look at
// the context, so that it can take its temporary files away.
const grace = 500 * time.Millisecond

// Await calls work, which must not be writing to a file for longer than
// grace, and returns its error. When the run is interrupted it returns soon,
// whether or not work does: the process is about to end.
func Await(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- Guarded(work) }()
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

// Guarded calls work and returns its panic as an error. It is the last fence:
// libraries return errors, and a panic is a bug of this program that a user
// should see as one line.
func Guarded(work func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Crash{r, debug.Stack()}
		}
	}()
	return work()
}

// A Crash is a panic that was caught.
type Crash struct {
	value any
	Stack []byte
}

func (c *Crash) Error() string {
	return fmt.Sprintf("internal error: %v (set %s=1 for the stack)", c.value, DebugVariable)
}

// DebugVariable is the environment variable that shows the stack of a crash.
const DebugVariable = "SKYJOIN_DEBUG"
