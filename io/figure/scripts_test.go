package figure

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestScripts(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []script
	}{
		{"", nil},
		{"phot_g_mean_mag", []script{{"phot_g_mean_mag", 0, 1}}},
		{"w_{p}(r_{p})", []script{{"w", 0, 1}, {"p", subscriptRise, scriptScale}, {"(r", 0, 1}, {"p", subscriptRise, scriptScale}, {")", 0, 1}}},
		{"h^{−1} Mpc", []script{{"h", 0, 1}, {"−1", superscriptRise, scriptScale}, {" Mpc", 0, 1}}},
		{"a_{b", []script{{"a_{b", 0, 1}}},
		{"a_{} b", []script{{"a_{} b", 0, 1}}},
	} {
		if got := scripts(c.in); !slices.Equal(got, c.want) {
			t.Errorf("scripts(%q) = %v, want %v", c.in, got, c.want)
		}
	}
}

// A subscript is smaller than the same text on the line and lies lower.
func TestSubscriptGeometry(t *testing.T) {
	if w, full := sans.textWidth("w_{p}", 10), sans.textWidth("wp", 10); w >= full {
		t.Errorf("w_{p} is %v wide, wp %v", w, full)
	}
	low := func(s string) vg.Length {
		y := vg.Length(1e9)
		for _, c := range outline(sans.font, 10, vg.Point{}, s) {
			y = min(y, c.Pos.Y)
		}
		return y
	}
	if a, b := low("M_{☉}"), low("M☉"); a >= b {
		t.Errorf("the subscript reaches down to %v, plain text to %v", a, b)
	}
}
