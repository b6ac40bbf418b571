//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// Nearest neighbours come in rounds of joins within a growing radius: a row is
// done in the first round in which it has at least K neighbours, the K nearest
// of which are then the answer. Rows that the rounds leave, and those that
// have very many neighbours at once, go to the CPU's joiner.
const (
	maxNearest   = 1024 // K beyond which the CPU is used
	maxRounds    = 24
	restShare    = 200     // a round is not worth it for fewer than one in this many rows
	crowd        = 16      // times K neighbours, beyond which a row is crowded …
	leastCrowd   = 1 << 11 // … but not below these
	sampleRows   = 256
	sampleOthers = 2048
)

// nearest carries out a Nearest plan.
func (j *Joiner) nearest(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(worker int, b *neighbors.Batch) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := work.Take(math.MaxInt, 0)
		if rows == nil {
			return nil
		}
		rest, err := j.rounds(ctx, p, rows, visit)
		if err == nil && len(rest) > 0 {
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

// rounds delivers what joins within growing radii find, and returns the rows
// that are left.
func (j *Joiner) rounds(ctx context.Context, p *neighbors.Plan, rows []uint32, visit func(worker int, b *neighbors.Batch) error) (rest []uint32, err error) {
	k := p.Nearest().K
	there := p.DataLen()
	if p.Self() {
		there--
	}
	radius := startRadius(p)
	if k > min(there, maxNearest) || !(radius > 0) {
		return rows, nil
	}
	s := &session{memory: memory{stream: j.prepare}, plan: p}
	points := &memory{stream: j.prepare}
	var sides [][]cuda.Buffer[float64]
	var e []extent
	defer func() {
		_ = j.prepare.Do(func() error {
			s.release()
			points.release()
			return nil
		})
	}()
	if err := j.prepare.Do(func() (err error) { sides, e, err = s.upload(points); return tooLarge(j.prepare, p, err) }); err != nil {
		return rows, err
	}
	all := len(rows)
	var crowded []uint32
	for range maxRounds {
		if len(rows) <= all/restShare {
			break
		}
		err := j.prepare.Do(func() error {
			s.release()
			s.list, s.place = cuda.Buffer[uint32]{}, cuda.Buffer[uint32]{}
			s.t = radius * radius
			l := newLayout(e, radius*slack, 1, p.QuerySpace().Side, values(p))
			if err := s.join.build(&s.memory, l, sides); err != nil {
				return err
			}
			if err := into(&s.numbers, &s.memory, s.data.n); err != nil {
				return err
			}
			p := positionsParams{Out: s.numbers.Ptr, N: uint32(s.data.n)}
			if err := cuda.Launch(s.stream, "positions", ceilDiv(s.data.n, 256), 256, 0, &p); err != nil {
				return err
			}
			return s.take(rows)
		})
		if err != nil {
			return append(crowded, rows...), err
		}
		tooMany := uint32(max(crowd*k, leastCrowd))
		left, err := drain(ctx, j.lanes, s.calm(j.room(s), tooMany), func(worker int, l *lane, sp span) (bool, error) {
			b, err := l.nearest(s, sp)
			if err != nil || len(b.Rows) == 0 {
				return true, err
			}
			return true, visit(worker, b)
		})
		undone := make(map[int]bool)
		for _, sp := range left {
			for i := sp.lo; i < sp.hi; i++ {
				undone[i] = true
			}
		}
		rows = nil
		for i, r := range s.rows {
			switch n := s.found(i); {
			case n > tooMany:
				crowded = append(crowded, r)
			case n < uint32(k) || undone[i]:
				rows = append(rows, r)
			}
		}
		if err != nil {
			return append(crowded, rows...), err
		}
		radius *= math.Pow(4, 1/float64(len(e)))
	}
	return append(crowded, rows...), nil
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

// startRadius guesses a radius within which some rows have K neighbours, from
// the nearest of a sample of others; 0 if there is nothing to go by. It
// decides how many rounds there are, not what they find.
func startRadius(p *neighbors.Plan) float64 {
	n, m := p.Len(), p.DataLen()
	sampled := min(m, sampleOthers)
	var nearest []float64
	for a := range min(n, sampleRows) {
		row := uint32(a * (n / min(n, sampleRows)))
		best := math.Inf(1)
		for b := range sampled {
			other := uint32(b * (m / sampled))
			if p.Self() && other == row {
				continue
			}
			if d2 := p.SquaredDistance(row, other); d2 > 0 && d2 < best {
				best = d2
			}
		}
		if !math.IsInf(best, 1) {
			nearest = append(nearest, best)
		}
	}
	if len(nearest) == 0 {
		return 0
	}
	slices.Sort(nearest)
	share := 1.5 * float64(p.Nearest().K) * float64(sampled) / float64(m)
	r := math.Sqrt(nearest[len(nearest)/4]) * math.Pow(share, 1/float64(p.QuerySpace().Dim()))
	if r < 0x1p-400 || r > 0x1p400 { // squares must neither vanish nor overflow
		return 0
	}
	return r
}

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
			cuda.Download(l.st, l.pinned[:m*k], l.rowOut),
			cuda.Download(l.st, l.pinnedDist[:m*k], l.distOut),
			l.st.Sync())
	})
	if err != nil {
		return nil, err
	}
	b := &l.batch
	b.Rows, b.Offset, b.Index, b.Dist = nil, b.Offset[:0], b.Index[:0], b.Dist[:0]
	b.Offset = append(b.Offset, 0)
	b.Index = nil // was pinned memory
	for i := range m {
		if s.found(sp.lo+i) < uint32(k) {
			continue
		}
		r := s.rows[sp.lo+i]
		b.Rows = append(b.Rows, r)
		list := l.pinned[i*k : (i+1)*k]
		b.Index = append(b.Index, list...)
		if s.plan.IsAngle() {
			for _, q := range list {
				b.Dist = append(b.Dist, s.plan.Distance(r, q))
			}
		} else {
			b.Dist = append(b.Dist, l.pinnedDist[i*k:(i+1)*k]...)
		}
		b.Offset = append(b.Offset, int64(len(b.Index)))
	}
	return b, nil
}
