package expr

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// interesting numbers, near the places where float64 and the integers part.
var (
	interestingFloats = []float64{0, 1, -1, 0.5, -0.5, 2.5, 0x1p53, 0x1p53 + 2, -0x1p53, 0x1p63, -0x1p63, 0x1p64, 0x1p63 - 1024, 0x1p64 - 2048,
		-0x1p63 - 2048, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324}
	interestingInts  = []int64{0, 1, -1, 2, 3, -3, 1 << 53, 1<<53 + 1, -1<<53 - 1, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1}
	interestingUints = []uint64{0, 1, 2, 3, 1 << 53, 1<<53 + 1, 1 << 63, 1<<63 - 1, 1<<63 + 1, math.MaxUint64, math.MaxUint64 - 1}
)

func drawFloat(t *rapid.T) float64 {
	return rapid.OneOf(rapid.SampledFrom(interestingFloats), rapid.Float64(), rapid.Map(rapid.Int64(), func(i int64) float64 { return float64(i) })).Draw(t, "float")
}

func drawInt(t *rapid.T) int64 {
	return rapid.OneOf(rapid.SampledFrom(interestingInts), rapid.Int64(), rapid.Int64Range(-9, 9)).Draw(t, "int")
}

func drawUint(t *rapid.T) uint64 {
	return rapid.OneOf(rapid.SampledFrom(interestingUints), rapid.Uint64(), rapid.Uint64Range(0, 9)).Draw(t, "uint")
}

func drawNumber(t *rapid.T) Value {
	switch rapid.IntRange(0, 2).Draw(t, "type") {
	case 0:
		return FloatValue(drawFloat(t))
	case 1:
		return IntValue(drawInt(t))
	default:
		return UintValue(drawUint(t))
	}
}

// exactValue is v as a big.Float that rounds nothing; ok is false for NaN.
func exactValue(v Value) (x *big.Float, ok bool) {
	x = new(big.Float).SetPrec(2000)
	switch v.typ {
	case Int64:
		return x.SetInt64(v.i), true
	case Uint64:
		return x.SetUint64(v.u), true
	}
	if math.IsNaN(v.f) {
		return nil, false
	}
	return x.SetFloat64(v.f), true
}

