package hybrid

// A sideWork is the queue as the joiner of one side sees it.
type sideWork struct {
	q *queue
	s *side
}

func (w sideWork) Take(rows int, cost int64) []uint32 { return w.q.take(w.s, rows, cost) }

func (w sideWork) Put(rows []uint32) { w.q.put(w.s, rows) }

// Arrange sets the order of the early rows to that of the joiner's own index, in
// which it does them fastest. The first joiner that calls it decides.
func (w sideWork) Arrange(rows []uint32) {
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	w.q.fetchRows()
	for w.q.fetch != nil && w.q.fatal == nil {
		w.q.turn.Wait()
	}
	e := &w.q.early
	if w.q.deque == nil && !e.begun && len(rows) == len(e.left) && !e.arranged {
		e.left, e.arranged = rows, true
	}
	w.s.since = w.q.clock() // it has built its index and starts with rows only now
}

// Shared tells a joiner that other joiners will do the rows that it gives back.
func (w sideWork) Shared() bool {
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	return w.s.gpu && w.q.deque != nil && w.q.alive(false)
}

// Tally lets the joiner count neighbours together with others. The sum of the slices
// that it returns is the number of neighbours of each query row. It returns nil if
// it is faster for each joiner to count its own rows: if a CPU takes rows too,
// counting all rows only pays with halves, which count each pair once for both rows.
// count counts the rows [lo, hi) in an order common to all joiners; collect returns
// what has been counted since its last call, in the same order, and must not be
// changed until the run ends.
func (w sideWork) Tally(halves bool, count func(lo, hi int) error, collect func() ([]uint32, error)) ([][]uint32, error) {
	w.q.mu.Lock()
	apart := w.q.tally == nil || !halves && w.q.alive(false)
	w.q.mu.Unlock()
	if apart {
		return nil, nil
	}
	begin := func(lo, hi int) error {
		defer w.q.beginFetch() // while the joiners count
		return count(lo, hi)
	}
	found, err := w.q.tally.run(w.s, begin, collect)
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	w.s.since = w.q.clock() // it starts with its rows only now
	w.s.tallied = found != nil
	return found, err
}
