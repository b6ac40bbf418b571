package expr

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// table is a small catalog: every type, with nulls, NaN, infinities and the
// ends of the integers. All columns have the same number of rows.
var table = map[string]Vector{
	"f":     {Float64: []float64{1.5, -2, 0, math.NaN(), math.Inf(1), 9007199254740992}},
	"fn":    {Float64: []float64{1, math.NaN(), 3, 4, 5, math.NaN()}, Null: []bool{false, true, false, false, true, false}},
	"f4":    {Float32: []float32{0.1, 0.5, 1, 2, 3, 16777216}},
	"i":     {Int64: []int64{-9223372036854775808, -1, 0, 1, 9007199254740993, 9223372036854775807}},
	"in64":  {Int64: []int64{1, 2, 3, 4, 5, 6}, Null: []bool{true, false, false, false, false, true}},
	"u":     {Uint64: []uint64{0, 1, 5188146736371635584, 5188146736371635585, 9223372036854775808, 18446744073709551615}},
	"b":     {Bool: []bool{true, false, true, false, true, false}},
	"bn":    {Bool: []bool{true, false, false, true, false, true}, Null: []bool{false, false, true, true, false, false}},
	"s":     {String: []string{"RR", "DSCT", "", "it's", "RR ", "α"}},
	"sn":    {String: []string{"a", "", "c", "", "e", "f"}, Null: []bool{false, true, false, true, false, false}},
	"BP-RP": {Float64: []float64{0, 1, 2, 3, 4, 5}},
	"a.b":   {Int64: []int64{0, 1, 2, 3, 4, 5}},
	"v[1]":  {Float64: []float64{0, 1, 2, 3, 4, 5}},
	"and":   {Int64: []int64{0, 1, 2, 3, 4, 5}},
	"min":   {Int64: []int64{0, 1, 2, 3, 4, 5}},
}

const tableRows = 6

func vectorType(v Vector) Type {
	for _, t := range []Type{Float64, Float32, Int64, Uint64, Bool, String} {
		if v.fits(t, tableRows) {
			return t
		}
	}
	return Invalid
}

func tableTypes(name string) (Type, error) {
	v, ok := table[name]
	if !ok {
		return Invalid, fmt.Errorf("no column %s", name)
	}
	return vectorType(v), nil
}

func tableColumns(names []string) []Vector {
	var c []Vector
	for _, n := range names {
		c = append(c, table[n])
	}
	return c
}

