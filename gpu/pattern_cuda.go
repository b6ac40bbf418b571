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

// The estimate of the result: a share of the queries, and a margin for what
// the sample does not show. A batch that overflows all the same is split.
const (
	sampleShare  = 100
	sampleMargin = 1.05
)

// A pattern is a published kernel, set up for the rows in hand of a session.
type pattern struct {
	memory
	s     *session
	cfg   Config
	half  bool
	p     patternParams
	order cuda.Buffer[uint32] // position of each entry
	rows  []uint32            // row of each entry
	place []uint32            // position of each entry, in the order of the work queue
	cells uint32              // around one; a half pattern by number looks at the first of them only
}

// newPattern sets up the configured kernel for the rows in hand.
func (s *session) newPattern(cfg Config) (*pattern, error) {
	pt := &pattern{memory: memory{stream: s.stream}, s: s, cfg: cfg}
	if err := pt.setUp(); err != nil {
		pt.release()
		return nil, err
	}
	return pt, nil
}

func (pt *pattern) setUp() error {
	s := pt.s
	pt.cells = 1
	pt.half = pt.cfg.Pattern.half() && s.self && s.box == nil && len(s.rows) == s.plan.Len()
	pt.p = patternParams{Query: s.query.params(), Data: s.data.params(), T: s.t, Step: 1, K: uint32(pt.cfg.Threads), Ncell: 1}
	if s.box != nil {
		pt.p.Box = *s.box
	}
	if s.self {
		pt.p.Self = 1
	}
	if pt.half {
		pt.p.Half = 1
	}
	if pt.cfg.Pattern != PatternBrute {
		if err := pt.steps(); err != nil {
			return err
		}
	}
	return pt.sort(0)
}

// steps uploads the steps to the cells that a query looks at, and behind them
// those that the pattern leaves out.
func (pt *pattern) steps() error {
	l := &pt.s.layout
	g, err := l.geometry(&pt.memory)
	if err != nil {
		return err
	}
	steps := l.steps(&g, len(l.axes))
	var keys []int64
	var first []uint8
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
	}
	var cells cuda.Buffer[int64]
	if err := firstError(into(&cells, &pt.memory, len(keys))); err != nil {
		return err
	}
	if err := cuda.Upload(pt.stream, cells, keys); err != nil {
		return err
	}
	pt.p.Cells = cells.Ptr
	if !pt.half || pt.cfg.Pattern != PatternUnicomp {
		return nil
	}
	var firsts cuda.Buffer[uint8]
	if err := into(&firsts, &pt.memory, len(first)); err != nil {
		return err
	}
	pt.p.First, pt.p.Axes = firsts.Ptr, uint32(len(l.axes))
	for i := range l.axes {
		pt.p.Stride[i], pt.p.Size[i] = g.Stride[i], l.padded(&l.axes[i])
	}
	return cuda.Upload(pt.stream, firsts, first)
}

// sort puts the entries in order. With batches they are dealt out by row, and
// each batch is in order.
func (pt *pattern) sort(batches int) error {
	s, st := pt.s, pt.stream
	n := len(s.rows)
	scratch := &memory{stream: st}
	defer scratch.release()
	wp := workParams{Query: pt.p.Query, Data: pt.p.Data, List: s.list.Ptr, Entries: uint32(n), Batches: uint32(batches)}
	if pt.cfg.Order != OrderNone {
		var work cuda.Buffer[uint32]
		if err := into(&work, scratch, s.query.cells); err != nil {
			return err
		}
		wp.Work, wp.Sorted = work.Ptr, 1
		if err := launchEach(st, "pattern_work", s.query.cells, &wp); err != nil {
			return err
		}
	}
	var keys, keys2 cuda.Buffer[uint64]
	var values, values2 cuda.Buffer[uint32]
	err := firstError(into(&keys, scratch, n), into(&keys2, scratch, n), into(&values, scratch, n), into(&values2, scratch, n))
	if err != nil {
		return err
	}
	wp.Keys, wp.Values = keys.Ptr, values.Ptr
	if err := launchEach(st, "pattern_keys", n, &wp); err != nil {
		return err
	}
	sorter, err := newSorter(scratch, n)
	if err != nil {
		return err
	}
	_, sorted, err := sorter.sort(st, keys, keys2, values, values2, n, 32+bits.Len(uint(max(batches, 1)-1)), false)
	if err != nil {
		return err
	}
	if pt.order.N == 0 {
		if err := into(&pt.order, &pt.memory, n); err != nil {
			return err
		}
	}
	pt.p.Order = pt.order.Ptr
	id, order := make([]uint32, s.query.n), make([]uint32, n)
	err = firstError(cuda.Copy(st, pt.order, sorted), cuda.Download(st, id, s.query.id), cuda.Download(st, order, sorted), st.Sync())
	if err != nil {
		return err
	}
	if pt.cfg.Order == OrderWorkQueue {
		pt.place = slices.Clone(order)
	}
	pt.rows = order
	for e, i := range order {
		pt.rows[e] = id[i]
	}
	return nil
}