// TestCompareExact compares compareValues, and the kernels, with big.Float.
func TestCompareExact(t *testing.T) {
	column := func(v Value) (Vector, Type) {
		switch v.typ {
		case Int64:
			return Vector{Int64: []int64{v.i}}, Int64
		case Uint64:
			return Vector{Uint64: []uint64{v.u}}, Uint64
		default:
			return Vector{Float64: []float64{v.f}}, Float64
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawNumber(t), drawNumber(t)
		want := unordered
		x, okX := exactValue(a)
		y, okY := exactValue(b)
		if okX && okY {
			want = x.Cmp(y)
		}
		if got := compareValues(a, b); got != want {
			t.Fatalf("compareValues(%v, %v) = %d, want %d", a.describe(), b.describe(), got, want)
		}
		if w, ok := a.exactly(b.typ); ok && okX && compareValues(a, w) != equal {
			t.Fatalf("%v exactly as %v is %v", a.describe(), b.typ, w.describe())
		}
		va, ta := column(a)
		vb, tb := column(b)
		for _, op := range comparisons {
			e, err := Parse("a " + op + " b")
			if err != nil {
				t.Fatal(err)
			}
			p, err := e.CompileFilter(func(name string) (Type, error) {
				if name == "a" {
					return ta, nil
				}
				return tb, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			keep := make([]bool, 1)
			if err := p.Filter([]Vector{va, vb}, 0, keep); err != nil {
				t.Fatal(err)
			}
			if keep[0] != holds[op][want+1] {
				t.Fatalf("%v %s %v is %v", a.describe(), op, b.describe(), keep[0])
			}
		}
	})
}

// TestIntegerArithmetic compares the operators with big.Int.
func TestIntegerArithmetic(t *testing.T) {
	want := func(op string, a, b *big.Int) *big.Int {
		switch op {
		case "+":
			return new(big.Int).Add(a, b)
		case "-":
			return new(big.Int).Sub(a, b)
		case "*":
			return new(big.Int).Mul(a, b)
		}
		if b.Sign() == 0 {
			return nil
		}
		q, r := new(big.Int).QuoRem(a, b, new(big.Int))
		if r.Sign() != 0 && r.Sign() != b.Sign() {
			q.Sub(q, big.NewInt(1))
			r.Add(r, b)
		}
		if op == "//" {
			return q
		}
		return r
	}
	check := func(t *rapid.T, op string, want *big.Int, got string, o outcome, fits bool) {
		switch {
		case want == nil && o != noResult, want != nil && fits && (o != exact || got != want.String()), want != nil && !fits && o != overflow:
			t.Fatalf("%s: got %s with outcome %d, want %v", op, got, o, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawInt(t), drawInt(t)
		for op, f := range intOperators {
			w := want(op, big.NewInt(a), big.NewInt(b))
			c, o := f(a, b)
			check(t, op, w, big.NewInt(c).String(), o, w != nil && w.IsInt64())
		}
		u, v := drawUint(t), drawUint(t)
		for op, f := range uintOperators {
			w := want(op, new(big.Int).SetUint64(u), new(big.Int).SetUint64(v))
			c, o := f(u, v)
			check(t, op, w, new(big.Int).SetUint64(c).String(), o, w != nil && w.IsUint64())
		}
	})
}

// randomFilter draws a filter over the numeric columns f, g (float64), i, u.
func randomFilter(t *rapid.T, depth int) string {
	column := rapid.SampledFrom([]string{"f", "g", "i", "u"})
	literal := func() string {
		v := drawNumber(t)
		if v.typ == Float64 && (math.IsNaN(v.f) || math.IsInf(v.f, 0)) {
			return "1"
		}
		return v.describe()
	}
	if depth > 0 && rapid.Bool().Draw(t, "deeper") {
		a, b := randomFilter(t, depth-1), randomFilter(t, depth-1)
		return rapid.SampledFrom([]string{"(" + a + " and " + b + ")", "(" + a + " or " + b + ")", "not " + a}).Draw(t, "logic")
	}
	op := rapid.SampledFrom(comparisons)
	switch c := column.Draw(t, "column"); rapid.IntRange(0, 6).Draw(t, "form") {
	case 0:
		return c + " is null"
	case 1:
		return c + " between " + literal() + " and " + literal()
	case 2:
		return c + " in (" + literal() + ", " + literal() + ")"
	case 3:
		return literal() + " " + op.Draw(t, "op") + " " + c
	case 4:
		return c + " " + op.Draw(t, "op") + " " + column.Draw(t, "other")
	default:
		return c + " " + op.Draw(t, "op") + " " + literal()
	}
}

// randomVectors draws n rows of the columns of randomFilter.
func randomVectors(t *rapid.T, n int) map[string]Vector {
	null := func() []bool {
		if rapid.Bool().Draw(t, "nullable") {
			return rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "null")
		}
		return nil
	}
	f, g, i, u := make([]float64, n), make([]float64, n), make([]int64, n), make([]uint64, n)
	for r := range n {
		f[r], g[r], i[r], u[r] = drawFloat(t), drawFloat(t), drawInt(t), drawUint(t)
	}
	return map[string]Vector{"f": {Float64: f, Null: null()}, "g": {Float64: g, Null: null()}, "i": {Int64: i, Null: null()}, "u": {Uint64: u, Null: null()}}
}

func numericTypes(name string) (Type, error) {
	return map[string]Type{"f": Float64, "g": Float64, "i": Int64, "u": Uint64}[name], nil
}

// boundsOf are the statistics of a column, as tight as they can be.
func boundsOf(v Vector) Bounds {
	b := Bounds{AllNull: true}
	add := func(r int, x Value) {
		if at(v.Null, r) {
			b.Null = true
			return
		}
		b.AllNull = false
		if compareValues(x, x) == unordered {
			b.NaN = true
			return
		}
		if b.Min.typ == Invalid || compareValues(x, b.Min) == less {
			b.Min = x
		}
		if b.Max.typ == Invalid || compareValues(x, b.Max) == greater {
			b.Max = x
		}
	}
	for r, x := range v.Float64 {
		add(r, FloatValue(x))
	}
	for r, x := range v.Int64 {
		add(r, IntValue(x))
	}
	for r, x := range v.Uint64 {
		add(r, UintValue(x))
	}
	return b
}

// TestCanPassLosesNoRow checks that no rows pass a filter that CanPass rules
// out, and that a block gives the rows that each row alone gives.
func TestCanPassLosesNoRow(t *testing.T) {
	ruledOut := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "rows")
		src := randomFilter(t, 3)
		columns := randomVectors(t, n)
		e, err := Parse(src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		p, err := e.CompileFilter(numericTypes)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		var in []Vector
		for _, name := range p.Columns() {
			in = append(in, columns[name])
		}
		keep := make([]bool, n)
		if err := p.Filter(in, 0, keep); err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		for r := range n {
			var row []Vector
			for _, v := range in {
				row = append(row, v.slice(r, r+1))
			}
			alone := make([]bool, 1)
			if err := p.Filter(row, 0, alone); err != nil {
				t.Fatal(err)
			}
			if alone[0] != keep[r] {
				t.Fatalf("%s: row %d alone %v, in a block %v", src, r, alone[0], keep[r])
			}
		}
		if !e.CanPass(func(name string) (Bounds, bool) { return boundsOf(columns[name]), true }) {
			ruledOut++
			if slices.Contains(keep, true) {
				t.Fatalf("%s: ruled out, but rows %v pass", src, keep)
			}
		}
		if !e.CanPass(func(string) (Bounds, bool) { return Bounds{}, false }) && !strings.Contains(src, "null") {
			t.Fatalf("%s: ruled out without bounds", src)
		}
	})
	if ruledOut == 0 {
		t.Error("no filter was ever ruled out")
	}
}

