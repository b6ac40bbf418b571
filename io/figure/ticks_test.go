package figure

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// labels returns the labels of ticks in order.
func labels(ticks []tick) string {
	var s []string
	for _, t := range ticks {
		if t.label != "" {
			s = append(s, t.label)
		}
	}
	return strings.Join(s, " ")
}

func TestRulers(t *testing.T) {
	for _, c := range []struct {
		name           string
		ruler          ruler
		lo, hi         float64
		n              int
		labels, offset string
	}{
		{"unit", linearRuler, 0, 1, 5, "0.0 0.2 0.4 0.6 0.8 1.0", ""},
		{"minus", linearRuler, -1, 1, 4, "−1.0 −0.5 0.0 0.5 1.0", ""},
		{"thousands", linearRuler, 0, 3e5, 3, "0 100000 200000 300000", ""},
		{"millions", linearRuler, 0, 2e6, 4, "0 5×10⁵ 10⁶ 1.5×10⁶ 2×10⁶", ""},
		{"tiny", linearRuler, -2e-7, 2e-7, 4, "−2×10⁻⁷ −10⁻⁷ 0 10⁻⁷ 2×10⁻⁷", ""},
		{"far", linearRuler, 1e9, 1e9 + 40, 4, "0 10 20 30 40", " − 1000000000"},
		{"far below", linearRuler, -1e9 - 40, -1e9, 2, "−40 −20 0", " + 1000000000"},
		{"arcseconds", degreeRuler, 201.69690, 201.69692, 2, "0 10⁻⁵ 2×10⁻⁵", " − 201.6969"},
		{"circle", raRuler, 0, 360, 8, "0 45 90 135 180 225 270 315 360", ""},
		{"seam above", raRuler, 350, 370, 4, "350 355 0 5 10", ""},
		{"seam below", raRuler, -0.4, 0.4, 4, "359.6 359.8 0.0 0.2 0.4", ""},
		{"fine seam", raRuler, -2e-6, 2e-6, 2, "359.999998 0.000000 0.000002", ""},
		{"to the left", mirrored(degreeRuler), -60, -30, 3, "30 40 50 60", ""},
		{"decades", logRuler, 0.1, 10, 5, "0.1 1 10", ""},
		{"powers", logRuler, 1e-5, 1e4, 9, "10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹ 10⁰ 10¹ 10² 10³ 10⁴", ""},
		{"many decades", logRuler, 1e-30, 1e30, 4, "10⁻³⁰ 10⁻¹⁵ 10⁰ 10¹⁵ 10³⁰", ""},
		{"within a decade", logRuler, 0.15, 0.9, 5, "0.2 0.5", ""},
		{"within a factor of three", logRuler, 40, 90, 5, "40 50 60 70 80 90", ""},
		{"large, within a decade", logRuler, 1.5e8, 9e8, 5, "2×10⁸ 5×10⁸", ""},
	} {
		ticks, offset := c.ruler(c.lo, c.hi, c.n)
		if got := labels(ticks); got != c.labels || offset != c.offset {
			t.Errorf("%s: ticks %s, offset %q, want %s, offset %q", c.name, got, offset, c.labels, c.offset)
		}
	}
}