// filter returns the rows of the table that pass src.
func filter(t *testing.T, src string) []int {
	t.Helper()
	e, err := Parse(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	p, err := e.CompileFilter(tableTypes)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	keep := make([]bool, tableRows)
	if err := p.Filter(tableColumns(p.Columns()), 0, keep); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	rows := []int{}
	for i, k := range keep {
		if k {
			rows = append(rows, i)
		}
	}
	return rows
}

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		src  string
		want []int
	}{
		// Comparisons, NaN and infinities.
		{"f > 0", []int{0, 4, 5}},
		{"f != 0", []int{0, 1, 4, 5}}, // NaN passes no comparison
		{"not (f = 0)", []int{0, 1, 3, 4, 5}},
		{"f <= 1.5 and f >= -2", []int{0, 1, 2}},
		{"0 < f", []int{0, 4, 5}},
		{"isnan(f)", []int{3}},
		{"f == f", []int{0, 1, 2, 4, 5}},
		{"f between -2 and 1.5", []int{0, 1, 2}},
		{"f not between -2 and 1.5", []int{3, 4, 5}},
		{"f in (0, 1.5, 7)", []int{0, 2}},
		// Nulls.
		{"fn > 2", []int{2, 3}},
		{"not fn > 2", []int{0, 5}},
		{"fn is null", []int{1, 4}},
		{"fn is not null", []int{0, 2, 3, 5}},
		{"isnull(fn) || isnan(fn)", []int{1, 4, 5}},
		{"fn > 2 or in64 < 3", []int{1, 2, 3}},
		{"fn > 2 and in64 > 3", []int{3}},
		{"not (fn > 2 and in64 > 3)", []int{0, 1, 2, 5}},
		{"fn + in64 > 0", []int{2, 3}},
		{"not in64 in (2, 3)", []int{3, 4}},
		{"bn", []int{0, 5}},
		{"not bn", []int{1, 4}},
		{"bn or b", []int{0, 2, 4, 5}},
		{"bn and b", []int{0}},
		{"bn = b", []int{0, 1}},
		{"bn is null and sn is null", []int{3}},
		{"isnull(fn > 1)", []int{1, 4}},
		{"isnan(fn) is null", []int{1, 4}},
		// Integers are exact.
		{"u = 5188146736371635584", []int{2}},
		{"u > 5188146736371635584", []int{3, 4, 5}},
		{"u >= 18446744073709551615", []int{5}},
		{"u < 18446744073709551616", []int{0, 1, 2, 3, 4, 5}},
		{"u in (5188146736371635585, -1, 1.0, 0.5)", []int{1, 3}},
		{"u > -1", []int{0, 1, 2, 3, 4, 5}},
		{"u > 0.5", []int{1, 2, 3, 4, 5}},
		{"i = 9007199254740993", []int{4}},
		{"i = 9007199254740992.0", []int{}},
		{"i > 9007199254740992.0", []int{4, 5}},
		{"i < 9223372036854775808", []int{0, 1, 2, 3, 4, 5}},
		{"i = 9223372036854775807", []int{5}},
		{"i <= -9223372036854775808", []int{0}},
		{"i = f", []int{2}},
		{"i < f", []int{0, 4}}, // 9223372036854775807 > 2^53
		{"i > u", []int{}},
		{"f > i", []int{0, 4}},
		{"u != i", []int{0, 1, 2, 3, 4, 5}},
		{"i >= 0.5 and i <= 1.5", []int{3}},
		{"u // 2 = 2594073368185817792", []int{2, 3}},
		{"u % 2 = 1", []int{1, 3, 5}},
		{"in64 % 2 = 0", []int{1, 3}},
		{"-in64 % 3 = 1", []int{1, 4}},
		{"in64 // 2 * 2 = in64", []int{1, 3}},
		{"1 // in64 = 0 or 1 % (in64 - 2) = 0", []int{1, 2, 3, 4}},
		// float32 columns are widened, not the literal narrowed.
		{"f4 = 0.1", []int{}},
		{"f4 > 0.1 and f4 < 0.11", []int{0}},
		{"f4 = 0.5 or f4 = 16777216", []int{1, 5}},
		{"f4 = 16777217", []int{}},
		{"f4 * 2 = in64", []int{3}},
		// Texts.
		{"s = 'RR'", []int{0}},
		{"s != 'RR'", []int{1, 2, 3, 4, 5}},
		{"s in ('RR', 'it''s', 'α')", []int{0, 3, 5}},
		{"s < 'E'", []int{1, 2}},
		{"sn not in ('a', 'b')", []int{2, 4, 5}},
		{"sn >= 'c'", []int{2, 4, 5}},
		// Names.
		{`"BP-RP" > 3`, []int{4, 5}},
		{"`BP-RP` > 3", []int{4, 5}},
		{"a.b = 1", []int{1}},
		{`"a.b" = 1`, []int{1}},
		{"v[1] = 2", []int{2}},
		{`"v"[1] = 2`, []int{2}},
		{`"and" = 1 AND min = 1 And min(min, 5) = 1`, []int{1}},
		// Arithmetic, precedence and functions.
		{"a.b + 2 * 3 = 7", []int{1}},
		{"(a.b + 2) * 3 = 9", []int{1}},
		{"-a.b ^ 2 = -4", []int{2}},
		{"2 ^ 3 ^ 2 = 512 and a.b = 0", []int{0}},
		{"2 ** -1 = 0.5 and a.b = 0", []int{0}},
		{"a.b / 2 = 1.5", []int{3}},
		{"(a.b - 4) % 3 = 2", []int{0, 3}},
		{"(\"BP-RP\" - 4.5) % 3 = 2.5", []int{1, 4}},
		{"-7 // 2 = -4 and 7 // -2 = -4 and -7.5 // 2 = -4 and b", []int{0, 2, 4}},
		{"abs(a.b - 3) <= 1", []int{2, 3, 4}},
		{"sqrt(a.b) = 2", []int{4}},
		{"log10(1000) = 3 and log10(0.001) = -3 and log(exp(1)) = 1 and b", []int{0, 2, 4}},
		{"round(2.5) = 3 and floor(-0.5) = -1 and ceil(0.5) = 1 and round(a.b) = a.b and b", []int{0, 2, 4}},
		{"max(a.b, 2, 3.5) = 3.5", []int{0, 1, 2, 3}},
		{"max(a.b, min(4, 3)) = 3", []int{0, 1, 2, 3}},
		{"hypot(3, 4) = 5 and degrees(pi) = 180 and radians(180) = PI and atan2(0, -1) = pi and b", []int{0, 2, 4}},
		{"sin(0) = 0 and cos(0) = 1 and tan(0) = 0 and asin(1) = pi / 2 and acos(1) = 0 and atan(0) = 0 and b", []int{0, 2, 4}},
		{"b = true and bn != TRUE", []int{4}},
		{"true", []int{0, 1, 2, 3, 4, 5}},
		{"a.b*-1 = -1", []int{1}},
		{"1 - -1 = 2 and +1 = 1 and !b", []int{1, 3, 5}},
	} {
		if got := filter(t, c.src); !slices.Equal(got, c.want) {
			t.Errorf("%s: rows %v, want %v", c.src, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "the expression is empty, at character 1"},
		{"   ", "the expression is empty, at character 1"},
		{"f >", "the expression ends where a value was expected, at character 4"},
		{"f > 2 g", "unexpected g, expected an operator or the end, at character 7"},
		{"(f > 2", "the expression ends where ) was expected, at character 7"},
		{"f > 2)", "unexpected ), expected an operator or the end, at character 6"},
		{"sqr(f) > 2", "unknown function sqr; did you mean sqrt?, at character 1"},
		{"magnitude(f) > 2", "unknown function magnitude; there are abs, acos, asin, atan, atan2, ceil, comoving, cos, degrees, dms, exp, floor, hms, hypot, isnan, isnull, log, log10, max, min, parsecs, radians, round, sin, sqrt, tan, tangential, at character 1"},
		{"sqrt(f, 2) > 2", "sqrt takes 1 argument, not 2, at character 1"},
		{"atan2(f) > 2", "atan2 takes 2 arguments, not 1, at character 1"},
		{"max() > 2", "max takes 2 to 64 arguments, not 0, at character 1"},
		{"s = 'RR", "the quote ' is never closed, at character 5"},
		{`"" = 1`, "a column name cannot be empty, at character 1"},
		{"f > 1 & b", "& is not an operator; write && or and, at character 7"},
		{"f > 1; b", "; has no meaning here; combine conditions with and, or, at character 6"},
		{"α > #", "unexpected character '#', at character 5"},
		{"1 < f < 3", "comparisons do not chain; write 1 < f and f < …, at character 7"},
		{"f = null", "no comparison with null is ever true; write f is null, at character 5"},
		{"f in (1, null)", "unexpected null, expected a number or text in single quotes, at character 10"},
		{"f in ()", "unexpected ), expected a number or text in single quotes, at character 7"},
		{"f not 3", "unexpected 3, expected between or in, at character 7"},
		{"and > 3", `unexpected and, expected a value (a column of that name is written "and"), at character 1`},
		{"f > 1e999", "1e999 is beyond the range of a float64, ±1.8e308, at character 5"},
		{strings.Repeat("(", 300), "the expression is nested more than 200 levels deep, at character 201"},
		{strings.Repeat("-", 300) + "f", "the expression is nested more than 200 levels deep, at character 201"},
		{strings.Repeat("not ", 300) + "b", "the expression is nested more than 200 levels deep, at character 801"},
		{"2" + strings.Repeat("^2", 300), "the expression is nested more than 200 levels deep, at character 402"},
		{"b" + strings.Repeat(" or b", 3000), "the expression has more than 4096 operators and operands; use in (…) for long lists, at character 1"},
		// Types.
		{"s = 5", "s is a string, it cannot be compared with 5, at character 1"},
		{"5 = s", "s is a string, it cannot be compared with 5, at character 5"},
		{"f = 'RR'", "f is a float64, it cannot be compared with 'RR', at character 1"},
		{"f in ('RR')", "f is a float64, the list has 'RR', at character 1"},
		{"s in ('it''s', 5)", "s is a string, the list has 5, at character 1"},
		{"b in (1)", "b is a bool, in needs a number or a string, at character 1"},
		{"b < true", "b is a bool, it can only be compared by = and !=, at character 1"},
		{"s + 1 > 2", "s is a string, + needs numbers, at character 1"},
		{"-s > 2", "s is a string, the sign needs a number, at character 2"},
		{"f and b", "f is a float64, and needs true or false, at character 1"},
		{"b and i", "i is an int64, and needs true or false, at character 7"},
		{"not f4", "f4 is a float64, not needs true or false, at character 5"},
		{"sqrt(s) > 2", "s is a string, sqrt needs a number, at character 6"},
		{"max(f, s) > 2", "s is a string, max needs numbers, at character 8"},
		{"f + 1", "f + 1 is a float64, a filter must be true or false, such as f + 1 > 0, at character 1"},
		{"f", "f is a float64, a filter must be true or false, such as f > 0, at character 1"},
		{"(f > 2 and z < 3)", "no column z, at character 12"},
		{`s = "RR"`, "no column RR (double quotes name a column; text is written 'RR'), at character 5"},
		{"BP-RP > 3", `no column BP; the column BP-RP is written "BP-RP", at character 1`},
		{"f > 1 and isnan(BP-RP)", `no column BP; the column BP-RP is written "BP-RP", at character 17`},
	} {
		e, err := Parse(c.src)
		if err == nil {
			_, err = e.CompileFilter(tableTypes)
		}
		if err == nil {
			t.Errorf("%.60s: no error, want %q", c.src, c.want)
		} else if err.Error() != c.want {
			t.Errorf("%.60s:\n got %q\nwant %q", c.src, err, c.want)
		}
	}
}

