//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/cuda"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// Nearest neighbours come in rounds of joins within a growing radius: a row is
// done in the first round in which it has at least K neighbours, the K nearest
// of which are then the answer (Gowanlock, HybridKNN-Join, §4.2.2). The first
// radius is that of the rows in hand; it grows by volume, not by length, so
// that sparse rows need few rounds. Rows that the rounds leave, and those that
// have very many neighbours at once, go back where others share the work, and
// else to the CPU's joiner.
const (
	maxNearest  = 1024 // K beyond which the CPU is used
	maxRounds   = 24
	sharedRound = 2       // rounds where rows that are left can go back
	restShare   = 200     // a round is not worth it for fewer than one in this many rows
	crowd       = 16      // times K neighbours, beyond which a row is crowded …
	leastCrowd  = 1 << 11 // … but not below these
	growth      = 4       // of the volume, from a round to the next
)

// A sharer is a Work that others take from too: rows that are given back come
// to them, and need not be done here whatever it costs.
type sharer interface{ Shared() bool }

// nearest carries out a Nearest plan.
func (j *Joiner) nearest(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	r := &nearestRun{j: j, p: p, visit: visit, session: &session{memory: memory{stream: j.prepare}, plan: p, used: &j.used}, points: memory{stream: j.prepare}}
	defer func() {
		_ = j.prepare.Do(func() error {
			r.session.release()
			r.points.release()
			return nil
		})
	}()
	if a, ok := work.(arranger); ok {
		if err := r.arrange(a); err != nil {
			return err
		}
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := work.Take(math.MaxInt, 0)
		if rows == nil {
			return nil
		}
		w, ok := work.(sharer)
		shared := ok && w.Shared()
		rest, err := r.rounds(ctx, rows, shared)
		if err == nil && len(rest) > 0 && !shared {
			// The CPU puts what it does not deliver back into a work of its own.
			own := neighbors.NewWork(rest, nil)
			err = neighbors.CPU{Threads: len(j.lanes)}.Visit(ctx, p, own, visit)
			rest = nil
			for left := own.Take(math.MaxInt, 0); left != nil; left = own.Take(math.MaxInt, 0) {
				rest = append(rest, left...)
			}
		}
		work.Put(rest)
		if err != nil {
			return err
		}
	}
}

// A nearestRun is a Nearest plan on the card.
type nearestRun struct {
	j       *Joiner
	p       *neighbors.Plan
	visit   func(worker int, b *neighbors.Batch) error
	session *session
	points  memory // the coordinates
	sides   [][]cuda.Buffer[float64]
	extents []extent
	radius  float64 // of the index; 0: there is none

	// Of the published search.
	least  float64 // ε_min; 0: not chosen yet
	search float64 // ε
}

// rounds delivers what joins within growing radii find, and returns the rows
// that are left.
func (r *nearestRun) rounds(ctx context.Context, rows []uint32, shared bool) (rest []uint32, err error) {
	k := r.p.Nearest().K
	there := r.p.DataLen()
	if r.p.Self() {
		there--
	}
	if k > min(there, maxNearest) {
		return rows, nil
	}
	if r.j.cfg.Linear {
		return r.linear(rows, shared, func() ([]uint32, []uint32, error) { return r.deliver(ctx) })
	}
	radius := startRadius(r.p, rows)
	if !(radius > 0) {
		return rows, nil
	}
	all := len(rows)
	most := maxRounds
	if shared {
		most = sharedRound
	}
	var crowded []uint32
	for range most {
		if len(rows) == 0 || len(rows) <= all/restShare {
			break
		}
		if err := r.j.prepare.Do(func() error { return r.hold(rows, radius) }); err != nil {
			return append(crowded, rows...), err
		}
		var many []uint32
		if rows, many, err = r.deliver(ctx); err != nil {
			return append(append(crowded, many...), rows...), err
		}
		crowded = append(crowded, many...)
		radius = r.radius * math.Pow(growth, 1/float64(len(r.extents)))
	}
	return append(crowded, rows...), nil
}

// arrange tells the work of the order of an index for all rows.
func (r *nearestRun) arrange(a arranger) error {
	if r.p.DataLen() == 0 {
		return nil
	}
	all := make([]uint32, r.p.Len())
	for i := range all {
		all[i] = uint32(i)
	}
	radius := startRadius(r.p, all)
	if !(radius > 0) {
		return nil
	}
	return r.j.prepare.Do(func() error {
		err := r.index(radius)
		if err != nil {
			return err
		}
		order, err := r.session.order()
		if err == nil {
			a.Arrange(order)
		}
		return err
	})
}

