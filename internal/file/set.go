package file

import (
	"context"
	"path/filepath"
	"sync"
)

// A Set holds outputs that belong together until all of them are complete.
//
// Names are given one after the other, and a process that is killed between two
// of them leaves some files new and some old. That takes microseconds: all
// bytes are on the disk by then, and nothing is left to do but to rename. What
// has no name yet is a complete temporary file, which the next run sweeps.
type Set struct {
	mu   sync.Mutex
	outs []*Output
}

type setKey struct{}

// Together returns a context in which [Output.Commit] leaves it to the Set to
// name outputs. Set.Commit or Set.Abort must be called.
func Together(ctx context.Context) (context.Context, *Set) {
	s := &Set{}
	return context.WithValue(ctx, setKey{}, s), s
}

// Alone returns a context in which [Output.Commit] names an output at once.
func Alone(ctx context.Context) context.Context {
	return context.WithValue(ctx, setKey{}, (*Set)(nil))
}

// Name names the outputs of the Set of a context, if it has one.
func Name(ctx context.Context) error {
	if s := setOf(ctx); s != nil {
		return s.Commit(ctx)
	}
	return nil
}

func setOf(ctx context.Context) *Set {
	s, _ := ctx.Value(setKey{}).(*Set)
	return s
}

func (s *Set) hold(o *Output) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.state = held
	s.outs = append(s.outs, o)
	return nil
}

// Commit names all outputs, in the order in which they were committed. If one
// must not be replaced, because it has appeared meanwhile, none is. Those that
// an error has kept from their names are dropped.
func (s *Set) Commit(ctx context.Context) error {
	defer s.Abort()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, o := range s.outs {
		if _, err := find(o.name, o.opt.Force); err != nil {
			return err
		}
	}
	folders := map[string]bool{}
	give := func() error {
		living.RLock()
		defer living.RUnlock()
		for _, o := range s.outs {
			if err := o.give(); err != nil {
				return err
			}
			folders[filepath.Clean(o.Folder())] = true
		}
		return nil
	}
	if err := give(); err != nil {
		return err
	}
	for folder := range folders {
		syncFolder(folder)
	}
	return nil
}

// Abort drops the outputs that have no names. After Commit there are none.
func (s *Set) Abort() {
	for _, o := range s.outs {
		if o.state == held {
			o.state = finished
		}
		o.Abort()
	}
	s.outs = nil
}
