package figure

import (
	"strings"
	"unicode"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"codeberg.org/go-fonts/dejavu/dejavuserif"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A typeface is the font of the text of a figure.
type typeface struct {
	variant   font.Variant
	font      *opentype.Font
	source    []byte    // the font as a TrueType file
	capHeight vg.Length // of capitals and digits, over the size
}

// The typefaces. Both have Greek, superscripts, primes and ☉, which the default
// typeface of gonum/plot lacks.
var (
	sans  = newTypeface("Sans", dejavusans.TTF)
	serif = newTypeface("Serif", dejavuserif.TTF)
)

func newTypeface(variant font.Variant, ttf []byte) *typeface {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic("figure: embedded font: " + err.Error())
	}
	return &typeface{variant: variant, font: f, source: ttf, capHeight: 0.729}
}

// faceOf is the typeface of a font.
func faceOf(f *opentype.Font) *typeface {
	if f == serif.font {
		return serif
	}
	return sans
}

// name is that of the typeface.
func (t *typeface) name() string { return "DejaVu " + string(t.variant) }

// face returns the typeface at a size.
func (t *typeface) face(size vg.Length) font.Face {
	return font.Face{Font: font.Font{Typeface: "DejaVu", Variant: t.variant, Size: size}, Face: t.font}
}

// textWidth returns the width of s.
func (t *typeface) textWidth(s string, size vg.Length) vg.Length {
	var w vg.Length
	for _, r := range scripts(s) {
		for _, p := range textRuns(t.font, r.text) {
			f := font.Face{Font: font.Font{Size: size * r.scale}, Face: p.font}
			w += f.Width(p.text)
		}
	}
	return w
}

// A textRun is a text in one font.
type textRun struct {
	font *opentype.Font
	text string
}

// textRuns splits a text into runs of one font. Characters that the font lacks are
// taken from sans, which has all that names and units need.
func textRuns(f *opentype.Font, s string) []textRun {
	if f == sans.font {
		return []textRun{{f, s}}
	}
	var (
		buf sfnt.Buffer
		all []textRun
	)
	for _, r := range s {
		use := f
		if g, err := f.GlyphIndex(&buf, r); err != nil || g == 0 {
			use = sans.font
		}
		if n := len(all); n > 0 && all[n-1].font == use {
			all[n-1].text += string(r)
		} else {
			all = append(all, textRun{use, string(r)})
		}
	}
	return all
}

// printable replaces control characters, such as line breaks in a column name, by
// spaces.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// fitText returns s, shortened with an ellipsis where it is wider than width.
func (t *typeface) fitText(s string, size, width vg.Length) string {
	s = printable(s)
	if t.textWidth(s, size) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && t.textWidth(string(r)+"…", size) > width {
		r = r[:len(r)-1]
	}
	cut := string(r)
	if open := strings.LastIndexByte(cut, '{'); open > 0 && !strings.Contains(cut[open:], "}") {
		cut = cut[:open-1] // a script is left out as a whole
	}
	return strings.TrimRight(cut, " ") + "…"
}

// A piece is a text of one font and size without kerning inside.
type piece struct {
	font *opentype.Font
	size vg.Length
	at   vg.Point // its origin
	text string
}

// pieces lays s out, the origin of its first glyph at pt. Where two glyphs are kerned
// a new piece begins.
func pieces(f *opentype.Font, size vg.Length, pt vg.Point, s string) (all []piece) {
	for _, r := range scripts(s) {
		for _, run := range textRuns(f, r.text) {
			part, end := kerned(run, size*r.scale, vg.Point{X: pt.X, Y: pt.Y + r.rise*size})
			all, pt.X = append(all, part...), end
		}
	}
	return all
}

// kerned splits a run where its glyphs are kerned, and returns where it ends.
func kerned(run textRun, size vg.Length, pt vg.Point) (all []piece, end vg.Length) {
	var (
		buf   sfnt.Buffer
		prev  sfnt.GlyphIndex
		em    = fixed.Int26_6(run.font.UnitsPerEm())
		scale = size / vg.Length(em)
		x     = pt.X
		from  = 0
	)
	all = []piece{{run.font, size, pt, run.text}}
	for i, r := range run.text {
		g, err := run.font.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if k, err := run.font.Kern(&buf, prev, g, em, xfont.HintingNone); err == nil && k != 0 {
				x += vg.Length(k) * scale
				all[len(all)-1].text = run.text[from:i]
				all, from = append(all, piece{run.font, size, vg.Point{X: x, Y: pt.Y}, run.text[i:]}), i
			}
		}
		prev = g
		if adv, err := run.font.GlyphAdvance(&buf, g, em, xfont.HintingNone); err == nil {
			x += vg.Length(adv) * scale
		}
	}
	return all, x
}

// outline returns the outlines of the glyphs. Quadratic curves are raised to cubic
// ones, which all back ends draw alike.
func (t piece) outline() (path vg.Path) {
	var (
		buf   sfnt.Buffer
		em    = fixed.Int26_6(t.font.UnitsPerEm())
		scale = t.size / vg.Length(em)
		x     = t.at.X
		cur   vg.Point
	)
	at := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: x + vg.Length(p.X)*scale, Y: t.at.Y - vg.Length(p.Y)*scale}
	}
	for _, r := range t.text {
		g, err := t.font.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		segments, err := t.font.LoadGlyph(&buf, g, em, nil)
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
		if adv, err := t.font.GlyphAdvance(&buf, g, em, xfont.HintingNone); err == nil {
			x += vg.Length(adv) * scale
		}
	}
	return path
}

// between returns the point at fraction t of the way from a to b.
func between(a, b vg.Point, t vg.Length) vg.Point {
	return vg.Point{X: a.X + (b.X-a.X)*t, Y: a.Y + (b.Y-a.Y)*t}
}
