package geometry

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/frame"
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
	fs.Var(&f.Scale, "scale", "divide every coordinate by its scale, so that --eps is a pure number: none, standard (deviation), minmax, robust (interquartile range), or one for each; on the sky RA and Dec share one, an angle, as in 0.5deg,0.4,0.4")
	flags.CompleteColumns(cmd, "columns")
	flags.CompleteColumns(cmd, "distance")
}

// A cosmology turns redshifts into distances in a flat universe.
type cosmology struct {
	H0, OmegaM flags.Number
}

func (c *cosmology) register(fs *pflag.FlagSet) {
	fs.Var(&c.H0, "h0", "Hubble constant of --distance redshift:COL, in km/s/Mpc (default 70)")
	fs.Var(&c.OmegaM, "omega-m", "matter density of a flat universe, for distances of redshifts (default 0.3)")
}