func TestCanPass(t *testing.T) {
	bounds := map[string]Bounds{
		"mag":  {Min: FloatValue(10), Max: FloatValue(18), NaN: true},
		"id":   {Min: UintValue(1 << 63), Max: UintValue(1<<63 + 5)},
		"name": {Min: TextValue("b"), Max: TextValue("d")},
		"rv":   {AllNull: true, Null: true},
		"none": {},
	}
	for src, want := range map[string]bool{
		"mag > 18":                         false,
		"mag >= 18":                        true,
		"mag < 10":                         false,
		"9 > mag":                          false,
		"mag = 20":                         false,
		"mag != 20":                        true,
		"not mag > 5":                      true, // NaN is not greater
		"not id > 5":                       false,
		"id = 9223372036854775813":         true,
		"id = 9223372036854775814":         false,
		"id in (5, 9223372036854775814)":   false,
		"id in (5, 9223372036854775809)":   true,
		"mag between 19 and 20":            false,
		"mag between 1 and 11":             true,
		"mag > 11 and id < 5":              false,
		"mag > 11 or id < 5":               true,
		"name = 'a'":                       false,
		"name > 'c'":                       true,
		"name > 'd'":                       false,
		"rv > 5":                           false,
		"not rv > 5":                       false,
		"rv is null":                       true,
		"rv is not null":                   false,
		"mag is null":                      false,
		"none > 5":                         true,
		"unknown > 5":                      true,
		"mag + 1 > 50":                     true, // not looked into
		"false or mag > 18":                false,
		"true and not false":               true,
		"id not between 1 and 1e30":        false,
		"mag not in (1, 2)":                true,
		"not (mag > 18 or id is not null)": false,
	} {
		e, err := Parse(src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		if got := e.CanPass(func(name string) (Bounds, bool) { b, ok := bounds[name]; return b, ok }); got != want {
			t.Errorf("%s: %v, want %v", src, got, want)
		}
	}
}

// TestBlocks checks that rows beyond the first block are those of the columns.
func TestBlocks(t *testing.T) {
	const n = 3*blockRows + 17
	x, null := make([]float64, n), make([]bool, n)
	for i := range x {
		x[i] = float64(i)
		null[i] = i%7 == 3
	}
	e, _ := Parse("x % 5 = 1 or x is null")
	p, err := e.CompileFilter(func(string) (Type, error) { return Float64, nil })
	if err != nil {
		t.Fatal(err)
	}
	keep := make([]bool, n)
	if err := p.Filter([]Vector{{Float64: x, Null: null}}, 0, keep); err != nil {
		t.Fatal(err)
	}
	for i, k := range keep {
		if want := i%5 == 1 || i%7 == 3; k != want {
			t.Fatalf("row %d: %v, want %v", i, k, want)
		}
	}
}

// FuzzParse checks that no text makes Parse, Compile or Filter panic, and that
// errors are one line.
func FuzzParse(f *testing.F) {
	for _, src := range []string{"f > 2 and u in (1, 2) or not s = 'x'", `"BP-RP" ** 2 // -3 % i`, "sqrt(abs(-f)) <> pi", "i between -1 and 2 is null", "`", "v[1", "1e", "((("} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		e, err := Parse(src)
		var p *Program
		if err == nil {
			e.CanPass(func(string) (Bounds, bool) { return Bounds{Min: IntValue(1), Max: FloatValue(2)}, true })
			p, err = e.Compile(tableTypes)
		}
		if err != nil {
			if len(err.Error()) == 0 {
				t.Fatal("an empty error")
			}
			return
		}
		v, err := p.Eval(tableColumns(p.Columns()), 0, tableRows)
		if err == nil && !v.fits(p.Type(), tableRows) {
			t.Fatalf("%s: the result is not %d rows of %v", src, tableRows, p.Type())
		}
	})
}

func BenchmarkFilter(b *testing.B) {
	const n = 1 << 20
	x, y := make([]float64, n), make([]float64, n)
	null := make([]bool, n)
	for i := range x {
		x[i] = float64(i*2654435761%1000) / 100
		y[i] = float64(i * 40503 % 25)
		null[i] = i%10 == 0
	}
	for _, c := range []struct {
		name string
		null []bool
	}{{"plain", nil}, {"nulls", null}} {
		b.Run(c.name, func(b *testing.B) {
			e, _ := Parse("parallax > 2 and phot_g_mean_mag < 18")
			p, err := e.CompileFilter(func(string) (Type, error) { return Float64, nil })
			if err != nil {
				b.Fatal(err)
			}
			keep := make([]bool, n)
			b.SetBytes(16 * n)
			for b.Loop() {
				if err := p.Filter([]Vector{{Float64: x, Null: c.null}, {Float64: y}}, 0, keep); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