func TestOverflow(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"i + 1 > 0", "integer overflow in i + 1, row 1005; write 1.0 * … for float64"},
		{"i - 1 > 0", "integer overflow in i - 1, row 1000; write 1.0 * … for float64"},
		{"-i > 0", "integer overflow in -i, row 1000; write 1.0 * … for float64"},
		{"abs(i) > 0", "integer overflow in abs(i), row 1000; write 1.0 * … for float64"},
		{"i * 1024 > 0", "integer overflow in i * 1024, row 1000; write 1.0 * … for float64"},
		{"i // -1 > 0", "integer overflow in i // -1, row 1000; write 1.0 * … for float64"},
		{"u + 1 > 0", "integer overflow in u + 1, row 1005; write 1.0 * … for float64"},
		{"u * 4 > 0", "integer overflow in u * 4, row 1002; write 1.0 * … for float64"},
		{"u - 1 > 0", "integer overflow in u - 1, row 1004; write 1.0 * … for float64"},
		{"u + i > 0", "integer overflow in u + i, row 1004; write 1.0 * … for float64"},
	} {
		e, err := Parse(c.src)
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.CompileFilter(tableTypes)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Filter(tableColumns(p.Columns()), 1000, make([]bool, tableRows))
		if !errors.Is(err, ErrOverflow) || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.src, err, c.want)
		}
	}
}

