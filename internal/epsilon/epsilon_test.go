package epsilon

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A line is a self-join of points on a line.
type line []float64

func (l line) Len() int                            { return len(l) }
func (l line) DataLen() int                        { return len(l) }
func (l line) Self() bool                          { return true }
func (l line) SquaredDistance(a, b uint32) float64 { return (l[a] - l[b]) * (l[a] - l[b]) }

// neighbours is how many others a point has within a distance on average.
func (l line) neighbours(distance float64) float64 {
	n := 0
	for i, x := range l {
		for j, y := range l {
			if i != j && math.Abs(x-y) <= distance {
				n++
			}
		}
	}
	return float64(n) / float64(len(l))
}

func choose(t *testing.T, l line, k int) float64 {
	t.Helper()
	var all []float64
	for _, threads := range []int{1, 3} {
		d, err := Choose(l, k, CPU{Pairs: l, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	if all[0] != all[1] {
		t.Errorf("one thread chooses %v, three %v", all[0], all[1])
	}
	return all[0]
}

// Within the distance there are about K neighbours on average.
func TestChoose(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for name, f := range map[string]func(i int) float64{
		"uniform":     func(int) float64 { return g.Float64() },
		"exponential": func(int) float64 { return g.ExpFloat64() },
		"clumps":      func(i int) float64 { return float64(i%5) + 1e-7*g.Float64() }, // which take finer bins
		"vast":        func(int) float64 { return 1e100 * g.Float64() },
		"minute":      func(int) float64 { return 1e-100 * g.Float64() },
	} {
		l := make(line, 2000)
		for i := range l {
			l[i] = f(i)
		}
		for _, k := range []int{1, 10, 100} {
			d := choose(t, l, k)
			if got := l.neighbours(d); math.Abs(got/float64(k)-1) > 0.15 {
				t.Errorf("%s: within %v there are %v neighbours, want %d", name, d, got, k)
			}
		}
	}
}

// Beyond the mean distance nothing is counted.
func TestChooseOfFew(t *testing.T) {
	for _, c := range []struct {
		points line
		k      int
		want   float64
	}{
		{nil, 1, 0},
		{line{1}, 1, 0},
		{line{1, 1, 1}, 1, 0},
		{line{0, 4}, 5, 4},
		{line{0, 3, 6}, 2, 4}, // the pairs are 3, 3 and 6 apart
		{line{0, 1e200}, 1, 0},
		{line{0, 1e-200}, 1, 0},
	} {
		if got := choose(t, c.points, c.k); math.Abs(got-c.want) > 1e-6*c.want {
			t.Errorf("%v, K = %d: %v, want %v", c.points, c.k, got, c.want)
		}
	}
}

func TestReached(t *testing.T) {
	for _, c := range []struct {
		want uint64
		bin  int
		ok   bool
	}{{1, 1, true}, {2, 1, true}, {3, 3, true}, {5, 3, true}, {6, 0, false}} {
		if bin, ok := reached([]uint64{0, 2, 0, 3}, c.want); bin != c.bin || ok != c.ok {
			t.Errorf("%d is reached in bin %d (%v), want %d (%v)", c.want, bin, ok, c.bin, c.ok)
		}
	}
}

// Samples are rows that differ, ascending, spread over all, and always the same.
func TestRows(t *testing.T) {
	for _, c := range [][2]int{{0, 5}, {3, 5}, {5, 5}, {1000, 7}, {math.MaxUint32 - 1, 500}} {
		rows := Rows(c[0], c[1])
		if len(rows) != min(c[0], c[1]) || !slices.Equal(rows, Rows(c[0], c[1])) {
			t.Errorf("%d of %d rows: %v", c[1], c[0], rows)
		}
		for i, r := range rows {
			stretch := uint64(c[0]) / uint64(len(rows))
			if uint64(r) >= uint64(c[0]) || i > 0 && (r <= rows[i-1] || uint64(r-rows[i-1]) > 2*stretch+1) {
				t.Errorf("%d of %d rows: %v", c[1], c[0], rows)
				break
			}
		}
	}
}
