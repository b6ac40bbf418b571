package figure

import (
	"math"
	"testing"

	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/vg"
)

func outline(f *opentype.Font, size vg.Length, pt vg.Point, s string) (path vg.Path) {
	for _, t := range pieces(f, size, pt, s) {
		path = append(path, t.outline()...)
	}
	return path
}

// Every sign that units and names need has a glyph of its own: a missing one
// is drawn as the box of glyph 0, and an empty one would change a number.
func TestGlyphs(t *testing.T) {
	for _, face := range []*typeface{sans, serif} {
		testGlyphs(t, face)
	}
}

func testGlyphs(t *testing.T, face *typeface) {
	missing := outline(face.font, 10, vg.Point{}, "\U0010FFFF")
	for _, r := range "αβγδεθλμνξηπρστφχψωΔΘΛΞΣΦΩ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺°′″☉⊙ℓ×−±…·√≤≥∞½ÅàéüñŁž" {
		got := outline(face.font, 10, vg.Point{}, string(r))
		if len(got) == 0 {
			t.Errorf("%s: %c is drawn as nothing", face.variant, r)
			continue
		}
		if len(got) == len(missing) && got[0].Pos == missing[0].Pos && got[1].Pos == missing[1].Pos {
			t.Errorf("%s: %c has no glyph", face.variant, r)
		}
	}
}

// What is drawn is as wide as what was measured.
func TestOutlineWidth(t *testing.T) {
	for _, s := range []string{"Dec (deg)", "AVAVA", "10⁻¹²", "ξ, east of RA 12.3°"} {
		extent := vg.Length(math.Inf(-1))
		for _, c := range outline(sans.font, 100, vg.Point{}, s+"|") {
			extent = max(extent, c.Pos.X)
		}
		bar := vg.Length(math.Inf(-1))
		for _, c := range outline(sans.font, 100, vg.Point{}, "|") {
			bar = max(bar, c.Pos.X)
		}
		if w := sans.textWidth(s, 100); math.Abs(float64(extent-bar-w)) > 3 { // kerning before the bar
			t.Errorf("%q is %v wide as drawn, %v as measured", s, extent-bar, w)
		}
	}
}

func TestFitText(t *testing.T) {
	if got := sans.fitText("short", 8, 100); got != "short" {
		t.Errorf("a text that fits became %q", got)
	}
	got := sans.fitText("a very long name of a column", 8, 60)
	if w := sans.textWidth(got, 8); w > 60 || w < 40 || got[len(got)-len("…"):] != "…" {
		t.Errorf("cut to %q, %v wide, want an ellipsis and at most 60", got, w)
	}
	if got := sans.fitText("x\ny", 8, 100); got != "x y" {
		t.Errorf("a line break became %q, want a space", got)
	}
}
