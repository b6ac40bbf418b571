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
// while the CPU builds its index: it takes 3 ns for each, as rows come in an order
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

const (
	// Early rows whose neighbours are known cost a GPU nothing of their own: it
	// goes on with the next before it has ended the last. Their parts are this
	// part of what is left for each GPU, and at least so many of all rows.
	smallPart  = 4
	leastSmall = 64
)

// small is how many of the early rows a GPU takes where their neighbours are
// known.
func (q *queue) small() int {
	gpus := max(gpus(q.sides), 1)
	if q.counts {
		return ceilDiv(q.rows, gpus) // all that is to be done is to write them down
	}
	return max(ceilDiv(len(q.early.left), smallPart*gpus), ceilDiv(q.rows, leastSmall*gpus))
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

// A bitmap is a set of rows.
type bitmap struct{ words []uint64 }

func newBitmap(n int) *bitmap { return &bitmap{make([]uint64, (n+63)/64)} }

func (m *bitmap) has(row uint32) bool { return m.words[row/64]>>(row%64)&1 != 0 }

func (m *bitmap) drop(row uint32) { m.words[row/64] &^= 1 << (row % 64) }

// fill adds rows. Runs of rows that follow each other, which is how catalogs
// come, are cheap.
func (m *bitmap) fill(rows []uint32) {
	for lo := 0; lo < len(rows); {
		word := rows[lo] / 64
		var set uint64
		for ; lo < len(rows) && rows[lo]/64 == word; lo++ {
			set |= 1 << (rows[lo] % 64)
		}
		m.words[word] |= set
	}
}
