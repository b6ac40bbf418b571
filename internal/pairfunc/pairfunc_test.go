package pairfunc

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"skyjoin/internal/exact"
)

// point is a row of the tests' tables.
type point struct{ x, y, z, m float64 }

var xyz = Schema{Coordinates: []string{"x", "y", "z"}}

// examples are expressions with the same by hand.
var examples = []struct {
	src      string
	f        func(a, b point) float64
	commutes bool
	truth    bool
}{
	{"sqrt(dx*dx+dy*dy+dz*dz)", distance, true, false},
	{"r", distance, true, false},
	{"norm(a - b)", distance, true, false},
	{"r^2", func(a, b point) float64 { d := distance(a, b); return d * d }, true, false},
	{"abs(a.z-b.z)", func(a, b point) float64 { return math.Abs(a.z - b.z) }, true, false},
	{"a.z-b.z", func(a, b point) float64 { return a.z - b.z }, false, false},
	{"sum(abs(a-b))", func(a, b point) float64 { return math.Abs(a.x-b.x) + math.Abs(a.y-b.y) + math.Abs(a.z-b.z) }, true, false},
	{"max(abs(dx), abs(dy), abs(dz))", func(a, b point) float64 {
		return max(math.Abs(a.x-b.x), math.Abs(a.y-b.y), math.Abs(a.z-b.z))
	}, true, false},
	{"1 - dot(a,b)/(norm(a)*norm(b))", func(a, b point) float64 {
		dot := float64(a.x*b.x) + float64(a.y*b.y) + float64(a.z*b.z)
		return 1 - dot/(norm(a)*norm(b))
	}, true, false},
	{"exp(-r/a.m)", func(a, b point) float64 { return math.Exp(-distance(a, b) / a.m) }, false, false},
	{"a.m*b.m/(1 + r)", func(a, b point) float64 { return float64(a.m*b.m) / (1 + distance(a, b)) }, true, false},
	{"a.x < b.y and abs(a.z-b.z) < 3", func(a, b point) float64 { return truth(a.x < b.y && math.Abs(a.z-b.z) < 3) }, false, true},
	{"abs(dx) < 20 and dx*dy >= 0 or a.m = b.m", func(a, b point) float64 {
		dx, dy := a.x-b.x, a.y-b.y
		return truth(math.Abs(dx) < 20 && dx*dy >= 0 || a.m == b.m)
	}, true, true},
	{"not (a.m between 2 and 5) and b.m in (1, 2, 3)", func(a, b point) float64 {
		return truth(!(a.m >= 2 && a.m <= 5) && (b.m == 1 || b.m == 2 || b.m == 3))
	}, false, true},
	{"a.m > b.m", func(a, b point) float64 { return truth(a.m > b.m) }, false, true},
	{"a[0]*b[1] - a[1]*b[0] + 2*pi", func(a, b point) float64 { return float64(a.x*b.y) - float64(a.y*b.x) + 2*math.Pi }, false, false},
	{"floor(a.x / 7) % 3 + (b.y // 5)", func(a, b point) float64 { return modulo(math.Floor(a.x/7), 3) + math.Floor(b.y/5) }, false, false},
	{"hypot(dx, dy) + cos(dz) * a.m^4 * b.m**4", nil, true, false},
	{"(a.x - b.x)^3", nil, false, false},
	{"(a.x - b.x) / (a.y - b.y)", func(a, b point) float64 { return (a.x - b.x) / (a.y - b.y) }, true, false},
	{"1/(a.y - b.y)", nil, false, false},
	{"a.m/b.m + b.m/a.m", nil, true, false},
	{"(a.m - b.m) - (b.m - a.m)", nil, false, false},
	{"1/r^2 + sqrt(abs(dx*dy))", nil, true, false},
	{"dx*dy", nil, true, false},
}

func norm(a point) float64 {
	return math.Sqrt(float64(a.x*a.x) + float64(a.y*a.y) + float64(a.z*a.z))
}

func distance(a, b point) float64 { return norm(point{x: a.x - b.x, y: a.y - b.y, z: a.z - b.z}) }

func points(seed uint64, n int) []point {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := make([]point, n)
	for i := range p {
		p[i] = point{float64(rng.IntN(100)), 100 * rng.Float64(), 30 * rng.Float64(), float64(rng.IntN(9))}
	}
	return p
}

