package flags

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/io/figure"
)

// Plot says how figures look.
type Plot struct {
	style      Choice
	serif      bool
	width      plotWidth
	fontSize   letterSize
	Projection Choice
	CentreRA   Number
}

// plotStyles are the values of --style.
var plotStyles = map[string]figure.Style{"paper": {}, "talk": figure.Talk}

func (f *Plot) register(fs *pflag.FlagSet) {
	AddChoice(fs, &f.style, "style", "style of the figures: for a printed page or for a slide", "paper", "talk")
	fs.BoolVar(&f.serif, "serif", false, "a serif typeface in the figures")
	fs.Var(&f.width, "plot-width", "width of the figures: single or double, the columns of a journal (84 and 174 mm), or a number of mm")
	fs.Var(&f.fontSize, "font-size", "font size in the figures, in points (default 8, or 18 with --style talk)")
	Needs(fs, []string{"style", "serif", "plot-width", "font-size"}, figureFlags...)
}

// ProjectionAuto leaves the projection to the figure.
const ProjectionAuto = "auto"

// RegisterMap registers the flags of maps alone.
func (f *Plot) RegisterMap(cmd *cobra.Command) {
	fs := cmd.Flags()
	AddChoice(fs, &f.Projection, "projection", "projection of a map of the sky; auto is Mollweide for the whole sky, plain axes for a field", append([]figure.Projection{ProjectionAuto}, figure.Projections()...)...)
	fs.Var(&f.CentreRA, "centre-ra", "RA in the middle of a map of the whole sky, in degrees (default 0)")
	Needs(fs, []string{"projection", "centre-ra"}, "plot", "plot-panels")
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

// lookOf returns the style that the plot flags of a command ask for; a command
// that has none gets them.
func lookOf(fs *pflag.FlagSet) func() figure.Style {
	if fs.Lookup("style") == nil {
		f := &Plot{}
		f.register(fs)
		return f.Of
	}
	return func() figure.Style {
		f := Plot{
			style:    *bare(fs.Lookup("style").Value).(*Choice),
			serif:    fs.Lookup("serif").Value.String() == "true",
			width:    *bare(fs.Lookup("plot-width").Value).(*plotWidth),
			fontSize: *bare(fs.Lookup("font-size").Value).(*letterSize),
		}
		return f.Of()
	}
}