// launch runs the kernel over entries lo, lo+step, … below hi. next is a cell
// for the work queue.
func (pt *pattern) launch(st *cuda.Stream, kind string, p patternParams, lo, hi, step int, next cuda.Buffer[uint32]) error {
	if hi <= lo {
		return nil
	}
	p.Lo, p.Step, p.Queries = uint32(lo), uint32(step), uint32(ceilDiv(hi-lo, step))
	if pt.cfg.Order == OrderWorkQueue {
		p.Next = next.Ptr
		if err := cuda.Clear(st, next, 0); err != nil {
			return err
		}
	}
	if pt.s.box != nil {
		kind += "_wrapped"
	}
	blocks := ceilDiv(int(p.Queries)*int(p.K), patternThreads)
	return cuda.Launch(st, fmt.Sprintf("pattern_%s_%d", kind, pt.s.data.dim), blocks, patternThreads, 0, &p)
}

// whole is the parameters of the full pattern, whose results are as many as
// those of a half pattern that reports both of each pair.
func (pt *pattern) whole() patternParams {
	p := pt.p
	p.Half, p.First, p.Ncell = 0, 0, pt.cells
	return p
}

// sampleStep is how many entries there are for each of the sample.
func (pt *pattern) sampleStep() int { return max(min(sampleShare, len(pt.rows)/sampleShare), 1) }

// sample counts the neighbours of a share of the entries, in their order.
func (pt *pattern) sample() (*costmodel.Sample, error) {
	n, step := len(pt.rows), pt.sampleStep()
	scratch := &memory{stream: pt.stream}
	defer scratch.release()
	var count, next cuda.Buffer[uint32]
	if err := firstError(into(&count, scratch, pt.s.query.n), into(&next, scratch, 1)); err != nil {
		return nil, err
	}
	p := pt.whole()
	p.Count = count.Ptr
	found := make([]uint32, pt.s.query.n)
	err := firstError(cuda.Clear(pt.stream, count, 0), pt.launch(pt.stream, "count", p, 0, n, step, next),
		cuda.Download(pt.stream, found, count), pt.stream.Sync())
	if err != nil {
		return nil, err
	}
	s := &costmodel.Sample{Queries: n, Step: step}
	for e := 0; e < n; e += step {
		s.Found = append(s.Found, found[pt.place[e]])
	}
	return s, nil
}

// estimate returns how many neighbours all entries have, from a sample.
func (pt *pattern) estimate() (uint64, error) {
	n := len(pt.rows)
	step, hi := pt.sampleStep(), n
	scratch := &memory{stream: pt.stream}
	defer scratch.release()
	var total cuda.Buffer[uint64]
	var next cuda.Buffer[uint32]
	if err := firstError(into(&total, scratch, 1), into(&next, scratch, 1)); err != nil {
		return 0, err
	}
	p := pt.whole()
	p.Total = total.Ptr
	var sum [1]uint64
	err := firstError(cuda.Clear(pt.stream, total, 0), pt.launch(pt.stream, "count", p, 0, hi, step, next),
		cuda.Download(pt.stream, sum[:], total), pt.stream.Sync())
	sampled := ceilDiv(hi, step)
	return uint64(float64(sum[0]) * (float64(n) / float64(sampled)) * sampleMargin), err
}

// counts returns the number of neighbours by position, of all rows in hand.
func (pt *pattern) counts(m *memory) (cuda.Buffer[uint32], error) {
	var count, next cuda.Buffer[uint32]
	if err := firstError(into(&count, m, pt.s.query.n), into(&next, m, 1)); err != nil {
		return count, err
	}
	p := pt.p
	p.Count = count.Ptr
	return count, firstError(cuda.Clear(pt.stream, count, 0), pt.launch(pt.stream, "count", p, 0, len(pt.rows), 1, next))
}
