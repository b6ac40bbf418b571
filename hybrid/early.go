package hybrid

import "sync"

// early is the rows that are handed out before the deque is there.
type early struct {
	left     []uint32
	taken    *marking // nil: nobody will ask which
	begun    bool     // some have been taken
	arranged bool
	own      bool // they are the CPU's, whose order they have
	back     int  // how many of left, its last, have been put back
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

// A marking is a set of rows, to which others are added beside who takes them,
// while the CPU builds its index: it takes 3 ns for each, as rows are taken in an order
// that is not theirs.
type marking struct {
	mu     sync.Mutex
	adding sync.WaitGroup
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

// wait returns when all rows that have been taken are marked.
func (e *early) wait() {
	if e.taken != nil {
		e.taken.adding.Wait()
	}
}

// gone returns the set of the rows that have been taken and not put back, nil if
// there are none.
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
