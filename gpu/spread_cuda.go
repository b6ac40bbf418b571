//go:build cuda && linux

package gpu

import (
	"slices"
	"sync"

	"skyjoin/internal/cuda"
	"skyjoin/internal/space"
)

// leastSpread is from how many bytes on cards share what they send. To let two
// see each other takes as long as to send half a gigabyte, once; between those that
// do, less is worth it.
var (
	leastSpread     = 256 << 20
	leastAcquainted = 16 << 20
)

// A spreading is the coordinates of some points on their way to the cards that
// need them at the same time: each sends some of the columns from the host, and
// has the others from the cards that did, whose links are faster.
type spreading struct {
	mu      sync.Mutex
	turn    *sync.Cond
	columns []sent
	waiting int // cards that do not have all columns yet
	users   int // guarded by spreadings: cards that have columns, or are waiting
}

// sent is one column. Only one card at a time sends it.
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

// spread brings the coordinates of a side to the device, which has them until m
// is released.
func spread(m *memory, side *space.Space) ([]cuda.Buffer[float64], error) {
	cols := hostColumns(side)
	ctx := m.stream.Context()
	if n := 8 * side.Len() * side.Dim(); n < leastSpread && (n < leastAcquainted || !ctx.Acquainted()) {
		return upload(m, cols)
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
	return sp.bring(m, cols)
}

// bring has the card do its share, and get the rest.
func (sp *spreading) bring(m *memory, cols []column) ([]cuda.Buffer[float64], error) {
	sp.enter(1)
	defer sp.enter(-1)
	defer m.stream.Sync() // others keep what is being copied until this card has left
	x := make([]cuda.Buffer[float64], len(cols))
	err := sp.send(m, cols, x)
	if err == nil {
		err = sp.fetch(m, x)
	}
	if err != nil {
		return nil, err
	}
	for j := range x {
		if x[j].N == 0 { // of a card that this one does not see
			if x[j], err = uploadColumn(m, cols[j]); err != nil {
				return nil, err
			}
		}
	}
	return x, m.stream.Sync()
}

// send has the card send columns as long as there are some that nobody sends,
// each right behind the one before, of which it tells when the next is on its
// way.
func (sp *spreading) send(m *memory, cols []column, x []cuda.Buffer[float64]) error {
	there, err := m.stream.NewEvent()
	if err != nil {
		return err
	}
	defer there.Destroy()
	ctx, last := m.stream.Context(), -1 // on its way, of which others have not been told
	for {
		j := sp.next(last < 0)
		if j < 0 && last < 0 {
			return nil
		}
		var failed error
		if j >= 0 {
			x[j], failed = uploadColumn(m, cols[j])
		} else {
			failed = sp.fetch(m, x)
		}
		if last >= 0 {
			err = there.Sync()
			sp.put(last, ctx, x[last], err)
		}
		if j >= 0 && failed == nil {
			failed = m.stream.Record(there)
		}
		if err = firstError(err, failed); err != nil {
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

// next returns a column to be sent, or -1 when all are there. Without patience
// it does not wait for others.
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

// put takes note that a column has been sent, or is left to others.
func (sp *spreading) put(j int, by *cuda.Context, x cuda.Buffer[float64], err error) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.columns[j] = (sent{true, by, x}); err != nil {
		sp.columns[j] = sent{}
	}
	sp.turn.Broadcast()
}

// fetch has the columns copied that other cards have sent by now, as far as this
// one sees those.
func (sp *spreading) fetch(m *memory, x []cuda.Buffer[float64]) error {
	sp.mu.Lock()
	there := slices.Clone(sp.columns)
	sp.mu.Unlock()
	ctx := m.stream.Context()
	for j, c := range there {
		if x[j].N > 0 || c.by == nil || !ctx.Sees(c.by) {
			continue
		}
		if err := into(&x[j], m, c.x.N); err != nil {
			return err
		}
		if err := cuda.CopyPeer(m.stream, x[j], c.by, c.x); err != nil {
			return err
		}
	}
	return nil
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
