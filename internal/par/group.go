package par

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A Group is a sync.WaitGroup that hands a panic on: Wait panics with what the
// first goroutine panicked with, in the goroutine of the caller, who can recover
// from it. A panic that nobody recovers from ends the process of a library's user.
// The zero value is ready for use.
type Group struct {
	wg    sync.WaitGroup
	first atomic.Pointer[Panic]
}

// A Panic is that of another goroutine.
type Panic struct {
	Value any
	Stack []byte // where it was
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// Go calls f in a goroutine of its own.
func (g *Group) Go(f func()) {
	g.wg.Go(func() { g.Call(f) })
}

// Call calls f in the goroutine of the caller, which goes on if f panics: a worker
// that others wait for can tell them.
func (g *Group) Call(f func()) {
	defer func() {
		if v := recover(); v != nil {
			p, ok := v.(*Panic)
			if !ok {
				p = &Panic{v, debug.Stack()}
			}
			g.first.CompareAndSwap(nil, p)
		}
	}()
	f()
}

// ErrPanic is the error of work that has panicked, until Wait panics.
var ErrPanic = errors.New("a worker has panicked")

// Do is Call of what returns an error: ErrPanic if it panics.
func (g *Group) Do(f func() error) error {
	err := ErrPanic
	g.Call(func() { err = f() })
	return err
}

// Wait returns when all have, and panics if one did.
func (g *Group) Wait() {
	g.wg.Wait()
	if p := g.first.Load(); p != nil {
		panic(p)
	}
}