var plainDigits = strings.NewReplacer("⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

// parse reads a label, or an offset without its sign, back.
func parse(t *rapid.T, s string) float64 {
	s = strings.ReplaceAll(s, "−", "-")
	if mantissa, power, ok := strings.Cut(s, "×10"); ok {
		s = mantissa + "e" + plainDigits.Replace(power)
	} else if sign, power, ok := strings.Cut(s, "10"); ok && strings.TrimLeft(sign, "-") == "" && plainDigits.Replace(power) != power {
		s = sign + "1e" + plainDigits.Replace(power)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatalf("label %q is no number", s)
	}
	return v
}

// Labels say where their ticks are, and no two are the same.
func TestLinearLabelsAreTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mid := rapid.Float64Range(-1, 1).Draw(t, "mid") * math.Pow10(rapid.IntRange(-20, 20).Draw(t, "exponent"))
		width := math.Pow10(rapid.IntRange(-25, 25).Draw(t, "width"))
		r := interval{mid - width, mid + width}.padded(0.5)
		ticks, offset := linearRuler(r.lo, r.hi, rapid.IntRange(1, 9).Draw(t, "n"))
		base := 0.
		if s, ok := strings.CutPrefix(offset, " − "); ok {
			base = parse(t, s)
		} else if s, ok := strings.CutPrefix(offset, " + "); ok {
			base = -parse(t, s)
		}
		seen := map[string]bool{}
		for _, tick := range ticks {
			if tick.label == "" {
				continue
			}
			if seen[tick.label] {
				t.Fatalf("label %s twice on %v … %v", tick.label, r.lo, r.hi)
			}
			seen[tick.label] = true
			if v := base + parse(t, tick.label); math.Abs(v-tick.value) > 1e-6*r.span()+4e-16*math.Abs(mid) {
				t.Fatalf("label %s (offset %q) means %v, its tick is at %v, on %v … %v", tick.label, offset, v, tick.value, r.lo, r.hi)
			}
		}
		if len(ticks) > 200 {
			t.Fatalf("%d ticks on %v … %v", len(ticks), r.lo, r.hi)
		}
	})
}

func TestLogRulerIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-300, 299).Draw(t, "lo"))
		hi := min(lo*math.Pow(10, rapid.Float64Range(0.01, 600).Draw(t, "span")), 1e301)
		ticks, _ := logRuler(lo, hi, rapid.IntRange(1, 9).Draw(t, "n"))
		if len(ticks) > 700 {
			t.Fatalf("%d ticks on %v … %v", len(ticks), lo, hi)
		}
		for _, tick := range ticks {
			if at := (logScale{}).normalize(lo, hi, tick.value); at < -1e-6 || at > 1+1e-6 {
				if tick.label != "" {
					t.Fatalf("label %s at %v, outside %v … %v", tick.label, tick.value, lo, hi)
				}
			}
		}
	})
}

// Every axis as wide as a column gets at least two labels, which do not touch.
func TestAxesHaveTwoLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) float64 {
			return float64(rapid.IntRange(-99, 99).Draw(t, name)) * math.Pow10(rapid.IntRange(-9, 12).Draw(t, name+" exponent"))
		}
		width := rapid.SampledFrom([]float64{60, SingleColumn, DoubleColumn}).Draw(t, "width")
		m := ClusterMap{X: column(draw("x0"), draw("x1")), Y: column(draw("y0"), draw("y1")), Style: Style{Width: width}}
		p, err := m.panel()
		if err != nil {
			t.Fatal(err)
		}
		want := 2
		if width < SingleColumn { // two long labels may not fit
			want = 1
		}
		if x, y := labelled(p.xTicks), labelled(p.yTicks); x < want || y < 2 {
			t.Fatalf("%d labels of x, %d of y", x, y)
		}
		if !p.apart(p.xTicks) {
			t.Fatalf("labels of x touch: %s", labels(p.xTicks))
		}
		if p.data.Max.X+p.overhang() > p.width {
			t.Fatalf("the last label of x is cut: %s", labels(p.xTicks))
		}
	})
}

// Where no round step has two labels that fit, some of a finer one are left out.
func TestLabelsAreThinned(t *testing.T) {
	m := ClusterMap{X: column(-4e-6, -4e-6), Y: column(-1e4, 0), Style: Style{Width: SingleColumn}}
	p, err := m.panel()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := labels(p.xTicks), "−4.4×10⁻⁶ −4×10⁻⁶ −3.6×10⁻⁶"; got != want {
		t.Errorf("labels %s, want %s", got, want)
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 0.15: "0.15", 12.3456: "12.35", -3: "−3", 123456: "123500", 2.5e7: "2.5×10⁷", -4e-9: "−4×10⁻⁹", 0.00025: "0.00025", math.Inf(-1): "−Inf",
	} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %s, want %s", v, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 4999950000: "4,999,950,000"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 102: "102nd", 111: "111th"} {
		if got := ordinal(n); got != want {
			t.Errorf("ordinal(%d) = %s, want %s", n, got, want)
		}
	}
	if got := fixedPoint(-0.001, 2); got != "0.00" {
		t.Errorf("fixedPoint(-0.001, 2) = %s, want no negative zero", got)
	}
}
