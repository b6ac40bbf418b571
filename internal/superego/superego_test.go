package superego

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/column"
	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
)

// points returns n points of dim coordinates made by f.
func points(n, dim int, f func(i, j int) float64) []column.Column {
	c := make([]column.Column, dim)
	for j := range c {
		c[j].Float64 = make([]float64, n)
		for i := range n {
			c[j].Float64[i] = f(i, j)
		}
	}
	return c
}

// A set is points and a threshold on d² for them.
type set struct {
	name    string
	columns []column.Column
	t       float64
}

func sets() []set {
	r := rand.New(rand.NewPCG(9, 9))
	uniform := func(n, dim int) []column.Column {
		return points(n, dim, func(_, _ int) float64 { return 100 * r.Float64() })
	}
	return []set{
		{"2-D", uniform(3000, 2), 4},
		{"3-D", uniform(3000, 3), 50},
		{"6-D", uniform(1500, 6), 500},
		{"9-D", uniform(800, 9), 1500},
		{"exponential", points(3000, 2, func(_, _ int) float64 { return r.ExpFloat64() / 40 }), 2e-7},
		{"exponential 8-D", points(1000, 8, func(_, _ int) float64 { return r.ExpFloat64() / 40 }), 1e-4},
		{"identical", points(500, 3, func(_, _ int) float64 { return 4 }), 1},
		{"one line", points(2000, 3, func(i, j int) float64 { return []float64{5, float64(i * 7 % 2000), 5}[j] }), 16},
		{"far apart", points(1000, 8, func(i, _ int) float64 { return float64(i*i%977) * 1e17 }), 1},
		{"outlier", points(1000, 2, func(i, j int) float64 { return []float64{r.Float64(), 1e300}[i/999] }), 1e-3},
		{"empty", uniform(0, 2), 1},
	}
}