func TestEval(t *testing.T) {
	e, err := Parse("fn * 2")
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Compile(tableTypes)
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Eval(tableColumns(p.Columns()), 0, tableRows)
	if err != nil {
		t.Fatal(err)
	}
	if p.Type() != Float64 || v.Float64[2] != 6 || v.Float64[3] != 8 || !math.IsNaN(v.Float64[5]) {
		t.Errorf("fn * 2 = %v", v.Float64)
	}
	if want := []bool{false, true, false, false, true, false}; !slices.Equal(v.Null, want) {
		t.Errorf("nulls %v, want %v", v.Null, want)
	}
	if err := p.Filter(tableColumns(p.Columns()), 0, make([]bool, tableRows)); err == nil {
		t.Error("a number was taken for a filter")
	}
}

func TestColumns(t *testing.T) {
	e, err := Parse(`ra > 2 and "BP-RP" < ra or pos[0] in (1) and pi > PHOT`)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"ra", "BP-RP", "pos[0]", "PHOT"}; !slices.Equal(e.Columns(), want) {
		t.Errorf("columns %q, want %q", e.Columns(), want)
	}
}

func TestWrongVectors(t *testing.T) {
	e, _ := Parse("f > 0")
	p, err := e.CompileFilter(tableTypes)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]Vector{nil, {{Int64: make([]int64, 3)}}, {{Float64: make([]float64, 2)}}, {{Float64: make([]float64, 3), Null: make([]bool, 2)}}} {
		if err := p.Filter(c, 0, make([]bool, 3)); err == nil {
			t.Errorf("%v was taken for 3 rows of f", c)
		}
	}
}

func TestShort(t *testing.T) {
	for src, want := range map[string]string{
		" x >\n\t3 ":             "x >  3",
		strings.Repeat("α", 120): strings.Repeat("α", 120),
		strings.Repeat("a", 90) + strings.Repeat("b", 90): strings.Repeat("a", 80) + " … " + strings.Repeat("b", 40),
	} {
		if got := Short(src); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}
