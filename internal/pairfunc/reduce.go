package pairfunc

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"skyjoin/internal/exact"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/internal/used"
)

// A Reduction says what the values of all pairs are reduced to.
type Reduction uint8

// The reductions. Least and Most are for each row only: the value, and the
// lowest row b that has it.
const (
	Sum       Reduction = iota // exact, rounded once
	Count                      // of pairs for which the function is true
	Histogram                  // of values, between Edges
	Pairs                      // for which the function is true
	Least
	Most
)

// String returns the name of the reduction on the command line.
func (r Reduction) String() string {
	return [...]string{"sum", "count", "hist", "pairs", "min", "max"}[r]
}

// ParseReduction returns the reduction of that name.
func ParseReduction(name string) (Reduction, error) {
	for r := Sum; r <= Most; r++ {
		if r.String() == name {
			return r, nil
		}
	}
	return 0, fmt.Errorf("%q is not a reduction, it must be sum, count, hist, pairs, min or max", name)
}

// A Job is a function of the pairs of one table or of two.
type Job struct {
	*Function
	Reduction
	A, B Table
	// Self says that B is A. Each pair is then taken once, with the lower row as a,
	// or both ways if Ordered is set or the results are for each row.
	Self, Ordered bool
	PerRow        bool
	Edges         []float64 // of Histogram, ascending
	Threads       int       // 0: GOMAXPROCS
	Memory        int64     // bytes that lists of Pairs may take, at least Least; 0: no cap

	// Progress, if not nil, is called with the number of pairs just evaluated, from
	// several goroutines at once.
	Progress func(pairs int64)
}

// Both reports whether each pair of rows of one table is taken both ways.
func (j *Job) Both() bool { return j.Self && (j.Ordered || j.PerRow) }

// Check validates the job.
func (j *Job) Check() error {
	truths := j.Reduction == Count || j.Reduction == Pairs
	switch {
	case truths && !j.Truth():
		return fmt.Errorf("%s of %s, which is a number: it takes a condition, such as %s < 1", j.Reduction, j.src, j.src)
	case !truths && j.Truth():
		return fmt.Errorf("%s of %s, which is true or false: it takes a number", j.Reduction, j.src)
	case (j.Reduction == Least || j.Reduction == Most) && !j.PerRow:
		return fmt.Errorf("%s is taken for each row, with --per-row", j.Reduction)
	case (j.Reduction == Histogram || j.Reduction == Pairs) && j.PerRow:
		return fmt.Errorf("%s is not taken for each row: sum, count, min and max are", j.Reduction)
	case j.Reduction == Histogram && len(j.Edges) < 2:
		return fmt.Errorf("%d bin edges, at least 2 are needed", len(j.Edges))
	case j.Self && j.A.Rows != j.B.Rows:
		return fmt.Errorf("a table of %d rows and itself of %d", j.A.Rows, j.B.Rows)
	}
	for i, e := range j.Edges {
		if math.IsInf(e, 0) || math.IsNaN(e) || i > 0 && !(e > j.Edges[i-1]) {
			return fmt.Errorf("bin edge %v, edges must be finite and ascend", e)
		}
	}
	return j.check(j.A, j.B)
}

// EvenBins returns the first edge and the inverse width of bins of one width, so that
// the bin of a value can be guessed. ok is false if an edge is off by more than an
// eighth of the width.
func (j *Job) EvenBins() (low, inverse float64, ok bool) {
	n := len(j.Edges) - 1
	if n < 1 {
		return 0, 0, false
	}
	low = j.Edges[0]
	width := (j.Edges[n] - low) / float64(n)
	for k, e := range j.Edges {
		if !(math.Abs(e-(low+float64(width*float64(k)))) < width/8) {
			return 0, 0, false
		}
	}
	return low, 1 / width, !math.IsInf(1/width, 0) && 1/width > 0
}

// A binner finds the number of edges at or below a value.
type binner struct {
	edges        []float64
	low, inverse float64
	even         bool
}

func (j *Job) binner() binner {
	b := binner{edges: j.Edges}
	b.low, b.inverse, b.even = j.EvenBins()
	return b
}

func (b *binner) counter(x float64) int {
	if !b.even {
		return sort.Search(len(b.edges), func(k int) bool { return b.edges[k] > x })
	}
	at := 0
	if g := (x - b.low) * b.inverse; g >= 0 {
		at = int(min(g, float64(len(b.edges)-1))) + 1
	}
	for at < len(b.edges) && b.edges[at] <= x {
		at++
	}
	for at > 0 && b.edges[at-1] > x {
		at--
	}
	return at
}

