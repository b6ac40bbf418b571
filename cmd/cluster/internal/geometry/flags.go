package geometry

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/frame"
	"skyjoin/io/catalog"
)

// Flags say which columns are coordinates and how far apart rows are.
type Flags struct {
	Columns  flags.List
	Frame    flags.Choice
	RAHours  bool
	Metric   flags.Choice
	Distance string
	Box      flags.Box
	Scale    Scale
	cosmology
}

func (f *Flags) Register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.Metric = MetricChoice()
	fs.VarP(&f.Columns, "columns", "c", "coordinate columns in order, as in ra,dec; pos[0] is an element of a list column (default: RA and Dec, if they can be recognised)")
	flags.AddOptional(fs, &f.Frame, "frame", "`frame` of the coordinates, which are converted to ICRS: icrs, fk5, galactic or ecliptic; the last two are found by their names", frame.Names...)
	fs.BoolVar(&f.RAHours, "ra-hours", false, "RA is in hours, where the file does not say so")
	fs.Var(&f.Metric, "metric", "how distances are measured (default: sky when the columns are RA and Dec, else euclidean)")
	fs.StringVar(&f.Distance, "distance", "", "`column` of distances that makes 3-D positions of RA and Dec; parallax:COL for pc of a parallax, redshift:COL for comoving Mpc")
	f.cosmology.register(fs)
	fs.Var(&f.Box, "box", "sides of the periodic box, 0 for an open axis")
	fs.Var(&f.Scale, "scale", "divide every coordinate by its scale, so that --eps is a pure number: none, standard (deviation), minmax, or one for each; on the sky RA and Dec share one, an angle, as in 0.5deg,0.4,0.4")
	flags.CompleteColumns(cmd, "columns")
	flags.CompleteColumns(cmd, "distance")
}

// MetricChoice is --metric before it is given: the default depends on the
// columns.
func MetricChoice() flags.Choice {
	return flags.Choice{Value: "", Values: []string{"euclidean", "sky", "periodic"}}
}

// A cosmology is what turns redshifts into distances: a flat universe.
type cosmology struct {
	H0, OmegaM flags.Number
}

func (c *cosmology) register(fs *pflag.FlagSet) {
	fs.Var(&c.H0, "h0", "Hubble constant of --distance redshift:COL, in km/s/Mpc (default 70)")
	fs.Var(&c.OmegaM, "omega-m", "matter density of a flat universe, for distances of redshifts (default 0.3)")
}

// Values are the flags or their defaults.
func (c *cosmology) Values() (h0, omegaM float64) {
	h0, omegaM = 70, 0.3
	if c.H0.Given {
		h0 = c.H0.Value
	}
	if c.OmegaM.Given {
		omegaM = c.OmegaM.Value
	}
	return h0, omegaM
}

// Redshift reports whether distances are those of redshifts.
func (f *Flags) Redshift() bool { return strings.HasPrefix(f.Distance, "redshift:") }

// checkCosmology refuses flags of a universe that no redshift needs, and a
// universe that does not expand.
func (f *Flags) checkCosmology() error {
	h0, omegaM := f.Values()
	switch {
	case (f.H0.Given || f.OmegaM.Given) && !f.Redshift():
		return exit.Usagef("--h0 and --omega-m belong to redshifts, as in --distance redshift:COL (of corr, --redshift too)")
	case !(h0 > 0):
		return exit.Usagef("--h0 %v: a Hubble constant must be positive, in km/s/Mpc", h0)
	case !(omegaM > 0 && omegaM <= 1):
		return exit.Usagef("--omega-m %v: a matter density must be over 0 and at most 1", omegaM)
	}
	return nil
}

// distanceColumn is the column of distances: that of --distance, or one that is
// derived from what it names.
func (f *Flags) distanceColumn(cat *catalog.Catalog) (string, error) {
	kind, column, derived := strings.Cut(f.Distance, ":")
	if _, err := cat.Field(f.Distance); err == nil || !derived {
		return f.Distance, nil // an error of reading it says what is wrong
	}
	if column == "" {
		return "", exit.Usagef("--distance %s names no column; write it behind the colon", f.Distance)
	}
	field, err := cat.Field(column)
	if err != nil {
		return "", err
	}
	switch kind {
	case "parallax":
		factor, err := parallaxUnit(field)
		if err != nil {
			return "", err
		}
		return cat.Define("distance_pc", "parsecs("+Quoted(column)+factor+")", "pc")
	case "redshift":
		h0, omegaM := f.Values()
		return cat.Define("distance_mpc", fmt.Sprintf("comoving(%s, %v, %v)", Quoted(column), h0, omegaM), "Mpc")
	}
	return "", exit.Usagef("--distance %s: write parallax:COL or redshift:COL, or the name of a column of distances", f.Distance)
}

// parallaxUnit is what a parallax is multiplied by to be in mas. One without a
// unit is.
func parallaxUnit(f catalog.Field) (string, error) {
	switch unit := strings.ToLower(strings.Trim(f.Unit, " '\"()")); unit {
	case "", "mas", "milliarcsec", "marcsec":
		return "", nil
	case "arcsec", "asec", "arcsecond":
		return " * 1000", nil
	case "uas":
		return " / 1000", nil
	default:
		return "", exit.Usagef("--distance parallax:%s: it is in %s; a parallax is in mas, arcsec or uas", f.Name, f.Unit)
	}
}

// Quoted is a column name in a row filter.
func Quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
