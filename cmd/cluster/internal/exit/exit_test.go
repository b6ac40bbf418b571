package exit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		err     error
		status  int
		message string
	}{
		{errors.New("bad luck"), 1, "bad luck"},
		{Usagef("--x %d", 1), 2, "--x 1"},
		{fmt.Errorf("%w: radius 0", neighbors.ErrRequest), 2, "radius 0"},
		{fmt.Errorf("%w: 1 byte", neighbors.ErrMemory), 2, "1 byte"},
		{fmt.Errorf("%w: no column", catalog.ErrRequest), 2, "no column"},
		{fmt.Errorf("a.csv: %w", context.Canceled), 130, "interrupted"},
		{errors.New("one\ntwo\nthree\n"), 1, "one\n  two three"},
	} {
		if got := Status(c.err); got != c.status {
			t.Errorf("%v: status %d, want %d", c.err, got, c.status)
		}
		if got := Message(c.err); got != c.message {
			t.Errorf("%v: message %q, want %q", c.err, got, c.message)
		}
	}
}

// A panic in the command or in what it awaits is one line and status 1.
func TestCrash(t *testing.T) {
	for _, err := range []error{
		Guarded(func() error { panic("bug") }),
		Do(context.Background(), func() error { panic("bug") }),
	} {
		c := (*Crash)(nil)
		if !errors.As(err, &c) || Status(err) != 1 || strings.Contains(Message(err), "\n") || !strings.Contains(Message(err), "bug") {
			t.Errorf("a panic became %v", err)
		} else if !bytes.Contains(c.Stack, []byte("TestCrash")) {
			t.Errorf("the stack does not lead to the panic:\n%s", c.Stack)
		}
	}
}

// A run that is deaf to its context is not waited for.
func TestWithin(t *testing.T) {
	if status := Within(t.Context(), func(error) {}, func() int { return 7 }); status != 7 {
		t.Errorf("status %d, want that of the run", status)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	release := make(chan struct{})
	defer close(release)
	late := ""
	if status := Within(ctx, func(err error) { late = Message(err) }, func() int { <-release; return 0 }); status != Interrupted || late != "interrupted" {
		t.Errorf("status %d, said %q", status, late)
	}
}

func TestAwait(t *testing.T) {
	want := errors.New("done")
	if err := Do(context.Background(), func() error { return want }); err != want {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	defer close(release)
	time.AfterFunc(10*time.Millisecond, cancel)
	if err := Do(ctx, func() error { <-release; return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("deaf work: %v", err)
	}
	// Work that ends within the grace has the last word.
	if err := Do(ctx, func() error { return want }); err != want {
		t.Errorf("work that ended: %v", err)
	}
}