// table gives the columns of the names.
func table(p []point, names []string) Table {
	t := Table{Rows: len(p)}
	for _, name := range names {
		var c []float64
		for _, q := range p {
			c = append(c, map[string]float64{"x": q.x, "y": q.y, "z": q.z, "m": q.m}[name])
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

func job(t testing.TB, src string, a, b []point, r Reduction) *Job {
	t.Helper()
	f, err := Compile(src, xyz)
	if err != nil {
		t.Fatal(err)
	}
	ca, cb := f.Columns()
	j := &Job{Function: f, Reduction: r, A: table(a, ca)}
	if b == nil {
		j.Self, b = true, a
	}
	j.B = table(b, cb)
	return j
}

func TestFunctionsAreThoseByHand(t *testing.T) {
	a, b := points(1, 40), points(2, 1100)
	for _, c := range examples {
		j := job(t, c.src, a, b, Sum)
		if j.Commutes() != c.commutes {
			t.Errorf("%s: commutes %v", c.src, j.Commutes())
		}
		if j.Truth() != c.truth {
			t.Errorf("%s: truth %v", c.src, j.Truth())
		}
		e, err := j.Evaluator(j.A, j.B)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a {
			for lo := 0; c.f != nil && lo < len(b); lo += Block {
				hi := min(lo+Block, len(b))
				for k, v := range e.Values(i, lo, hi) {
					if want := c.f(a[i], b[lo+k]); v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
						t.Fatalf("%s of %v and %v: %v, want %v", c.src, a[i], b[lo+k], v, want)
					}
				}
			}
		}
	}
}

// Differences in a box are those of the nearest images, wherever the rows lie; the
// axis without a side has none.
func TestNearestImages(t *testing.T) {
	box := xyz
	box.Sides = []float64{10, 0, 8}
	a, b := points(6, 50), points(7, 60)
	a[0], b[0] = point{5, 1, 4, 0}, point{0, 2, 8, 0} // half a side apart
	along := func(x, y, side float64) float64 {
		x, y = modulo(x, side), modulo(y, side)
		d := x - y
		switch { // as the plain rule has it: an image to the left or to the right
		case side-d < d:
			return d - side
		case side+d < -d:
			return d + side
		}
		return d
	}
	for src, want := range map[string]func(a, b point) float64{
		"dx": func(a, b point) float64 { return along(a.x, b.x, 10) },
		"dy": func(a, b point) float64 { return a.y - b.y },
		"r": func(a, b point) float64 {
			x, y, z := along(a.x, b.x, 10), a.y-b.y, along(a.z, b.z, 8)
			return math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
		},
	} {
		f, err := Compile(src, box)
		if err != nil {
			t.Fatal(err)
		}
		ca, cb := f.Columns()
		e, err := f.Evaluator(table(a, ca), table(b, cb))
		if err != nil {
			t.Fatal(err)
		}
		for i := range a {
			for k, v := range e.Values(i, 0, len(b)) {
				if v != want(a[i], b[k]) {
					t.Fatalf("%s of %v and %v: %v, want %v", src, a[i], b[k], v, want(a[i], b[k]))
				}
			}
		}
		if f.Commutes() != (src == "r") {
			t.Errorf("%s: commutes %v", src, f.Commutes())
		}
	}
	if _, err := Compile("r", Schema{Coordinates: []string{"x"}, Sides: []float64{1, 2}}); err == nil {
		t.Error("two sides of one coordinate are accepted")
	}
}

// What is said to commute does, but for rounding.
func TestWhatCommutesDoes(t *testing.T) {
	a := points(3, 60)
	for _, c := range examples {
		if !c.commutes {
			continue
		}
		j := job(t, c.src, a, a, Sum)
		e, err := j.Evaluator(j.A, j.B)
		if err != nil {
			t.Fatal(err)
		}
		var m [][]float64
		for i := range a {
			m = append(m, slices.Clone(e.Values(i, 0, len(a))))
		}
		for i := range a {
			for k := range a {
				if x, y := m[i][k], m[k][i]; i != k && math.Abs(x-y) > 1e-12*math.Abs(x) {
					t.Fatalf("%s: %v one way, %v the other", c.src, x, y)
				}
			}
		}
	}
}

func TestReductionsAreThoseOfBruteForce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 77, 600} {
		a := points(4, n)
		for _, other := range [][]point{nil, points(5, 55)} {
			for _, threads := range []int{1, 3} {
				for _, edges := range [][]float64{{-5, 0, 10, 20, 33.5, 60}, {0, 10, 20, 30}} {
					checkReductions(t, a, other, threads, false, edges)
					checkReductions(t, a, other, threads, true, edges)
				}
			}
		}
	}
}

