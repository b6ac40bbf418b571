//go:build cuda && linux

package gpu

import (
	"fmt"
	"math/bits"
	"slices"

	"skyjoin/internal/costmodel"
	"skyjoin/internal/cuda"
)

const patternThreads = 256

// The result is estimated from a part of the queries, with a margin for what the
// sample does not show. A batch that overflows nevertheless is split.
const sampleMargin = 1.05

// A pattern is a published kernel, set up for the current rows of a session.
type pattern struct {
	memory
	s        *session
	cfg      Config
	half     bool
	works    bool // whether entries are ordered by work
	p        patternParams
	order    cuda.Buffer[uint32] // position of each entry
	rows     []uint32            // row of each entry
	place    []uint32            // position of each entry, in the order of the work queue
	capacity uint64              // of a batch, in pairs
	cells    uint32              // around a cell; a half pattern by number looks only at the first of them
}

// newPattern sets up the configured kernel for the current rows.
func (s *session) newPattern(cfg Config) (*pattern, error) {
	pt := &pattern{memory: memory{stream: s.stream}, s: s, cfg: cfg}
	if cfg.Pattern.half() && len(s.rows) < s.plan.Len() {
		return pt, cfg.Pattern.refused("some rows alone")
	}
	q := begin(s.stream)
	defer q.end()
	pt.setUp(q)
	if q.err != nil {
		pt.release()
	}
	return pt, q.err
}

func (pt *pattern) setUp(q *sequence) {
	s := pt.s
	pt.cells = 1
	pt.half = pt.cfg.Pattern.half()
	pt.p = patternParams{Query: s.query.params(), Data: s.data.params(), T: s.t, Step: 1, K: uint32(pt.cfg.Threads), Ncell: 1,
		Self: number(s.self), Half: number(pt.half)}
	if s.box != nil {
		pt.p.Box = *s.box
	}
	if pt.cfg.Pattern != PatternBrute {
		pt.steps(q)
	}
	pt.sort(q, 0)
}

// steps uploads the steps to the cells that a query looks at, followed by those that
// the pattern leaves out.
func (pt *pattern) steps(q *sequence) {
	l := &pt.s.layout
	g := l.geometry(q, &pt.memory)
	steps := l.steps(&g, len(l.axes))
	var keys []int64
	var first []uint8
	var needs []uint32
	pt.cells, pt.p.Ncell = uint32(len(steps)), uint32(len(steps))
	if pt.half && pt.cfg.Pattern == PatternLIDUnicomp {
		behind := func(s step) bool { return s.key < 0 }
		ahead := slices.DeleteFunc(slices.Clone(steps), behind)
		steps = append(ahead, slices.DeleteFunc(steps, func(s step) bool { return !behind(s) })...)
		pt.p.Ncell = uint32(len(ahead))
	}
	for _, s := range steps {
		keys = append(keys, s.key)
		first = append(first, uint8(s.first))
		need := uint32(0)
		for j := range l.axes {
			need |= 1 << (3*j + int(s.by[j]) + 1)
		}
		needs = append(needs, need)
	}
	pt.p.Cells, pt.p.Axes = table(q, &pt.memory, keys).Ptr, uint32(len(l.axes))
	if pt.half && pt.cfg.Pattern == PatternUnicomp {
		pt.p.First = table(q, &pt.memory, first).Ptr
	}
	bits := uint64(0)
	for i := range l.axes {
		pt.p.Stride[i], pt.p.Size[i], pt.p.MaskAt[i] = g.Stride[i], l.padded(&l.axes[i]), bits
		bits = min(bits+pt.p.Size[i], mostMaskBits+1)
	}
	pt.masks(q, bits, needs)
}

// mostMaskBits is how many cells along the axes masks are for: 128 MiB.
const mostMaskBits = 1 << 30

// masks marks the numbers of cells along each axis that non-empty cells have: the
// masking arrays of GPU-SJ (§3.3), which bound the cells that are looked up.
func (pt *pattern) masks(q *sequence, bits uint64, needs []uint32) {
	if bits == 0 || bits > mostMaskBits {
		return
	}
	words := kept[uint32](q, &pt.memory, int(bits+31)/32)
	fill(q, words, 0)
	pt.p.Masks, pt.p.Needs = words.Ptr, table(q, &pt.memory, needs).Ptr
	p := pt.p // a copy: cgo looks for Go pointers around an argument
	each(q, "pattern_masks", pt.s.data.cells, &p)
}

