package figure

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"skyjoin/internal/file"
)

// A Figure is laid out and ready to be written, in any format and any number
// of times. It refers to the data it was made from.
type Figure struct {
	Info Info // written into the files

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

func (f *Figure) png() ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(f.dpi))
	f.draw(draw.NewCanvas(outlined{c}, f.width, f.height))
	return encodePNG(c.Image(), f.dpi, &f.Info)
}