func checkReductions(t *testing.T, a, other []point, threads int, ordered bool, edges []float64) {
	for _, r := range []Reduction{Sum, Count, Histogram, Pairs, Least, Most} {
		for _, perRow := range []bool{false, true} {
			src, f := "r / b.m", func(a, b point) float64 { return distance(a, b) / b.m }
			if r == Count || r == Pairs {
				src, f = "a.m + 1 < b.m", func(a, b point) float64 { return truth(a.m+1 < b.m) }
			}
			j := job(t, src, a, other, r)
			j.Threads, j.Ordered, j.PerRow, j.Edges = threads, ordered, perRow, edges
			if j.Check() != nil {
				continue
			}
			want := &Result{Row: make([]float64, len(a)), Counts: make([]uint64, len(a)), Other: make([]int64, len(a))}
			counters := make([]uint64, len(edges)+1)
			nan, total := uint64(0), uint64(0)
			var sum exact.Accumulator
			var pairs, got []string
			b := other
			if j.Self {
				b = a
			}
			for i := range a {
				var row exact.Accumulator
				want.Other[i], want.Row[i] = -1, math.NaN()
				for k := range b {
					if j.Self && (i == k || k < i && !j.Both()) {
						continue
					}
					total++
					v := f(a[i], b[k])
					sum.Add(v)
					row.Add(v)
					if r == Count || r == Pairs {
						want.Counts[i] += uint64(v)
						want.Count += uint64(v)
					}
					if v == 1 {
						pairs = append(pairs, fmt.Sprint(i, k))
					}
					if math.IsNaN(v) {
						nan++
						continue
					}
					at := 0
					for at < len(edges) && edges[at] <= v {
						at++
					}
					counters[at]++
					if want.Other[i] < 0 || r == Least && v < want.Row[i] || r == Most && v > want.Row[i] {
						want.Row[i], want.Other[i] = v, int64(k)
					}
				}
				if r == Sum {
					want.Row[i] = row.Float()
				}
			}
			res, err := j.Run(context.Background(), func(a, b []uint32) error {
				for i := range a {
					got = append(got, fmt.Sprint(a[i], b[i]))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if j.Total() != total {
				t.Fatalf("%d pairs in all, want %d", j.Total(), total)
			}
			same := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
			ok := true
			switch {
			case perRow && r == Count:
				ok = slices.Equal(res.Counts, want.Counts)
			case perRow && r == Sum:
				ok = slices.EqualFunc(res.Row, want.Row, same)
			case perRow:
				ok = slices.EqualFunc(res.Row, want.Row, same) && slices.Equal(res.Other, want.Other)
			case r == Sum:
				ok = same(res.Sum, sum.Float())
			case r == Count:
				ok = res.Count == want.Count
			case r == Histogram:
				want.SetHistogram(counters, nan)
				ok = slices.Equal(res.Bins, want.Bins) && res.Under == want.Under && res.Over == want.Over && res.NaN == nan
			case r == Pairs:
				ok = slices.Equal(got, pairs) && res.Count == want.Count
			}
			if !ok {
				t.Fatalf("%v of %s, %d rows, cross %v, per row %v, ordered %v, %d threads: not that of brute force", r, src, len(a), other != nil, perRow, ordered, threads)
			}
		}
	}
}

// A sample has the pairs of its rows, and progress adds up to all pairs.
func TestSample(t *testing.T) {
	n := 0
	for _, other := range [][]point{nil, points(5, 40)} {
		for _, ordered := range []bool{false, true} {
			self := other == nil
			j := job(t, "dx + dy > 3", points(4, 150), other, Pairs)
			var told atomic.Int64
			j.Threads, j.Ordered, j.Progress = 3, ordered, func(pairs int64) { told.Add(pairs) }
			all := map[[2]uint32]bool{}
			take := func(into map[[2]uint32]bool) func(a, b []uint32) error {
				return func(a, b []uint32) error {
					for i := range a {
						into[[2]uint32{a[i], b[i]}] = true
					}
					return nil
				}
			}
			if _, err := j.Run(t.Context(), take(all)); err != nil {
				t.Fatal(err)
			}
			for _, j.Memory = range []int64{1, 3 * j.Least(), 1 << 40} { // rows at a time
				some := map[[2]uint32]bool{}
				told.Store(0)
				if _, err := j.Run(t.Context(), take(some)); err != nil || !maps.Equal(some, all) {
					t.Errorf("in %d bytes: %d pairs, want %d (%v)", j.Memory, len(some), len(all), err)
				}
			}
			if told.Load() != int64(j.Total()) {
				t.Errorf("self %v, ordered %v: told of %d pairs, there are %d", self, ordered, told.Load(), j.Total())
			}
			j.Reduction = Count
			told.Store(0)
			if _, err := j.Run(t.Context(), nil); err != nil || told.Load() != int64(j.Total()) {
				t.Errorf("self %v, ordered %v: told of %d pairs to count, there are %d (%v)", self, ordered, told.Load(), j.Total(), err)
			}
			j.Reduction = Pairs
			told.Store(0)
			for _, step := range []int{1, 7, 150, 1000} {
				some := map[[2]uint32]bool{}
				r, met, err := j.Sample(t.Context(), step, take(some))
				if err != nil {
					t.Fatal(err)
				}
				want := map[[2]uint32]bool{}
				for p := range all {
					if p[0]%uint32(step) == 0 {
						want[p] = true
					}
				}
				if !maps.Equal(some, want) || r.Count != uint64(len(want)) || step == 1 && met != int64(j.Total()) || met < int64(len(want)) {
					t.Errorf("self %v, ordered %v, every %d: %d pairs of %d, want %d", self, ordered, step, len(some), met, len(want))
				}
				n += len(want)
			}
			if told.Load() != 0 {
				t.Errorf("a sample told of %d pairs", told.Load())
			}
		}
	}
	if n == 0 {
		t.Error("no pairs were compared")
	}
}

// hostile are names that would end a comment of C, or a string, or go on with
// another line.
var hostile = []string{"x*/int z;/*", "**//", "*\n/ int z;", "a\\", "??/", "//", "\"\x00'", "y\r*/\u2028*/ #error"}

// What is between the beginning and the end of the comment is all that a name of
// a column gets into.
func TestNamesStayInTheComment(t *testing.T) {
	for _, name := range hostile {
		f, err := Compile("r + norm(a)", Schema{Coordinates: []string{name, "y"}})
		if err != nil {
			t.Fatal(err)
		}
		source := (&Job{Function: f, Reduction: Sum}).CUDA(Method{}, "int template;\n")
		comment, rest, ended := strings.Cut(source, "*/")
		if !ended || !strings.HasPrefix(rest, "\nint template;\n") || strings.Count(comment, "\n") != 5 || strings.ContainsAny(comment, "\x00\r") {
			t.Errorf("%q: %q", name, source[:min(len(source), 500)])
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for src, want := range map[string]string{
		"":                "empty",
		"x - b.x":         "columns are written a.x and b.x",
		"a":               "is a vector",
		"dot(a, 1)":       "takes vectors",
		"a.x and b.x":     "true or false",
		"(a.x < b.x) + 1": "takes numbers",
		"a < b":           "compares numbers",
		"a.x is null":     "left out",
		"a.c = 'RR'":      "text",
		"a[3] - b[3]":     "3 coordinates",
		"nrm(a)":          "unknown function nrm; did you mean norm?",
		"magnitude(a)":    "degrees, dms, dot, exp",
		"isnull(a.x)":     "cannot be used",
	} {
		if _, err := Compile(src, xyz); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", src, err, want)
		}
	}
	if _, err := Compile("r", Schema{}); err == nil || !strings.Contains(err.Error(), "coordinates") {
		t.Errorf("no coordinates: %v", err)
	}
	a := points(1, 3)
	for _, j := range []*Job{job(t, "r", a, nil, Count), job(t, "a.x < b.x", a, nil, Sum), job(t, "r", a, nil, Least), job(t, "r", a, nil, Histogram)} {
		if err := j.Check(); err == nil {
			t.Errorf("%v of %v is accepted", j.Reduction, j.Function)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := job(t, "r", a, nil, Sum).Run(ctx, nil); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// FuzzCompile compiles any text over columns of any names: a function whose source
// has its names in the comment only, or an error.
func FuzzCompile(f *testing.F) {
	for _, src := range []string{"r", "a.x < b.y and abs(a.z-b.z) < 3", "1 - dot(a,b)/(norm(a)*norm(b))", "a.\"x y\" % 3"} {
		for _, name := range hostile {
			f.Add(src, name)
		}
	}
	f.Fuzz(func(t *testing.T, src, name string) {
		fn, err := Compile(src, Schema{Coordinates: []string{name, "y"}})
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a word")
			}
			return
		}
		for _, r := range []Reduction{Sum, Pairs} {
			source := (&Job{Function: fn, Reduction: r}).CUDA(Method{}, "int template;\n")
			if _, rest, ended := strings.Cut(source, "*/"); !ended || !strings.HasPrefix(rest, "\nint template;\n") {
				t.Fatalf("%q", source[:min(len(source), 500)])
			}
		}
	})
}