// sort orders the entries. With batches, rows are dealt out to them in turn, and
// each batch is ordered.
func (pt *pattern) sort(q *sequence, batches int) {
	s := pt.s
	n := len(s.rows)
	p := workParams{Query: pt.p.Query, Data: pt.p.Data, List: s.list.Ptr, Entries: uint32(n), Batches: uint32(batches)}
	if pt.cfg.Order != OrderNone {
		p.Work, p.Sorted = temp[uint32](q, s.query.cells).Ptr, 1
		pt.works = true
		each(q, "pattern_work", s.query.cells, &p)
	}
	v := newSortable(q, n)
	p.Keys, p.Values = v.keys.Ptr, v.values.Ptr
	each(q, "pattern_keys", n, &p)
	newSorter(q, n).sort(v, n, 32+bits.Len(uint(max(batches, 1)-1)), false)
	if pt.order.N == 0 {
		pt.order = kept[uint32](q, &pt.memory, n)
	}
	pt.p.Order = pt.order.Ptr
	id, order := make([]uint32, s.query.n), make([]uint32, n)
	copyTo(q, pt.order, v.values)
	pull(q, id, s.query.id)
	pull(q, order, v.values)
	if q.sync() != nil {
		return
	}
	if pt.cfg.Order == OrderWorkQueue {
		pt.place = slices.Clone(order)
	}
	pt.rows = order
	for e, i := range order {
		pt.rows[e] = id[i]
	}
}

// launch runs the kernel over the entries lo, lo+step, … below hi, and returns its
// parameters. next is a cell for the work queue.
func (pt *pattern) launch(q *sequence, kind string, p patternParams, lo, hi, step int, next cuda.Buffer[uint32]) patternParams {
	if hi <= lo {
		return p
	}
	p.Lo, p.Step, p.Queries = uint32(lo), uint32(step), uint32(ceilDiv(hi-lo, step))
	if pt.cfg.Order == OrderWorkQueue {
		p.Next = next.Ptr
		fill(q, next, 0)
	}
	if pt.s.box != nil {
		kind += "_wrapped"
	}
	blocks := ceilDiv(int(p.Queries)*int(p.K), patternThreads)
	launch(q, fmt.Sprintf("pattern_%s_%d", kind, pt.s.data.dim), blocks, patternThreads, 0, &p)
	return p
}

// whole returns the parameters of the full pattern, whose results are as many as
// those of a half pattern that reports both directions of each pair.
func (pt *pattern) whole() patternParams {
	p := pt.p
	p.Half, p.First, p.Ncell = 0, 0, pt.cells
	return p
}

// sample counts the neighbours of a part of the entries, in their order.
func (pt *pattern) sample(q *sequence) *costmodel.Sample {
	n, step := len(pt.rows), costmodel.Step(len(pt.rows))
	count := zeros[uint32](q, pt.s.query.n)
	p := pt.whole()
	p.Count = count.Ptr
	found := make([]uint32, pt.s.query.n)
	pt.launch(q, "count", p, 0, n, step, temp[uint32](q, 1))
	pull(q, found, count)
	_ = q.sync() // err is that of the sequence
	s := &costmodel.Sample{Queries: n, Step: step}
	for e := 0; e < n; e += step {
		s.Found = append(s.Found, found[pt.place[e]])
	}
	return s
}

// estimate returns how many neighbours all entries are expected to have, from those of
// one in a hundred, or in the order of the work queue, as LBJOIN does (§III-D), of the
// first hundredth, whose rows have the most work: no batch has more than its first.
func (pt *pattern) estimate(q *sequence) uint64 {
	n, step := len(pt.rows), costmodel.Step(len(pt.rows))
	sampled, hi := ceilDiv(n, step), n
	if pt.cfg.Order == OrderWorkQueue {
		hi, step = sampled, 1
	}
	total := zeros[uint64](q, 1)
	p := pt.whole()
	p.Total = total.Ptr
	pt.launch(q, "count", p, 0, hi, step, temp[uint32](q, 1))
	return uint64(float64(first(q, total)) * (float64(n) / float64(sampled)) * sampleMargin)
}

// counts returns the number of neighbours of all current rows by position; it lives
// as long as m.
func (pt *pattern) counts(q *sequence, m *memory) cuda.Buffer[uint32] {
	count := kept[uint32](q, m, pt.s.query.n)
	fill(q, count, 0)
	p := pt.p
	p.Count = count.Ptr
	pt.ran(pt.launch(q, "count", p, 0, len(pt.rows), 1, temp[uint32](q, 1)))
	return count
}

// ran records how the kernel was launched.
func (pt *pattern) ran(p patternParams) {
	l := Launched{Pattern: PatternFull, Threads: int(p.K), Order: OrderNone}
	switch {
	case p.Half != 0 && p.First != 0:
		l.Pattern = PatternUnicomp
	case p.Half != 0:
		l.Pattern = PatternLIDUnicomp
	case p.Cells == 0:
		l.Pattern = PatternBrute
	}
	switch {
	case p.Next != 0:
		l.Order = OrderWorkQueue
	case pt.works:
		l.Order = OrderSortByWL
	}
	pt.s.used.launched(l)
}
