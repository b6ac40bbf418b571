package exit

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// grace is how long an interrupted run waits for work that does not watch the context,
// so that it can remove its temporary files.
const grace = 500 * time.Millisecond

// Await calls work, which must not be writing to a file for longer than
// grace, and returns its result. When the run is interrupted it returns soon,
// whether or not work does: the process is about to end.
func Await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = Guarded(func() (err error) {
			o.result, err = work()
			return err
		})
		done <- o
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.result, o.err
	case <-time.After(grace):
		var none T
		return none, ctx.Err()
	}
}

// overdue is how long an interrupted run may take to end by itself. It is longer
// than grace.
const overdue = 800 * time.Millisecond

// Within calls run and returns its exit status, but waits no longer than overdue
// for it once the context is done: loops that do not look at it end with the
// process, and late says so.
func Within(ctx context.Context, late func(error), run func() int) int {
	done := make(chan int, 1)
	go func() { done <- run() }()
	select {
	case status := <-done:
		return status
	case <-ctx.Done():
	}
	select {
	case status := <-done:
		return status
	case <-time.After(overdue):
		late(ctx.Err())
		return Interrupted
	}
}

// Do is Await for work without a result.
func Do(ctx context.Context, work func() error) error {
	_, err := Await(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
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
