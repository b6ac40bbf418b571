package figure

import (
	"bytes"
	"context"
	"fmt"
	"image"
	stddraw "image/draw"
	"io"
	"path/filepath"
	"strings"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"skyjoin/internal/file"
)

// A Figure is laid out and ready to be written, in any format and any number
// of times. It refers to the data it was made from.
type Figure struct {
	width, height vg.Length
	dpi           int
	draw          func(draw.Canvas)
}

// Size returns the size in millimetres.
func (f *Figure) Size() (width, height float64) {
	return float64(f.width / vg.Millimeter), float64(f.height / vg.Millimeter)
}

// formats are the ways to write a figure, by extension without the dot.
var formats = map[string]func(*Figure) ([]byte, error){
	"png": (*Figure).png,
	"svg": (*Figure).svg,
	"pdf": (*Figure).pdf,
}

// Format returns the format that the extension of path stands for: "png",
// "svg" or "pdf", in capitals or not. Any other is an error that wraps
// ErrRequest, so a command can refuse it before it computes anything.
func Format(path string) (string, error) {
	ext := filepath.Ext(path)
	format := strings.ToLower(strings.TrimPrefix(ext, "."))
	if ext == "" {
		return "", fmt.Errorf("%w: figure %q has no extension, the formats are .png, .svg and .pdf", ErrRequest, path)
	}
	if formats[format] == nil {
		return "", fmt.Errorf("%w: figure %q ends in %q, the formats are .png, .svg and .pdf", ErrRequest, path, ext)
	}
	return format, nil
}

// Encode writes the figure in a format: "png", "svg" or "pdf". The same
// figure gives the same bytes.
func (f *Figure) Encode(w io.Writer, format string) error {
	encode := formats[format]
	if encode == nil {
		return fmt.Errorf("%w: figure format %q, the formats are png, svg and pdf", ErrRequest, format)
	}
	b, err := encode(f)
	if err != nil {
		return fmt.Errorf("figure as %s: %w", format, err)
	}
	_, err = w.Write(b)
	return err
}

// Save writes the figure to path in the format of its extension, whole or not
// at all: a temporary file beside it, whose name starts with a dot, is renamed
// when complete. A file of that name is replaced, and passes its mode on.
func (f *Figure) Save(path string) error {
	format, err := Format(path)
	if err != nil {
		return err
	}
	return file.Write(context.Background(), path, file.Options{Force: true}, func(w io.Writer) error { return f.Encode(w, format) })
}

func (f *Figure) canvas(c vg.Canvas) draw.Canvas {
	return draw.NewCanvas(outlined{c}, f.width, f.height)
}

func (f *Figure) png() ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(f.dpi))
	f.draw(f.canvas(c))
	return encodePNG(c.Image(), f.dpi)
}

func (f *Figure) svg() ([]byte, error) {
	c := vgsvg.New(f.width, f.height)
	f.draw(f.canvas(c))
	b, err := bytesOf(c)
	// The canvas embeds PNG images but announces JPEG.
	return bytes.ReplaceAll(b, []byte("data:image/jpg;"), []byte("data:image/png;")), err
}

func (f *Figure) pdf() ([]byte, error) {
	c := vgpdf.New(f.width, f.height)
	f.draw(f.canvas(pdfCanvas{c, map[int]bool{}}))
	b, err := bytesOf(c)
	return fixDates(b), err
}

func bytesOf(c io.WriterTo) ([]byte, error) {
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}

// Without this the images of a PDF are written in the order of a Go map, which
// changes from run to run. The canvas makes its document itself, so the
// default is the only place to say it.
func init() { fpdf.SetDefaultCatalogSort(true) }

// pdfCanvas mends how PDF canvases draw images. The page is flipped to have its
// origin at the lower left; the canvas of gonum/plot forgets that it flips
// images too. And the document sorts its images by width, leaving those of
// equal width in the order of a Go map, so each needs a width of its own.
type pdfCanvas struct {
	*vgpdf.Canvas
	widths map[int]bool
}

// DrawImage implements vg.Canvas.
func (c pdfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	dot := r.Size().X / vg.Length(img.Bounds().Dx())
	for c.widths[img.Bounds().Dx()] {
		img = widened(img)
		r.Max.X += dot
	}
	c.widths[img.Bounds().Dx()] = true
	c.Push()
	c.Scale(1, -1)
	c.Canvas.DrawImage(vg.Rectangle{
		Min: vg.Point{X: r.Min.X, Y: -r.Max.Y},
		Max: vg.Point{X: r.Max.X, Y: -r.Min.Y},
	}, img)
	c.Pop()
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

// fixDates sets the dates in the information dictionary of a PDF, which the
// canvas takes from the clock and does not let anyone set, to the beginning of
// 2000, in place: other lengths would invalidate the offsets of the file.
func fixDates(pdf []byte) []byte {
	const date = "20000101000000"
	for _, key := range []string{"/CreationDate (D:", "/ModDate (D:"} {
		if i := bytes.LastIndex(pdf, []byte(key)); i >= 0 {
			copy(pdf[i+len(key):], date)
		}
	}
	return pdf
}
