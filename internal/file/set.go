package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"
)

// A Set holds outputs that belong together until all of them are complete.
//
// Names are given one after the other. Of a process that is killed between two of
// them the others are complete temporary files, and a list says which names they
// get, see [Finish]: whoever next reads or writes in the folder gives them those.
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
	to := make([]target, len(s.outs))
	for i, o := range s.outs {
		var err error
		if to[i], err = find(o.name, o.opt.Force); err != nil {
			return err
		}
	}
	for i, o := range s.outs {
		if err := o.resemble(to[i]); err != nil {
			return err
		}
	}
	lists, err := list(s.outs, to)
	if err != nil {
		return err
	}
	defer dropAll(lists) // of those that have no names
	const wait, most = 10 * time.Millisecond, 10 * time.Second
	for waited := time.Duration(0); ; waited += wait {
		err := s.give(lists, to)
		if !errors.Is(err, errPending) || waited >= most {
			return err
		}
		for _, t := range lists {
			Finish(filepath.Dir(t.path))
		}
		time.Sleep(wait)
	}
}

// errPending is the error of outputs in a folder where another process is naming
// some.
var errPending = errors.New("other outputs are being named")

// give names all outputs, while the lists say which. It does not begin where
// another process does the same.
func (s *Set) give(lists []*temporary, to []target) error {
	living.RLock()
	defer living.RUnlock()
	switch err := publish(lists); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("cannot name the outputs: %s is in the way (%w)", pendingPath(filepath.Dir(lists[0].path)), errPending)
	case err != nil:
		return Failed(s.outs[0].name, err)
	}
	defer dropAll(lists)
	folders := map[string]bool{}
	for i, o := range s.outs {
		if err := o.rename(to[i]); err != nil {
			return err
		}
		folders[filepath.Clean(o.Folder())] = true
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
