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
// that sparse rows need few rounds. Rows that have very many neighbours at once
// begin again with a radius of their own. Where others share the work, rows that
// two rounds leave go back; what is left of many rounds, such as points that all
// coincide, is left to the CPU's joiner.
const (
	maxNearest  = 1024 // K beyond which the CPU is used
	maxRounds   = 24
	sharedRound = 2       // rounds where rows that are left can go back
	restShare   = 200     // a round is not worth it for fewer than one in this many rows
	crowd       = 16      // times K neighbours, beyond which a row is crowded …
	leastCrowd  = 1 << 11 // … but not below these
	growth      = 4       // of the volume, from a round to the next
	maxGroups   = 6       // times that crowded rows begin again
	nearestRoom = 4 << 20 // neighbours of a batch: little to pin, enough to keep a card busy
	leastBatch  = 1 << 14 // neighbours that are worth a batch, rather than moved

	nearestBytes = 2 * (4 + 8) // on the card for a neighbour found and one returned
)

// A sharer is a Work that others take from too: rows that are given back come
// to them, and need not be done here whatever it costs.
type sharer interface{ Shared() bool }

// nearest carries out a Nearest plan.
func (j *Joiner) nearest(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	r := &nearestRun{j: j, p: p, visit: visit, session: &session{memory: memory{stream: j.prepare}, plan: p, used: &j.used, kept: j.keep()}, points: memory{stream: j.prepare}}
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
	for range maxGroups {
		few, many, err := r.grow(ctx, rows, shared)
		rest = append(rest, few...)
		if err != nil || shared || len(many) == 0 || len(many) == len(rows) {
			return append(rest, many...), err
		}
		rows = many // which have a smaller radius of their own
	}
	return append(rest, rows...), nil
}

// grow delivers what joins within growing radii find, the first of them that
// of the rows, and returns the rows that have too few neighbours still, and
// those that have too many.
func (r *nearestRun) grow(ctx context.Context, rows []uint32, shared bool) (few, crowded []uint32, err error) {
	all, most, radius := len(rows), maxRounds, 0.0
	if shared {
		most = sharedRound
	}
	for range most {
		if len(rows) == 0 || shared && len(rows) <= all/restShare {
			break
		}
		// What is left is sparser than what it was left of.
		if radius = max(radius, startRadius(r.p, rows)); !(radius > 0) {
			break
		}
		if err := r.j.prepare.Do(func() error { return r.hold(rows, radius) }); err != nil {
			return rows, crowded, err
		}
		var many []uint32
		rows, many, err = r.deliver(ctx)
		crowded = append(crowded, many...)
		if err != nil {
			break
		}
		radius = r.radius * math.Pow(growth, 1/float64(len(r.extents)))
	}
	return rows, crowded, err
}

