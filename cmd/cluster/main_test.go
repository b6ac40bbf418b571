package main

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

func TestHelp(t *testing.T) {
	root := succeed(t)
	for _, part := range []string{"cluster info", "cluster kdist", "cluster dbscan", "cluster gen", "Exit status:"} {
		if !strings.Contains(root.stdout, part) {
			t.Errorf("the help does not show %q", part)
		}
	}
	for _, c := range newRoot(&app{}, commands...).Commands() {
		help := succeed(t, c.Name(), "--help").stdout
		for _, part := range []string{"Examples:", "cluster " + c.Name(), "Exit status:", "130  interrupted"} {
			if !strings.Contains(help, part) {
				t.Errorf("the help of %s does not show %q", c.Name(), part)
			}
		}
		for line := range strings.Lines(help) {
			if len([]rune(line)) > 110 {
				t.Errorf("the help of %s has a line of %d letters: %s", c.Name(), len([]rune(line)), line)
			}
			if strings.HasPrefix(line, strings.Repeat(" ", 50)) {
				t.Errorf("the help of %s leaves no room for what flags do: %s", c.Name(), line)
			}
		}
	}
}

func TestHelpOnCommands(t *testing.T) {
	if got, want := succeed(t, "help", "dbscan").stdout, succeed(t, "dbscan", "--help").stdout; got != want {
		t.Errorf("help dbscan is not the help of dbscan: %s", got)
	}
	if got, want := succeed(t, "help").stdout, succeed(t).stdout; got != want {
		t.Errorf("help is not the help of all: %s", got)
	}
	refuse(t, 2, []string{"help", "dbscn"}, `did you mean "dbscan"?`)
	refuse(t, 2, []string{"help", "galaxies"}, `unknown command "galaxies"`)
	refuse(t, 2, []string{"help", "dbscan", "eps"}, `no command "eps" of cluster dbscan`)
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		err     error
		status  int
		message string
	}{
		{errors.New("bad luck"), 1, "bad luck"},
		{usagef("--x %d", 1), 2, "--x 1"},
		{fmt.Errorf("%w: radius 0", neighbors.ErrRequest), 2, "radius 0"},
		{fmt.Errorf("%w: 1 byte", neighbors.ErrMemory), 2, "1 byte"},
		{fmt.Errorf("%w: no column", catalog.ErrRequest), 2, "no column"},
		{fmt.Errorf("a.csv: %w", context.Canceled), 130, "interrupted"},
		{errors.New("one\ntwo\nthree\n"), 1, "one\n  two three"},
	} {
		if got := exitStatus(c.err); got != c.status {
			t.Errorf("%v: status %d, want %d", c.err, got, c.status)
		}
		if got := message(c.err); got != c.message {
			t.Errorf("%v: message %q, want %q", c.err, got, c.message)
		}
	}
}

// A panic in the command or in what it awaits is one line and status 1.
func TestCrash(t *testing.T) {
	for _, err := range []error{
		guarded(func() error { panic("bug") }),
		await(context.Background(), func() error { panic("bug") }),
	} {
		c := (*crash)(nil)
		if !errors.As(err, &c) || exitStatus(err) != 1 || strings.Contains(message(err), "\n") || !strings.Contains(message(err), "bug") {
			t.Errorf("a panic became %v", err)
		} else if !bytes.Contains(c.stack, []byte("TestCrash")) {
			t.Errorf("the stack does not lead to the panic:\n%s", c.stack)
		}
	}
}

func TestAwait(t *testing.T) {
	want := errors.New("done")
	if err := await(context.Background(), func() error { return want }); err != want {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	defer close(release)
	time.AfterFunc(10*time.Millisecond, cancel)
	if err := await(ctx, func() error { <-release; return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("deaf work: %v", err)
	}
	// Work that ends within the grace has the last word.
	if err := await(ctx, func() error { return want }); err != want {
		t.Errorf("work that ended: %v", err)
	}
}

func TestVersion(t *testing.T) {
	if got := succeed(t, "--version").stdout; got != "cluster "+version+"\n" {
		t.Errorf("version %q", got)
	}
}
