package figure

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	stddraw "image/draw"
	"image/png"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A document is a page of PDF. The canvas of gonum/plot encodes text in Windows-1252,
// which has no Greek, and lets nobody set the dates and titles of its document.
type document struct {
	doc    *fpdf.Fpdf
	height float64
	images int
	widths map[int]bool // of images
}

func (f *Figure) pdf() ([]byte, error) {
	d := &document{newPDF(f.width.Points(), f.height.Points()), f.height.Points(), 0, map[int]bool{}}
	d.doc.SetTitle(f.Info.Title, true)
	d.doc.SetCreator(f.Info.Tool, true)
	d.doc.SetXmpMetadata([]byte(f.Info.XMP()))
	d.Push()
	vg.Initialize(d)
	f.draw(draw.NewCanvas(d, f.width, f.height))
	d.Pop()
	var b bytes.Buffer
	err := d.doc.Output(&b)
	return b.Bytes(), err
}

// newPDF returns a document of one page whose bytes do not depend on when it is made.
func newPDF(width, height float64) *fpdf.Fpdf {
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width, Ht: height}})
	date := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	doc.SetCreationDate(date)
	doc.SetModificationDate(date)
	doc.SetCatalogSort(true) // or images come in the order of a Go map
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	return doc
}

// write writes s with its origin at x, y. Of the typeface the document keeps the
// letters that it needs.
func (t *typeface) write(doc *fpdf.Fpdf, size, x, y float64, s string) {
	family := "DejaVu" + string(t.variant)
	doc.AddUTF8FontFromBytes(family, "", t.source) // once
	doc.SetFont(family, "", size)
	doc.Text(x, y, s)
}

// subset returns the typeface with some letters only, as a TrueType file: that of a
// document which has no others.
func (t *typeface) subset(letters string) ([]byte, error) {
	doc := newPDF(100, 100)
	t.write(doc, 10, 0, 50, letters)
	var b bytes.Buffer
	if err := doc.Output(&b); err != nil {
		return nil, err
	}
	_, file, _ := bytes.Cut(b.Bytes(), []byte("/Length1 "))
	_, file, _ = bytes.Cut(file, []byte("stream\n"))
	r, err := zlib.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// The document measures y downwards.
func (d *document) down(y vg.Length) float64 { return d.height - y.Points() }

// SetLineWidth implements vg.Canvas, as the other methods do.
func (d *document) SetLineWidth(w vg.Length) { d.doc.SetLineWidth(w.Points()) }

func (d *document) SetLineDash(dashes []vg.Length, offset vg.Length) {
	lengths := make([]float64, len(dashes))
	for i, l := range dashes {
		lengths[i] = l.Points()
	}
	d.doc.SetDashPattern(lengths, offset.Points())
}

// SetColor sets a colour, which is opaque as all are here.
func (d *document) SetColor(c color.Color) {
	r, g, b, _ := c.RGBA()
	d.doc.SetFillColor(int(r>>8), int(g>>8), int(b>>8))
	d.doc.SetDrawColor(int(r>>8), int(g>>8), int(b>>8))
	d.doc.SetTextColor(int(r>>8), int(g>>8), int(b>>8))
}

func (d *document) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	d.doc.Transform(fpdf.TransformMatrix{A: cos, B: sin, C: -sin, D: cos})
}

func (d *document) Translate(pt vg.Point) {
	d.doc.Transform(fpdf.TransformMatrix{A: 1, D: 1, E: pt.X.Points(), F: pt.Y.Points()})
}

func (d *document) Scale(x, y float64) { d.doc.Transform(fpdf.TransformMatrix{A: x, D: y}) }

func (d *document) Push() { d.doc.TransformBegin() }

func (d *document) Pop() { d.doc.TransformEnd() }

func (d *document) Stroke(p vg.Path) { d.path(p, "D") }

func (d *document) Fill(p vg.Path) { d.path(p, "F") }

// path draws a path without arcs, of which this package makes none.
func (d *document) path(p vg.Path, how string) {
	for _, part := range p {
		x, y := part.Pos.X.Points(), d.down(part.Pos.Y)
		switch part.Type {
		case vg.MoveComp:
			d.doc.MoveTo(x, y)
		case vg.LineComp:
			d.doc.LineTo(x, y)
		case vg.CurveComp:
			a, b := part.Control[0], part.Control[1]
			d.doc.CurveBezierCubicTo(a.X.Points(), d.down(a.Y), b.X.Points(), d.down(b.Y), x, y)
		case vg.CloseComp:
			d.doc.ClosePath()
		}
	}
	d.doc.DrawPath(how)
}

func (d *document) FillString(f font.Face, pt vg.Point, s string) {
	if f.Font.Size <= 0 {
		return
	}
	for _, t := range pieces(f.Face, f.Font.Size, pt, s) {
		if !basic(t.text) {
			d.Fill(t.outline())
			continue
		}
		faceOf(t.font).write(d.doc, t.size.Points(), t.at.X.Points(), d.down(t.at.Y), t.text)
	}
}

// basic reports whether a text consists of characters of the Basic Multilingual Plane,
// to which fonts within documents are limited.
func basic(s string) bool {
	for _, r := range s {
		if r > 0xffff {
			return false
		}
	}
	return true
}

// DrawImage draws an image. The document sorts its images by width, leaving those of
// equal width in the order of a Go map, so each needs a width of its own.
func (d *document) DrawImage(r vg.Rectangle, img image.Image) {
	dot := r.Size().X / vg.Length(img.Bounds().Dx())
	for d.widths[img.Bounds().Dx()] {
		img = widened(img)
		r.Max.X += dot
	}
	d.widths[img.Bounds().Dx()] = true
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		d.doc.SetError(err)
		return
	}
	d.images++
	name, as := string(rune('a'+d.images)), fpdf.ImageOptions{ImageType: "png"}
	d.doc.RegisterImageOptionsReader(name, as, &b)
	d.doc.ImageOptions(name, r.Min.X.Points(), d.down(r.Max.Y), r.Size().X.Points(), r.Size().Y.Points(), false, as, 0, "")
}

// widened returns an image with one more column of paper on the right.
func widened(img image.Image) image.Image {
	b := img.Bounds()
	b.Max.X++
	var wide stddraw.Image = image.NewRGBA(b)
	if p, ok := img.(*image.Paletted); ok {
		wide = image.NewPaletted(b, p.Palette)
	}
	stddraw.Draw(wide, b, image.NewUniform(paper), image.Point{}, stddraw.Src)
	stddraw.Draw(wide, img.Bounds(), img, img.Bounds().Min, stddraw.Src)
	return wide
}