func (s *set) order(t *testing.T) *Order {
	o, err := NewOrder(grid.Reach(s.t), s.columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (s *set) sort(t *testing.T, threads int) *Sequence {
	q, err := s.order(t).Sort(context.Background(), s.columns, threads)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// numbers returns the cells of a row, dimensions in order.
func (o *Order) numbers(columns []column.Column, row uint32) []uint64 {
	var c []uint64
	for k, j := range o.dims {
		c = append(c, o.axes[k].Number(columns[j].At(int(row))))
	}
	return c
}

// Both sorts order by cell, the parallel one by row within a cell for any
// number of threads, and agree on the cells.
func TestSorts(t *testing.T) {
	for _, s := range sets() {
		o := s.order(t)
		plain, err := o.SortPlain(context.Background(), s.columns)
		if err != nil {
			t.Fatal(err)
		}
		one := s.sort(t, 1)
		for _, threads := range []int{2, 7} {
			if q := s.sort(t, threads); !slices.Equal(q.Rows(), one.Rows()) || !slices.Equal(q.Start, one.Start) || !slices.Equal(q.cell, one.cell) {
				t.Errorf("%s: %d threads sort otherwise than 1", s.name, threads)
			}
		}
		if !slices.Equal(plain.Start, one.Start) || !slices.Equal(plain.cell, one.cell) {
			t.Errorf("%s: the sorts have different cells", s.name)
		}
		rows := slices.Clone(one.Rows())
		for i, r := range rows {
			cell := o.numbers(s.columns, r)
			if i > 0 {
				last := o.numbers(s.columns, rows[i-1])
				if c := slices.Compare(last, cell); c > 0 || c == 0 && rows[i-1] > r {
					t.Fatalf("%s: row %d of cell %v comes after row %d of cell %v", s.name, r, cell, rows[i-1], last)
				}
			}
			if c := one.at(one.Cell(i)); !slices.EqualFunc(c, cell, func(a uint32, b uint64) bool { return uint64(a) == b }) {
				t.Fatalf("%s: position %d is in cell %v, not %v", s.name, i, c, cell)
			}
			if x, y := one.Points.Data[i], s.columns[0].At(int(r)); x != y {
				t.Fatalf("%s: position %d has coordinate %v, row %d has %v", s.name, i, x, r, y)
			}
		}
		for _, q := range []*Sequence{plain, one} {
			if sorted := slices.Sorted(slices.Values(q.Rows())); len(sorted) != s.columns[0].Len() || len(slices.Compact(sorted)) != len(q.Rows()) {
				t.Errorf("%s: rows were lost", s.name)
			}
		}
	}
}

// square is d² of two rows.
func (s *set) square(a, b uint32) float64 {
	var sum float64
	for _, c := range s.columns {
		x := c.At(int(a)) - c.At(int(b))
		sum += float64(x * x)
	}
	return sum
}

// The candidates of every leaf include all neighbours of its points, and are
// in order.
func TestFinderMissesNothing(t *testing.T) {
	for _, s := range sets() {
		q := s.sort(t, 2)
		leaves := NewLeaves(q, q)
		if got := leaves.Start[len(leaves.Start)-1]; int(got) != q.Points.N || leaves.Start[0] != 0 {
			t.Fatalf("%s: leaves from %d to %d", s.name, leaves.Start[0], got)
		}
		f := NewFinder(leaves, q)
		rows := q.Rows()
		for leaf := range len(leaves.Start) - 1 {
			f.Visit(leaf)
			candidate := make([]bool, len(rows))
			end := uint32(0)
			for i, run := range f.Runs {
				if run.Lo >= run.Hi || i > 0 && run.Lo <= end {
					t.Fatalf("%s: runs %v", s.name, f.Runs)
				}
				end = run.Hi
				for at := run.Lo; at < run.Hi; at++ {
					candidate[at] = true
				}
			}
			// A few queries of the leaf, against all points.
			lo, hi := int(leaves.Start[leaf]), int(leaves.Start[leaf+1])
			for i := lo; i < hi; i += 1 + (hi-lo)/3 {
				if leaves.Leaf(i) != leaf {
					t.Fatalf("%s: position %d is in leaf %d, not %d", s.name, i, leaf, leaves.Leaf(i))
				}
				for at, ok := range candidate {
					if !ok && s.square(rows[i], rows[at]) <= s.t {
						t.Fatalf("%s: row %d is a neighbour of row %d and no candidate", s.name, rows[at], rows[i])
					}
				}
			}
		}
	}
}

// The recursive join finds the pairs that all pairs have, for all queries and
// for some.
func TestJoinMissesNothing(t *testing.T) {
	for _, s := range sets() {
		q := s.sort(t, 1)
		join := NewJoin(q, q, s.t)
		rows := q.Rows()
		for _, every := range []int{1, 7} {
			var positions []uint32
			for i := 0; i < len(rows); i += every {
				positions = append(positions, uint32(i))
			}
			next := 0
			err := join.Visit(positions, func(lo, hi int, data []kernel.Run) error {
				if lo != next {
					t.Fatalf("%s: queries from %d after those up to %d", s.name, lo, next)
				}
				next = hi
				for _, at := range positions[lo:hi] {
					if every == 1 && at%11 != 0 {
						continue
					}
					var got []uint32
					join.Within(at, data, func(i uint32, d2 float64) {
						got = append(got, rows[i])
						if want := s.square(rows[at], rows[i]); d2 != want {
							t.Fatalf("%s: d² %v, want %v", s.name, d2, want)
						}
					})
					slices.Sort(got)
					var want []uint32
					for r := range uint32(len(rows)) {
						if s.square(rows[at], r) <= s.t {
							want = append(want, r)
						}
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%s: row %d has neighbours %v, want %v", s.name, rows[at], got, want)
					}
				}
				return nil
			})
			if err != nil || next != len(positions) {
				t.Fatalf("%s: %d of %d queries, %v", s.name, next, len(positions), err)
			}
		}
	}
}

// Dimensions that tell more pairs apart come first, and few candidates are
// left.
func TestDimensionsAreReordered(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	wide := []float64{3, 1000, 0, 30}
	s := set{"", points(5000, 4, func(_, j int) float64 { return wide[j] * r.Float64() }), 1}
	if got := s.order(t).Dims(); !slices.Equal(got, []int{1, 3, 0, 2}) {
		t.Errorf("dimensions in order %v", got)
	}
	q := s.sort(t, 1)
	leaves := NewLeaves(q, q)
	f := NewFinder(leaves, q)
	candidates := 0
	for leaf := range len(leaves.Start) - 1 {
		f.Visit(leaf)
		for _, run := range f.Runs {
			candidates += int(leaves.Start[leaf+1]-leaves.Start[leaf]) * int(run.Hi-run.Lo)
		}
	}
	if each := float64(candidates) / 5000; each > 40 { // 5000 · 3/1000 · 3/30 and what leaves add
		t.Errorf("%.1f candidates for each point", each)
	}
}

// Sums that another order rounds to the other side of the threshold are not
// given up.
func TestMarginOfReorderedSums(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	differ := 0
	for range 3000 {
		const dim = 5
		s := set{"", points(2, dim, func(i, j int) float64 { return float64(i) * r.Float64() * math.Exp(3*r.NormFloat64()) }), 0}
		s.t = s.square(0, 1) // exactly at the threshold
		o := s.order(t)
		slices.Reverse(o.dims) // in column order, all their coordinates being near each other
		slices.Reverse(o.axes)
		q, err := o.Sort(context.Background(), s.columns, 1)
		if err != nil {
			t.Fatal(err)
		}
		var reordered float64
		for _, j := range o.dims {
			x := s.columns[j].At(0) - s.columns[j].At(1)
			reordered += float64(x * x)
		}
		if reordered > s.t {
			differ++
		}
		found := 0
		NewJoin(q, q, s.t).Within(0, []kernel.Run{{Lo: 0, Hi: 2}}, func(uint32, float64) { found++ })
		if found != 2 {
			t.Fatalf("%v apart: the pair was given up", s.t)
		}
	}
	if differ == 0 {
		t.Error("no sum was rounded otherwise: the test shows nothing")
	}
}

// Cells of many dimensions do not fit one key.
func TestWords(t *testing.T) {
	s := sets()[8]
	o := s.order(t)
	if n := len(o.words()); n < 2 {
		t.Errorf("%s: %d words for 8 dimensions of up to 977 cells each", s.name, n)
	}
	next := 0
	for _, w := range o.words() {
		product := 1.0
		for k := w.lo; k < w.hi; k++ {
			product *= float64(o.axes[k].Cells())
		}
		if w.lo != next || product > 0x1p64 {
			t.Errorf("word of dimensions [%d, %d) has %g cells", w.lo, w.hi, product)
		}
		next = w.hi
	}
	if next != 8 {
		t.Errorf("words end at dimension %d", next)
	}
}

func TestSortEndsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := sets()[0]
	if _, err := s.order(t).Sort(ctx, s.columns, 2); err != context.Canceled {
		t.Errorf("Sort: %v", err)
	}
	if _, err := s.order(t).SortPlain(ctx, s.columns); err != context.Canceled {
		t.Errorf("SortPlain: %v", err)
	}
}