// Total returns the number of pairs.
func (j *Job) Total() uint64 {
	n, m := uint64(j.A.Rows), uint64(j.B.Rows)
	switch {
	case !j.Self:
		return n * m
	case n < 2:
		return 0
	case j.Both():
		return n * (n - 1)
	}
	return n * (n - 1) / 2
}

// A Result is the answer of a job. The values by row are set with PerRow.
type Result struct {
	Sum    float64
	Count  uint64   // of true pairs
	Bins   []uint64 // of Histogram: edges[i] <= value < edges[i+1]
	Under  uint64   // below the first edge
	Over   uint64   // not below the last
	NaN    uint64   // not a number: in no bin
	Row    []float64
	Counts []uint64
	Other  []int64 // of Least and Most: the row b, -1 where there is no number
}

// SetHistogram sets the bins from counters by the number of edges at or below the
// value, and from the number of NaN values.
func (r *Result) SetHistogram(counters []uint64, nan uint64) {
	n := len(counters) - 2
	r.Under, r.Bins, r.Over, r.NaN = counters[0], slices.Clone(counters[1:n+1]), counters[n+1], nan
}

// Run evaluates a job on the CPU. visit takes the pairs of Pairs, ordered by
// (a, b), in portions that it must not keep; it is nil otherwise. The result is
// the same for any number of threads.
func (j *Job) Run(ctx context.Context, visit func(a, b []uint32) error) (*Result, error) {
	if err := j.Check(); err != nil {
		return nil, err
	}
	e, err := j.Evaluator(j.A, j.B)
	if err != nil {
		return nil, err
	}
	used.Note(ctx, "brute", "expression")
	if j.Reduction == Pairs {
		return j.list(ctx, e, 1, visit)
	}
	r := &Result{}
	if j.PerRow {
		switch j.Reduction {
		case Count:
			r.Counts = make([]uint64, j.A.Rows)
		case Least, Most:
			r.Other = make([]int64, j.A.Rows)
			r.Row = make([]float64, j.A.Rows)
		default:
			r.Row = make([]float64, j.A.Rows)
		}
	}
	threads := par.Threads(j.Threads)
	folds := make([]fold, threads)
	err = perRow(ctx, threads, j.A.Rows, func(worker, row int) {
		w := &folds[worker]
		if w.e == nil {
			w.e, w.counters, w.bins = e.Fork(), make([]uint64, len(j.Edges)+1), j.binner()
		}
		w.foldRow(j, r, row)
	}, j.report)
	if err != nil {
		return nil, err
	}
	var sum exact.Accumulator
	counters, nan := make([]uint64, len(j.Edges)+1), uint64(0)
	for i := range folds {
		sum.AddSum(&folds[i].sum)
		r.Count += folds[i].count
		nan += folds[i].nan
		for k, n := range folds[i].counters {
			counters[k] += n
		}
	}
	if j.Reduction == Sum && !j.PerRow {
		r.Sum = sum.Float()
	}
	if j.Reduction == Histogram {
		r.SetHistogram(counters, nan)
	}
	return r, nil
}

// perRow calls f for all rows on several goroutines, a few rows at a time, and done, if
// not nil, after these.
func perRow(ctx context.Context, threads, rows int, f func(worker, row int), done func(lo, hi int)) error {
	const portion = 8
	portions := par.NewPortions(threads, rows, portion)
	par.Chunks(threads, threads, func(worker, _, _ int) {
		for ctx.Err() == nil {
			lo, hi, ok := portions.Next(worker)
			if !ok {
				return
			}
			for row := lo; row < hi; row++ {
				f(worker, row)
			}
			if done != nil {
				done(lo, hi)
			}
		}
	})
	return ctx.Err()
}

// A fold is the state of one goroutine.
type fold struct {
	e        *Evaluator
	sum      exact.Accumulator
	parts    [16]float64 // of the sum of a block
	count    uint64
	nan      uint64
	counters []uint64
	bins     binner
}

// foldRow folds the pairs of row a.
func (w *fold) foldRow(j *Job, r *Result, a int) {
	first := 0
	if j.Self && !j.Both() {
		first = a + 1
	}
	sum := &w.sum
	if j.PerRow {
		sum = new(exact.Accumulator)
	}
	var count uint64
	best, other := 0.0, int64(-1)
	for lo := first; lo < j.B.Rows; lo += block {
		v := w.e.Values(a, lo, min(lo+block, j.B.Rows))
		parts := [2][]float64{v, nil}
		if own := a - lo; j.Self && own >= 0 && own < len(v) {
			parts = [2][]float64{v[:own], v[own+1:]}
		}
		at := lo
		for k, part := range parts {
			if k == 1 {
				at = a + 1
			}
			switch j.Reduction {
			case Sum:
				w.addAll(sum, part)
			case Count:
				for _, x := range part {
					count += uint64(x)
				}
			case Histogram:
				for _, x := range part {
					if x != x {
						w.nan++
						continue
					}
					w.counters[w.bins.counter(x)]++
				}
			default:
				for i, x := range part {
					if x == x && (other < 0 || j.Reduction == Least && x < best || j.Reduction == Most && x > best) {
						best, other = x, int64(at+i)
					}
				}
			}
		}
	}
	w.count += count
	if !j.PerRow {
		return
	}
	switch j.Reduction {
	case Sum:
		r.Row[a] = sum.Float()
	case Count:
		r.Counts[a] = count
	default:
		if other < 0 {
			best = math.NaN()
		}
		r.Row[a], r.Other[a] = best, other
	}
}

