//go:build cuda && linux

package gpu

import (
	"slices"
	"sync"

	"skyjoin/internal/cuda"
	"skyjoin/internal/space"
)

// leastSpread is the size in bytes from which cards share what they upload. Giving
// two cards access to each other's memory takes, once, as long as uploading half a
// gigabyte; between cards that have it, less is worth sharing.
var (
	leastSpread     = 256 << 20
	leastAcquainted = 16 << 20
)

// A spreading is the coordinates of some points on their way to several cards that
// need them at the same time: each card uploads some of the columns, and copies the
// others from the cards that did, over faster links.
type spreading struct {
	mu      sync.Mutex
	turn    *sync.Cond
	columns []sent
	waiting int // cards that do not have all columns yet
	users   int // guarded by spreadings: cards that have columns, or are waiting
}

// sent is one column. Only one card at a time uploads it.
type sent struct {
	begun bool
	by    *cuda.Context // nil: it is not there yet
	x     cuda.Buffer[float64]
}

// spreadings are those in progress.
var spreadings = struct {
	sync.Mutex
	of map[*space.Space]*spreading
}{of: map[*space.Space]*spreading{}}

// spread copies the coordinates of a side to the device, where they stay until m is
// released.
func spread(q *sequence, m *memory, side *space.Space) (x []cuda.Buffer[float64]) {
	cols := hostColumns(side)
	ctx := q.stream.Context()
	if n := 8 * side.Len() * side.Dim(); n < leastSpread && (n < leastAcquainted || !ctx.Acquainted()) {
		return upload(q, m, cols)
	}
	spreadings.Lock()
	sp := spreadings.of[side]
	if sp == nil {
		sp = &spreading{columns: make([]sent, side.Dim())}
		sp.turn = sync.NewCond(&sp.mu)
		spreadings.of[side] = sp
	}
	sp.users++
	spreadings.Unlock()
	m.before = append(m.before, func() {
		sp.leave(ctx)
		spreadings.Lock()
		defer spreadings.Unlock()
		if sp.users--; sp.users == 0 {
			delete(spreadings.of, side)
		}
	})
	q.do(func() (err error) { x, err = sp.bring(m, cols); return err })
	return x
}

// bring lets the card upload its part, and copy the rest.
func (sp *spreading) bring(m *memory, cols []column) ([]cuda.Buffer[float64], error) {
	sp.enter(1)
	defer sp.enter(-1)
	defer m.stream.Sync() // others may still be copying until this card leaves
	x := make([]cuda.Buffer[float64], len(cols))
	q := begin(m.stream)
	q.do(func() error { return sp.send(m, cols, x) })
	sp.fetch(q, m, x)
	for j := range x {
		if x[j].N == 0 && q.err == nil { // uploaded by a card whose memory this one cannot read
			x[j] = upload(q, m, cols[j:j+1])[0]
		}
	}
	return x, q.sync()
}

// send uploads columns as long as there are some that no card is uploading, one
// directly after another; other cards are told of each when the next one is on its
// way.
func (sp *spreading) send(m *memory, cols []column, x []cuda.Buffer[float64]) error {
	there, err := m.stream.NewEvent()
	if err != nil {
		return err
	}
	defer there.Destroy()
	ctx, last := m.stream.Context(), -1 // on its way; others have not been told of it
	for {
		j := sp.next(last < 0)
		if j < 0 && last < 0 {
			return nil
		}
		q := begin(m.stream)
		if j >= 0 {
			x[j] = upload(q, m, cols[j:j+1])[0]
		} else {
			sp.fetch(q, m, x)
		}
		if last >= 0 {
			err = there.Sync()
			sp.put(last, ctx, x[last], err)
		}
		if j >= 0 {
			q.do(func() error { return m.stream.Record(there) })
		}
		if err = firstError(err, q.err); err != nil {
			if j >= 0 {
				sp.put(j, ctx, x[j], err)
			}
			return err
		}
		last = j
	}
}

// enter changes the number of cards that wait for columns.
func (sp *spreading) enter(by int) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.waiting += by
	sp.turn.Broadcast()
}

// next returns a column to upload, or -1 when all are there. Without patience it
// does not wait for other cards.
func (sp *spreading) next(patience bool) int {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	for {
		there := 0
		for j := range sp.columns {
			switch c := &sp.columns[j]; {
			case !c.begun:
				c.begun = true
				return j
			case c.by != nil:
				there++
			}
		}
		if there == len(sp.columns) || !patience {
			return -1
		}
		sp.turn.Wait()
	}
}

// put records that a column has been uploaded or, with an error, that another card
// has to upload it.
func (sp *spreading) put(j int, by *cuda.Context, x cuda.Buffer[float64], err error) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.columns[j] = (sent{true, by, x}); err != nil {
		sp.columns[j] = sent{}
	}
	sp.turn.Broadcast()
}

// fetch copies the columns that other cards have uploaded so far, from those whose
// memory this card can read.
func (sp *spreading) fetch(q *sequence, m *memory, x []cuda.Buffer[float64]) {
	sp.mu.Lock()
	there := slices.Clone(sp.columns)
	sp.mu.Unlock()
	for j, c := range there {
		if x[j].N > 0 || c.by == nil || !q.stream.Context().Sees(c.by) {
			continue
		}
		x[j] = kept[float64](q, m, c.x.N)
		q.do(func() error { return cuda.CopyPeer(q.stream, x[j], c.by, c.x) })
	}
}

// leave withdraws the columns of a card, which others may be copying.
func (sp *spreading) leave(ctx *cuda.Context) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	for sp.waiting > 0 {
		sp.turn.Wait()
	}
	for j := range sp.columns {
		if sp.columns[j].by == ctx {
			sp.columns[j] = sent{}
		}
	}
}