// nearEnough is by how much a radius may be off, in volume, before a new index
// is worth it.
const nearEnough = 2

// hold puts rows in hand, with their neighbours within about the radius
// counted. It must run on the preparing thread.
func (r *nearestRun) hold(rows []uint32, radius float64) error {
	if err := r.index(radius); err != nil {
		return err
	}
	return r.session.take(rows)
}

// index builds the index for about the radius, unless it is there.
func (r *nearestRun) index(radius float64) (err error) {
	s := r.session
	if r.sides == nil {
		if r.sides, r.extents, err = s.upload(&r.points); err != nil {
			return tooLarge(r.j.prepare, r.p, err)
		}
	}
	off := math.Pow(nearEnough, 1/float64(len(r.extents)))
	if r.radius > 0 && radius <= r.radius*off && radius >= r.radius/off {
		return nil
	}
	if r.radius > 0 {
		r.j.used.indexes.Add(1)
	}
	s.release()
	s.list, s.place = cuda.Buffer[uint32]{}, cuda.Buffer[uint32]{}
	s.t, r.radius = radius*radius, radius
	l := newLayout(r.extents, radius*slack, 1, r.p.QuerySpace().Side, values(r.p))
	if err := s.join.build(&s.memory, l, r.sides); err != nil {
		r.radius = 0
		return err
	}
	if err := into(&s.numbers, &s.memory, s.data.n); err != nil {
		r.radius = 0
		return err
	}
	p := positionsParams{Out: s.numbers.Ptr, N: uint32(s.data.n)}
	return cuda.Launch(s.stream, "positions", ceilDiv(s.data.n, 256), 256, 0, &p)
}

// deliver delivers the rows in hand that have K neighbours, and returns those
// that have fewer, or have not been delivered, and those that have too many.
func (r *nearestRun) deliver(ctx context.Context) (few, many []uint32, err error) {
	s, k := r.session, uint32(r.p.Nearest().K)
	tooMany := max(crowd*k, leastCrowd)
	left, err := drain(ctx, r.j.lanes, s.calm(r.j.room(s), tooMany), func(worker int, l *lane, sp span) (bool, error) {
		b, err := l.nearest(s, sp)
		if err != nil || len(b.Rows) == 0 {
			return true, err
		}
		return true, r.visit(worker, b)
	})
	undone := make(map[int]bool)
	for _, sp := range left {
		for i := sp.lo; i < sp.hi; i++ {
			undone[i] = true
		}
	}
	for i, row := range s.rows {
		switch n := s.found(i); {
		case n > tooMany:
			many = append(many, row)
		case n < k || len(undone) > 0 && undone[i]:
			few = append(few, row)
		}
	}
	return few, many, err
}

// calm cuts the entries into spans of at most room neighbours, leaving out
// entries that have too many.
func (s *session) calm(room uint64, tooMany uint32) []span {
	var spans []span
	for lo := 0; lo < len(s.rows); {
		if s.found(lo) > tooMany {
			lo++
			continue
		}
		hi := lo + 1
		for hi < len(s.rows) && s.found(hi) <= tooMany && s.offset[hi+1]-s.offset[lo] <= room {
			hi++
		}
		if s.offset[hi] > s.offset[lo] {
			spans = append(spans, span{lo, hi})
		}
		lo = hi
	}
	return spans
}