// addAll adds all values of a block.
func (w *fold) addAll(sum *exact.Accumulator, values []float64) {
	n := len(values) &^ 7
	if n < 64 || !kernel.Best().Parts(values[:n], &w.parts) {
		n = 0
	} else {
		for _, x := range w.parts {
			sum.Add(x)
		}
	}
	for _, x := range values[n:] {
		sum.Add(x)
	}
}

// partnersOf returns the number of pairs with row a as a.
func (j *Job) partnersOf(a int) int64 {
	switch {
	case !j.Self:
		return int64(j.B.Rows)
	case j.Both():
		return int64(j.B.Rows) - 1
	}
	return int64(j.B.Rows - a - 1)
}

// listBytes is the most memory that the list of a row takes.
func (j *Job) listBytes() int64 { return 4 * int64(j.B.Rows) }

// Least returns the least memory of the job, 0 where it is negligible.
func (j *Job) Least() int64 {
	if j.Reduction == Pairs {
		return j.listBytes()
	}
	bytes := 0
	for _, t := range []Table{j.A, j.B} {
		for _, c := range t.Columns {
			bytes += 8 * len(c)
		}
	}
	return int64(bytes)
}

// report calls Progress for the rows [lo, hi).
func (j *Job) report(lo, hi int) {
	if j.Progress == nil {
		return
	}
	var met int64
	for a := lo; a < hi; a++ {
		met += j.partnersOf(a)
	}
	j.Progress(met)
}

// Sample is Run for Pairs of every step-th row only. It also returns the number of
// all pairs of these rows.
func (j *Job) Sample(ctx context.Context, step int, visit func(a, b []uint32) error) (*Result, int64, error) {
	if err := j.Check(); err != nil {
		return nil, 0, err
	}
	e, err := j.Evaluator(j.A, j.B)
	if err != nil {
		return nil, 0, err
	}
	var met int64
	for a := 0; a < j.A.Rows; a += step {
		met += j.partnersOf(a)
	}
	quiet := *j
	quiet.Progress = nil
	r, err := quiet.list(ctx, e, step, visit)
	return r, met, err
}

// list calls visit with the pairs of every step-th row for which the function is
// true, some rows at a time.
func (j *Job) list(ctx context.Context, e *Evaluator, step int, visit func(a, b []uint32) error) (*Result, error) {
	threads := par.Threads(j.Threads)
	forks := make([]*Evaluator, threads)
	r := &Result{}
	rows := 64 * threads
	if j.Memory > 0 {
		rows = int(max(1, min(int64(rows), j.Memory/max(1, j.listBytes()))))
	}
	found := make([][]uint32, rows)
	var as []uint32
	for lo := 0; lo < j.A.Rows; lo += rows * step {
		n := min(rows, (j.A.Rows-lo+step-1)/step)
		err := perRow(ctx, threads, n, func(worker, k int) {
			if forks[worker] == nil {
				forks[worker] = e.Fork()
			}
			found[k] = j.partners(forks[worker], lo+k*step, found[k][:0])
		}, nil)
		if err != nil {
			return nil, err
		}
		for k, b := range found[:n] {
			r.Count += uint64(len(b))
			if len(b) == 0 {
				continue
			}
			as = as[:0]
			for range b {
				as = append(as, uint32(lo+k*step))
			}
			if err := visit(as, b); err != nil {
				return nil, err
			}
		}
		j.report(lo, lo+n) // after they are written; a sample has no progress
	}
	return r, nil
}

// partners appends the rows b for which the function of row a is true.
func (j *Job) partners(e *Evaluator, a int, out []uint32) []uint32 {
	first := 0
	if j.Self && !j.Both() {
		first = a + 1
	}
	for lo := first; lo < j.B.Rows; lo += block {
		for i, x := range e.Values(a, lo, min(lo+block, j.B.Rows)) {
			if x != 0 && !(j.Self && lo+i == a) {
				out = append(out, uint32(lo+i))
			}
		}
	}
	return out
}
