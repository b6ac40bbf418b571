package flags

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/io/figure"
)

// Plot says how figures look.
type Plot struct {
	style      styleFlag
	serif      bool
	width      plotWidth
	fontSize   letterSize
	own        figure.Style // what is given by itself
	xlim, ylim limits
	dpi        Integer
	size       weight
	legend     Choice
	colors     colors
	Projection Choice
	CentreRA   Number
}

// plotStyles are the values of --style.
var plotStyles = map[string]figure.Style{"paper": {}, "talk": figure.Talk}

func (f *Plot) register(fs *pflag.FlagSet) {
	f.style = styleFlag{NewChoice("paper", "talk"), f}
	fs.Var(&f.style, "style", "style of the figures: for a printed page or for a slide")
	fs.BoolVar(&f.serif, "serif", false, "a serif typeface in the figures")
	fs.Var(&f.width, "plot-width", "width of the figures: single or double, the columns of a journal (84 and 174 mm), or a number of mm")
	fs.Var(&f.fontSize, "font-size", "font size in the figures, in points (default 8, or 18 with --style talk)")
	f.dpi = Integer{Least: figure.MinDPI}
	fs.Var(&f.dpi, "dpi", "dots per inch of PNG, and of pictures within SVG and PDF (default 300, or 150 with --style talk)")
	fs.Var(&f.size, "size", "size of markers and width of lines, over those of the style (default 1)")
	fs.Var(&f.colors, "colors", "colors of clusters and curves in order, as in '#0072b2,darkorange' (default: those that all can tell apart)")
	AddOptional(fs, &f.legend, "legend", "`place` of the legend: right, below or none (default: what suits the width)", string(figure.LegendRight), string(figure.LegendBelow), string(figure.LegendNone))
	fs.StringVar(&f.own.Title, "title", "", "title of the figures, a `text`; as in labels, _{…} and ^{…} are sub- and superscripts")
	fs.StringVar(&f.own.XLabel, "xlabel", "", "label of the axis of x, with its unit, a `text`")
	fs.StringVar(&f.own.YLabel, "ylabel", "", "label of the axis of y, with its unit, a `text`")
	fs.Var(&f.xlim, "xlim", "ends of the axis of x")
	fs.Var(&f.ylim, "ylim", "ends of the axis of y")
	Needs(fs, lookFlags, figureFlags...)
	Needs(fs, []string{"xlabel", "ylabel", "xlim", "ylim"}, slices.DeleteFunc(slices.Clone(figureFlags), func(name string) bool { return name == "plot-panels" })...)
	OfPictures(fs, append([]string{"xlabel", "ylabel", "xlim", "ylim"}, slices.DeleteFunc(slices.Clone(lookFlags), func(name string) bool { return name == "title" })...)...)
}

// lookFlags say how any figure looks.
var lookFlags = []string{"style", "serif", "plot-width", "font-size", "dpi", "size", "colors", "legend", "title"}

// ProjectionAuto leaves the projection to the figure.
const ProjectionAuto = "auto"

// RegisterMap registers the flags of maps alone.
func (f *Plot) RegisterMap(cmd *cobra.Command) {
	fs := cmd.Flags()
	AddChoice(fs, &f.Projection, "projection", "projection of a map of the sky; auto is Mollweide for the whole sky, plain axes for a field", append([]figure.Projection{ProjectionAuto}, figure.Projections()...)...)
	fs.Var(&f.CentreRA, "centre-ra", "RA in the middle of a map of the whole sky, in degrees (default 0)")
	Needs(fs, []string{"projection", "centre-ra"}, "plot", "plot-panels")
	OfPictures(fs, "projection", "centre-ra")
}

// Of returns the style of all figures.
func (f *Plot) Of() figure.Style {
	s := plotStyles[f.style.Value]
	s.Serif = f.serif
	if f.width.mm > 0 {
		s.Width = f.width.mm
	}
	if f.fontSize.Given {
		s.FontSize = f.fontSize.Value
	}
	if f.dpi.Value > 0 {
		s.DPI = int(f.dpi.Value)
	}
	if f.size.Given {
		s.Stroke = cmp.Or(s.Stroke, 1) * f.size.Value
	}
	s.Colours, s.Legend = f.colors.given, figure.Legend(f.legend.Value)
	s.Title, s.XLabel, s.YLabel = f.own.Title, f.own.XLabel, f.own.YLabel
	s.XLimits, s.YLimits = f.xlim.Limits, f.ylim.Limits
	return s
}

// Sky returns how a map shows the sky.
func (f *Plot) Sky() (figure.Projection, float64) {
	if f.Projection.Value == ProjectionAuto {
		return figure.ProjectionAuto, f.CentreRA.Value
	}
	return figure.Projection(f.Projection.Value), f.CentreRA.Value
}

// A plotWidth is the width of a figure.
type plotWidth struct {
	mm   float64
	text string
}

func (w *plotWidth) String() string { return w.text }

func (w *plotWidth) Type() string { return "width" }

// A letterSize is a font size in points.
type letterSize struct{ Number }

func (l *letterSize) Set(s string) error {
	if err := l.Number.Set(s); err != nil {
		return err
	}
	return within(l.Value, figure.MinFontSize, figure.MaxFontSize)
}

// A weight is a factor of line widths and markers.
type weight struct{ Number }

func (w *weight) Set(s string) error {
	if err := w.Number.Set(s); err != nil {
		return err
	}
	return within(w.Value, 0.25, 4)
}

// within refuses a value outside of [least, most], which includes those that the
// figures would take for none.
func within(value, least, most float64) error {
	if value < least || value > most {
		return fmt.Errorf("it must be in [%v, %v]", least, most)
	}
	return nil
}

// columnWidths are the widths that have a name.
var columnWidths = map[string]float64{"single": figure.SingleColumn, "double": figure.DoubleColumn}

func (w *plotWidth) Set(s string) error {
	mm, named := columnWidths[s]
	if !named {
		var err error
		if mm, err = strconv.ParseFloat(s, 64); err != nil || !(mm > 0) {
			return fmt.Errorf("it is single, double or a number of mm")
		}
	}
	if err := within(mm, figure.MinWidth, figure.MaxWidth); err != nil {
		return err
	}
	*w = plotWidth{mm, s}
	return nil
}

// A styleFlag is the value of --style, from which those of the other flags follow.
type styleFlag struct {
	Choice
	of *Plot
}

// lookOf returns the style that the plot flags of a command ask for; a command
// that has none gets them.
func lookOf(fs *pflag.FlagSet) func() figure.Style {
	if fs.Lookup("style") == nil {
		(&Plot{}).register(fs)
	}
	return bare(fs.Lookup("style").Value).(*styleFlag).of.Of
}
