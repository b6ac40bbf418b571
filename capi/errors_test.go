//go:build cgo

package main

import (
	"errors"
	"strings"
	"testing"

	"skyjoin/internal/par"
)

// A panic of a worker ends its job as an internal error, which tells where it was.
func TestPanicsOfWorkersAreInternalErrors(t *testing.T) {
	j := &job{settings: settings{threads: 2}}
	j.stage(func() error {
		par.Chunks(j.threads, 10, func(_, _, hi int) {
			if hi == 10 {
				panic("a worker")
			}
		})
		return nil
	})
	<-j.done
	if !errors.Is(j.err, errInternal) || !strings.Contains(j.err.Error(), "a worker") || !strings.Contains(j.err.Error(), "errors_test.go") {
		t.Errorf("%v, want an internal error with the panic and its place", j.err)
	}
	if code := codeOf(j.err); code != 7 { // SKYJOIN_INTERNAL
		t.Errorf("code %d, want 7", code)
	}
}
