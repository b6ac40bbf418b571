package figure

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A drawing is a canvas of SVG whose text is text, and which knows the letters that it
// has written.
type drawing struct {
	*vgsvg.Canvas
	letters map[*typeface]map[rune]bool
}

// FillString implements vg.Canvas.
func (d drawing) FillString(f font.Face, pt vg.Point, s string) {
	if f.Font.Size <= 0 {
		return
	}
	for _, t := range pieces(f.Face, f.Font.Size, pt, s) {
		face := faceOf(t.font)
		if d.letters[face] == nil {
			d.letters[face] = map[rune]bool{}
		}
		for _, r := range t.text {
			d.letters[face][r] = true
		}
		text := strings.TrimLeft(t.text, " ") // browsers leave spaces at the ends of texts out
		t.at.X += face.textWidth(strings.Repeat(" ", len(t.text)-len(text)), t.size)
		d.Canvas.FillString(face.face(t.size), t.at, text)
	}
}

// What the canvas of gonum/plot writes and should not: it embeds PNG images but
// announces JPEG, and names a typeface without others in its place.
var (
	svgHead = []byte("xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n")
	mended  = strings.NewReplacer(
		`xlink:href="data:image/jpg;`, `xlink:href="data:image/png;`,
		`style="font-family:DejaVu Sans;`, `style="font-family:DejaVu Sans,Verdana,sans-serif;`,
		`style="font-family:DejaVu Serif;`, `style="font-family:DejaVu Serif,serif;`)
)

func (f *Figure) svg() ([]byte, error) {
	d := drawing{vgsvg.New(f.width, f.height), map[*typeface]map[rune]bool{}}
	f.draw(draw.NewCanvas(d, f.width, f.height))
	var b bytes.Buffer
	if _, err := d.WriteTo(&b); err != nil {
		return nil, err
	}
	fonts, err := d.fonts()
	if err != nil {
		return nil, err
	}
	head, body, _ := bytes.Cut(b.Bytes(), svgHead)
	var title bytes.Buffer
	if f.Info.Title != "" {
		title.WriteString("<title>")
		xml.EscapeText(&title, []byte(f.Info.Title))
		title.WriteString("</title>\n")
	}
	about := "<metadata>" + f.Info.XMP() + "</metadata>\n"
	return slices.Concat(head, svgHead, title.Bytes(), []byte(about), fonts, []byte(mended.Replace(string(body)))), nil
}

// fonts are the typefaces with the letters that are used.
func (d drawing) fonts() ([]byte, error) {
	var b bytes.Buffer
	for _, t := range []*typeface{sans, serif} {
		if len(d.letters[t]) == 0 {
			continue
		}
		var letters []rune
		for r := range d.letters[t] {
			if r <= 0xffff {
				letters = append(letters, r)
			}
		}
		slices.Sort(letters)
		ttf, err := t.subset(string(letters))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "<style>@font-face{font-family:\"%s\";src:url(data:font/ttf;base64,%s)}</style>\n", t.name(), base64.StdEncoding.EncodeToString(ttf))
	}
	return b.Bytes(), nil
}
