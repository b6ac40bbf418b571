package figure

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ErrRequest marks a figure that cannot be drawn as asked: an unknown format,
// a size out of range, columns of unequal length.
var ErrRequest = errors.New("invalid request")

// Widths of a figure in millimetres, as journals print them.
const (
	SingleColumn = 84.0  // one of two columns
	DoubleColumn = 174.0 // the full page
)

// A Style says how large a figure is, and how it looks. The zero value is the
// sensible default: that of a printed page.
type Style struct {
	Width    float64       // in mm; 0: DoubleColumn for maps, SingleColumn for curves
	DPI      int           // dots per inch of PNG and of rasters inside SVG and PDF; 0: 300
	FontSize float64       // of the axis labels, in points; ticks and legend are 1/8 smaller; 0: 8
	Serif    bool          // letters with serifs, as most journals print
	Stroke   float64       // width of lines and size of markers, over those of a printed page; 0: 1
	Colours  []color.NRGBA // of clusters and curves, in order, in place of those that all can tell apart
	Legend   Legend

	// What is written and shown instead of what the figure would choose; "" and the
	// zero value leave it the choice. Panels and matrices have no limits, and panels no
	// labels of their own.
	Title, XLabel, YLabel string
	XLimits, YLimits      Limits
}

// Legend is where the legend of a figure stands.
type Legend string

const (
	LegendAuto  Legend = ""      // beside wide figures, below others
	LegendRight Legend = "right" // of the axes
	LegendBelow Legend = "below" // the axes
	LegendNone  Legend = "none"  // nowhere
)

// Limits of Width, in mm, FontSize, in points, and DPI, where they are not 0.
const (
	MinWidth, MaxWidth       = 60, 1000
	MinFontSize, MaxFontSize = 4, 36
	MinDPI, MaxDPI           = 50, 1200
)

// Talk is the style of figures for a screen seen from afar: three quarters of
// the width of a slide, with letters and lines of twice the weight.
var Talk = Style{Width: 254, DPI: 150, FontSize: 18, Stroke: 2}

// Check returns an error that wraps ErrRequest if no figure can have the style.
func (s Style) Check() error {
	_, err := s.sheet(DoubleColumn)
	return err
}

// sheet is a validated Style in the units of drawing.
type sheet struct {
	width        vg.Length
	dpi          int
	label, small vg.Length // font sizes
	stroke       vg.Length // factor of line widths and marker sizes
	palette      []color.NRGBA
	style        *Style
	*typeface
}

// sheet validates s, taking width (mm) where the style leaves it open.
func (s Style) sheet(width float64) (sheet, error) {
	width = cmp.Or(s.Width, width)
	dpi, size, stroke, letters := cmp.Or(s.DPI, 300), cmp.Or(s.FontSize, 8), cmp.Or(s.Stroke, 1), sans
	if s.Serif {
		letters = serif
	}
	colours := palette
	if len(s.Colours) > 0 {
		colours = s.Colours
	}
	for _, v := range []struct {
		what        string
		v, min, max float64
	}{
		{"width in mm", width, MinWidth, MaxWidth},
		{"resolution in dpi", float64(dpi), MinDPI, MaxDPI},
		{"font size in points", size, MinFontSize, MaxFontSize},
		{"stroke over that of print", stroke, 0.25, 8},
	} {
		if !(v.v >= v.min && v.v <= v.max) {
			return sheet{}, fmt.Errorf("%w: figure with a %s of %v, it must be in [%v, %v]", ErrRequest, v.what, v.v, v.min, v.max)
		}
	}
	return sheet{
		width:    vg.Length(width) * vg.Millimeter,
		dpi:      dpi,
		label:    vg.Length(size),
		small:    vg.Length(size) * 7 / 8,
		stroke:   vg.Length(stroke),
		typeface: letters,
		palette:  colours,
		style:    &s,
	}, nil
}

// snap rounds a length to a whole number of dots, so that rasters and frames
// fall on pixels.
func (s sheet) snap(l vg.Length) vg.Length {
	dot := vg.Inch / vg.Length(s.dpi)
	return vg.Length(int(l/dot+0.5)) * dot
}

// rasterPitch is the number of raster cells per inch of a printed page.
const rasterPitch = 150

// cellDots is the edge of a raster cell in dots.
func (s sheet) cellDots() int { return max(int(float64(s.dpi)*float64(s.stroke)/rasterPitch), 1) }

// cell is the edge of a raster cell.
func (s sheet) cell() vg.Length { return vg.Inch * vg.Length(s.cellDots()) / vg.Length(s.dpi) }

// snapCell rounds a length to a whole number of cells.
func (s sheet) snapCell(l vg.Length) vg.Length { return vg.Length(int(l/s.cell()+0.5)) * s.cell() }

// line is a line of a width on a printed page.
func (s sheet) line(c color.Color, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width * s.stroke}
}

// dashed is a thin broken line.
func (s sheet) dashed(c color.Color) draw.LineStyle {
	l := s.line(c, thinWidth)
	l.Dashes = []vg.Length{3 * s.stroke, 2 * s.stroke}
	return l
}

// Line widths of a printed page.
const (
	frameWidth = vg.Length(0.5)
	curveWidth = vg.Length(1)
	thinWidth  = vg.Length(0.6)
)

var (
	ink           = color.NRGBA{A: 255}
	paper         = color.NRGBA{255, 255, 255, 255}
	graticuleGrey = color.NRGBA{0xb4, 0xb4, 0xb4, 255}
	noiseGrey     = color.NRGBA{0xab, 0xab, 0xab, 255}
)

// clusterColour is the colour of a cluster, grey for a negative label.
func (s sheet) clusterColour(label int32) color.NRGBA {
	if label < 0 {
		return noiseGrey
	}
	return s.colour(int(label))
}
