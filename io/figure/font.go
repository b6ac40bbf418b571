package figure

import (
	"strings"
	"unicode"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// sans is the one typeface of all figures: it has Greek, superscripts, primes
// and ☉, which the default typeface of gonum/plot lacks.
var sans = func() *opentype.Font {
	f, err := opentype.Parse(dejavusans.TTF)
	if err != nil {
		panic("figure: embedded font: " + err.Error())
	}
	return f
}()

// capHeight is the height of capitals and digits of the typeface over its size.
const capHeight = 0.729

// face returns the typeface at a size.
func face(size vg.Length) font.Face {
	return font.Face{Font: font.Font{Typeface: "DejaVu", Variant: "Sans", Size: size}, Face: sans}
}

// textWidth returns the width of s.
func textWidth(s string, size vg.Length) vg.Length {
	f := face(size)
	return f.Width(s)
}

// printable replaces what has no glyph of its own, such as line breaks in a
// column name, by spaces.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// fitText returns s, shortened with an ellipsis where it is wider than width.
func fitText(s string, size, width vg.Length) string {
	s = printable(s)
	if textWidth(s, size) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && textWidth(string(r)+"…", size) > width {
		r = r[:len(r)-1]
	}
	return strings.TrimRight(string(r), " ") + "…"
}

// outline returns the glyph outlines of s, the first glyph's origin at pt.
// Quadratic curves are raised to cubic ones, which all back ends draw alike.
func outline(f *opentype.Font, size vg.Length, pt vg.Point, s string) vg.Path {
	var (
		buf   sfnt.Buffer
		path  vg.Path
		prev  sfnt.GlyphIndex
		em    = fixed.Int26_6(f.UnitsPerEm())
		scale = size / vg.Length(em)
		x     = pt.X
		cur   vg.Point
	)
	at := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: x + vg.Length(p.X)*scale, Y: pt.Y - vg.Length(p.Y)*scale}
	}
	for i, r := range s {
		g, err := f.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if k, err := f.Kern(&buf, prev, g, em, xfont.HintingNone); err == nil {
				x += vg.Length(k) * scale
			}
		}
		prev = g
		segments, err := f.LoadGlyph(&buf, g, em, nil)
		if err != nil {
			continue
		}
		open := false
		for _, seg := range segments {
			switch seg.Op {
			case sfnt.SegmentOpMoveTo:
				if open {
					path.Close()
				}
				open = true
				cur = at(seg.Args[0])
				path.Move(cur)
			case sfnt.SegmentOpLineTo:
				cur = at(seg.Args[0])
				path.Line(cur)
			case sfnt.SegmentOpQuadTo:
				c, end := at(seg.Args[0]), at(seg.Args[1])
				path.CubeTo(between(cur, c, 2./3), between(end, c, 2./3), end)
				cur = end
			case sfnt.SegmentOpCubeTo:
				cur = at(seg.Args[2])
				path.CubeTo(at(seg.Args[0]), at(seg.Args[1]), cur)
			}
		}
		if open {
			path.Close()
		}
		if adv, err := f.GlyphAdvance(&buf, g, em, xfont.HintingNone); err == nil {
			x += vg.Length(adv) * scale
		}
	}
	return path
}

// between returns the point at fraction t of the way from a to b.
func between(a, b vg.Point, t vg.Length) vg.Point {
	return vg.Point{X: a.X + (b.X-a.X)*t, Y: a.Y + (b.Y-a.Y)*t}
}