// startRadius guesses a radius within which most of the rows have K
// neighbours, from the distances of a sample of them to a sample of others; 0
// if there is nothing to go by. It decides how many rounds there are, not what
// they find.
func startRadius(p *neighbors.Plan, rows []uint32) float64 {
	m := p.DataLen()
	others := min(m, sampleOthers)
	some := min(len(rows), sampleRows)
	if others == 0 || some == 0 {
		return 0
	}
	dim := float64(p.QuerySpace().Dim())
	radii := make([]float64, some)
	par.Chunks(par.Threads(0), some, func(_, lo, hi int) {
		var d2 []float64
		for a := lo; a < hi; a++ {
			row := rows[uint64(a)*uint64(len(rows))/uint64(some)]
			d2 = d2[:0]
			for b := range others {
				other := uint32(uint64(b) * uint64(m) / uint64(others))
				if d := p.SquaredDistance(row, other); d > 0 && !(p.Self() && other == row) {
					d2 = append(d2, d)
				}
			}
			slices.Sort(d2)
			// The volume up to the n-th nearest of the sample holds n of it.
			if n := min(sampleNearest, len(d2)); n > 0 {
				share := float64(p.Nearest().K) * float64(others) / (float64(m) * float64(n))
				radii[a] = math.Sqrt(d2[n-1]) * math.Pow(max(share, 0), 1/dim)
			}
		}
	})
	radii = slices.DeleteFunc(radii, func(r float64) bool { return r == 0 })
	if len(radii) == 0 {
		return 0
	}
	slices.Sort(radii)
	r := radii[len(radii)/2] * math.Pow(spare, 1/dim)
	if r < 0x1p-400 || r > 0x1p400 { // squares must neither vanish nor overflow
		return 0
	}
	return r
}

const (
	sampleRows    = 256
	sampleOthers  = 2048
	sampleNearest = 3   // of the sampled others, to estimate the density by
	spare         = 1.7 // times the volume that holds K on average
)

// nearest lists the neighbours of a span and brings the K nearest of those
// rows to the host that have as many.
func (l *lane) nearest(s *session, sp span) (*neighbors.Batch, error) {
	k := s.plan.Nearest().K
	base := s.offset[sp.lo]
	n, m := int(s.offset[sp.hi]-base), sp.hi-sp.lo
	err := l.st.Do(func() error {
		err := firstError(grow(l.st, &l.out, n), grow(l.st, &l.d2, n), grow(l.st, &l.rowOut, m*k),
			grow(l.st, &l.distOut, m*k), growPinned(l.st, &l.pinned, m*k), growPinned(l.st, &l.pinnedDist, m*k))
		if err != nil {
			return err
		}
		offset := s.offsetD.Slice(sp.lo, sp.hi+1)
		p := nearestParams{Query: s.query.params(), Data: s.data.params(), List: s.list.Ptr, Offset: offset.Ptr, Found: l.out.Ptr, D2: l.d2.Ptr,
			RowOut: l.rowOut.Ptr, DistOut: l.distOut.Ptr, Base: base, Lo: uint32(sp.lo), Hi: uint32(sp.hi), K: uint32(k)}
		kernel := "nearest_%d"
		if s.box != nil {
			p.Box = *s.box
			kernel = "nearest_wrapped_%d"
		}
		return firstError(
			s.fillPositions(l.st, s.list, sp.lo, sp.hi, offset, base, l.out, s.numbers),
			cuda.Launch(l.st, fmt.Sprintf(kernel, s.data.dim), ceilDiv(m, 4), 128, 0, &p),
			l.watch.transfer(l.st, func() error {
				return firstError(cuda.Download(l.st, l.pinned[:m*k], l.rowOut), cuda.Download(l.st, l.pinnedDist[:m*k], l.distOut))
			}))
	})
	if err != nil {
		return nil, err
	}
	return l.ranked(s, sp), nil
}

// ranked makes a batch of what the lane has brought to the host for a span,
// without moving it as long as no row has to be left out.
func (l *lane) ranked(s *session, sp span) *neighbors.Batch {
	k := s.plan.Nearest().K
	b := &l.near
	b.Rows, b.Offset = b.Rows[:0], append(b.Offset[:0], 0)
	for i := range sp.hi - sp.lo {
		if s.found(sp.lo+i) < uint32(k) {
			continue
		}
		if at := len(b.Rows); at < i {
			copy(l.pinned[at*k:(at+1)*k], l.pinned[i*k:(i+1)*k])
			copy(l.pinnedDist[at*k:(at+1)*k], l.pinnedDist[i*k:(i+1)*k])
		}
		b.Rows = append(b.Rows, s.rows[sp.lo+i])
		b.Offset = append(b.Offset, int64(len(b.Rows)*k))
	}
	n := len(b.Rows) * k
	b.Index, b.Dist = l.pinned[:n:n], l.pinnedDist[:n:n]
	if s.plan.IsAngle() {
		for i, r := range b.Rows {
			for c, q := range b.List(i) {
				b.Dist[i*k+c] = s.plan.Distance(r, q)
			}
		}
	}
	return b
}