// arrange tells the work of the order of an index for all rows.
func (r *nearestRun) arrange(a arranger) error {
	if r.p.DataLen() == 0 {
		return nil
	}
	radius := startRadius(r.p, nil)
	if !(radius > 0) {
		return nil
	}
	return r.j.prepare.Do(func() error {
		err := r.index(radius)
		if err != nil {
			return err
		}
		order, err := r.session.ordered()
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

// upload brings the coordinates to the card, unless they are there.
func (r *nearestRun) upload() (err error) {
	if r.sides == nil {
		if r.sides, r.extents, err = r.session.upload(&r.points); err != nil {
			return tooLarge(r.j.prepare, r.p, err)
		}
	}
	return nil
}

// index builds the index for about the radius, unless it is there.
func (r *nearestRun) index(radius float64) error {
	s := r.session
	if err := r.upload(); err != nil {
		return err
	}
	off := math.Pow(nearEnough, 1/float64(len(r.extents)))
	if r.radius > 0 && radius <= r.radius*off && radius >= r.radius/off {
		return nil
	}
	if r.radius > 0 {
		r.j.used.indexes.Add(1)
	}
	s.release()
	s.list, s.place, s.order = cuda.Buffer[uint32]{}, cuda.Buffer[uint32]{}, nil
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
	room := min(r.j.room(s, nearestRoom), r.j.batch(nearestRoom), r.j.spare())
	left, err := drain(ctx, r.j.lanes, s.calm(room, tooMany, k), nil, func(worker int, l *lane, sp *span) (bool, error) {
		if err := l.nearest(s, *sp, int(room)); err != nil {
			return true, err
		}
		return true, l.ranked(s, *sp, func(b *neighbors.Batch) error { return r.visit(worker, b) })
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

// spare is the number of neighbours that batches of the nearest have memory for
// on every lane: what lanes hold already, or half of what is free.
func (j *Joiner) spare() uint64 {
	held := j.lanes[0].distOut.N
	for _, l := range j.lanes {
		held = min(held, l.distOut.N)
	}
	free, _, err := j.ctx.Free()
	if err != nil {
		return nearestRoom
	}
	return uint64(max(held, int(free/2/nearestBytes/int64(len(j.lanes))), 1))
}

// calm cuts the entries into spans that have at most room neighbours, and are
// asked for no more, leaving out entries that have too many.
func (s *session) calm(room uint64, tooMany, k uint32) []span {
	most := max(int(room/uint64(k)), 1)
	var spans []span
	for lo := 0; lo < len(s.rows); {
		if s.found(lo) > tooMany {
			lo++
			continue
		}
		hi := lo + 1
		for hi < len(s.rows) && hi-lo < most && s.found(hi) <= tooMany && s.offset[hi+1]-s.offset[lo] <= room {
			hi++
		}
		if s.offset[hi] > s.offset[lo] {
			spans = append(spans, span{lo, hi})
		}
		lo = hi
	}
	return spans
}

// startRadius guesses a radius within which most of the rows, nil for all, have K
// neighbours, from the distances of a sample of them to a sample of others; 0
// if there is nothing to go by. It decides how many rounds there are, not what
// they find.
func startRadius(p *neighbors.Plan, rows []uint32) float64 {
	m, n := p.DataLen(), len(rows)
	if rows == nil {
		n = p.Len()
	}
	others := min(m, sampleOthers)
	some := min(n, sampleRows)
	if others == 0 || some == 0 {
		return 0
	}
	dim := float64(p.QuerySpace().Dim())
	radii := make([]float64, some)
	par.Chunks(par.Threads(0), some, func(_, lo, hi int) {
		for a := lo; a < hi; a++ {
			row := uint32(uint64(a) * uint64(n) / uint64(some))
			if rows != nil {
				row = rows[row]
			}
			var near [sampleNearest]float64 // d² of the nearest, in order
			n := 0
			for b := range others {
				other := uint32(uint64(b) * uint64(m) / uint64(others))
				d := p.SquaredDistance(row, other)
				if d == 0 || n == sampleNearest && d >= near[n-1] || p.Self() && other == row {
					continue
				}
				n = min(n+1, sampleNearest)
				i := n - 1
				for ; i > 0 && near[i-1] > d; i-- {
					near[i] = near[i-1]
				}
				near[i] = d
			}
			// The volume up to the n-th nearest of the sample holds n of it.
			if n > 0 {
				share := float64(p.Nearest().K) * float64(others) / (float64(m) * float64(n))
				radii[a] = math.Sqrt(near[n-1]) * math.Pow(max(share, 0), 1/dim)
			}
		}
	})
	radii = slices.DeleteFunc(radii, func(r float64) bool { return r == 0 })
	if len(radii) == 0 {
		return 0
	}
	slices.Sort(radii)
	r := radii[len(radii)/2] * math.Pow(spare(p.Nearest().K), 1/dim)
	if r < 0x1p-400 || r > 0x1p400 { // squares must neither vanish nor overflow
		return 0
	}
	return r
}

const (
	sampleRows    = 256
	sampleOthers  = 2048
	sampleNearest = 3 // of the sampled others, to estimate the density by
)

// spare is how many times the volume that holds K on average is searched, such
// that in evenly spread points hardly any has fewer: they are as many as in a
// Poisson distribution, three standard deviations of which are left, and the
// median of what the sample says is a tenth below the mean.
func spare(k int) float64 { return 1.12 * (1 + 3.2/math.Sqrt(float64(k))) }

// nearest lists the neighbours of a span and brings the K nearest of those
// rows to the host that have as many. Memory is taken for spans of that room.
func (l *lane) nearest(s *session, sp span, room int) error {
	k := s.plan.Nearest().K
	base := s.offset[sp.lo]
	n, m := int(s.offset[sp.hi]-base), sp.hi-sp.lo
	listed, asked := max(n, room), max(m*k, room)
	return l.st.Do(func() error {
		err := firstError(grow(l.st, &l.out, listed), grow(l.st, &l.d2, listed), grow(l.st, &l.rowOut, asked),
			grow(l.st, &l.distOut, asked), growPinned(l.st, &l.pinned, asked), growPinned(l.st, &l.pinnedDist, asked))
		if err != nil {
			return err
		}
		offset := s.offsetD.Slice(sp.lo, sp.hi+1)
		p := nearestParams{Query: s.query.params(), Data: s.data.params(), List: s.list.Ptr, Offset: offset.Ptr, Found: l.out.Ptr, D2: l.d2.Ptr,
			RowOut: l.rowOut.Ptr, DistOut: l.distOut.Ptr, Base: base, Lo: uint32(s.first + sp.lo), Hi: uint32(s.first + sp.hi), K: uint32(k)}
		kernel := "nearest_%d"
		if s.box != nil {
			p.Box = *s.box
			kernel = "nearest_wrapped_%d"
		}
		return firstError(
			s.fillPositions(l.st, s.list, s.first+sp.lo, s.first+sp.hi, offset, base, l.out, s.numbers),
			cuda.Launch(l.st, fmt.Sprintf(kernel, s.data.dim), ceilDiv(m, 4), 128, 0, &p),
			l.watch.transfer(l.st, func() error {
				return firstError(cuda.Download(l.st, l.pinned[:m*k], l.rowOut), cuda.Download(l.st, l.pinnedDist[:m*k], l.distOut))
			}))
	})
}

// ranked passes on what the lane has brought to the host for a span: rows that
// follow each other where they are, and those between rows that are left out
// moved together.
func (l *lane) ranked(s *session, sp span, visit func(*neighbors.Batch) error) error {
	k := s.plan.Nearest().K
	b := &l.near
	begin := 0 // place of the first row of the batch
	b.Rows, b.Offset = b.Rows[:0], append(b.Offset[:0], 0)
	flush := func(next int) error {
		lo, hi := begin*k, (begin+len(b.Rows))*k
		b.Index, b.Dist = l.pinned[lo:hi:hi], l.pinnedDist[lo:hi:hi]
		if s.plan.IsAngle() {
			for i, r := range b.Rows {
				for c, q := range b.List(i) {
					b.Dist[i*k+c] = s.plan.Distance(r, q)
				}
			}
		}
		var err error
		if len(b.Rows) > 0 {
			err = visit(b)
		}
		begin, b.Rows, b.Offset = next, b.Rows[:0], b.Offset[:1]
		return err
	}
	for i := range sp.hi - sp.lo {
		if s.found(sp.lo+i) < uint32(k) {
			if len(b.Rows) == 0 || len(b.Rows)*k >= leastBatch {
				if err := flush(i + 1); err != nil {
					return err
				}
			}
			continue
		}
		if at := begin + len(b.Rows); at < i {
			copy(l.pinned[at*k:(at+1)*k], l.pinned[i*k:(i+1)*k])
			copy(l.pinnedDist[at*k:(at+1)*k], l.pinnedDist[i*k:(i+1)*k])
		}
		b.Rows = append(b.Rows, s.rows[sp.lo+i])
		b.Offset = append(b.Offset, int64(len(b.Rows)*k))
	}
	return flush(0)
}
