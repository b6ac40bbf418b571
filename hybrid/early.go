package hybrid

import (
	"sync"

	"skyjoin/internal/par"
)

// early are the rows that are handed out before the deque exists.
type early struct {
	left     []uint32
	taken    *marking // nil: not needed
	begun    bool     // some have been taken
	arranged bool
	own      bool // they are the CPU's and in its order
	back     int  // how many at the end of left have been put back
}

func (e *early) take(n int) []uint32 {
	n = min(n, len(e.left))
	rows := e.left[:n:n]
	e.left = e.left[n:]
	e.back = min(e.back, len(e.left))
	e.begun = true
	if e.taken != nil {
		e.taken.add(rows)
	}
	return rows
}

// A marking is a set of rows to which rows are added in the background, while the
// CPU builds its index: this takes 3 ns for each row, because they are taken in
// another order than theirs.
type marking struct {
	mu     sync.Mutex
	adding par.Group
	rows   *bitmap
}

func (m *marking) add(rows []uint32) {
	m.adding.Go(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.rows.fill(rows)
	})
}

func (e *early) put(rows []uint32) {
	e.back += len(rows)
	e.left = append(e.left[:len(e.left):len(e.left)], rows...)
}

// wait waits until all rows that have been taken are marked.
func (e *early) wait() {
	if e.taken != nil {
		e.taken.adding.Wait()
	}
}

// gone returns the set of the rows that have been taken and not put back, nil if it
// is empty.
func (e *early) gone() *bitmap {
	if !e.begun {
		return nil
	}
	e.wait()
	m := e.taken.rows
	for _, r := range e.left[len(e.left)-e.back:] {
		m.drop(r)
	}
	return m
}
