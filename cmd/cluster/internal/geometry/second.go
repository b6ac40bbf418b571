package geometry

import (
	"cmp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/frame"
	"skyjoin/io/catalog"
)

// SecondFlags say how the second catalog of a join is read where that differs
// from the first.
type SecondFlags struct {
	Columns  flags.List
	Frame    flags.Choice
	RAHours  bool
	Distance string
	Where    string
	Let      []string
	Null     flags.List
	flags.File
}

func (f *SecondFlags) Register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(&f.Columns, "columns-b", "coordinate columns of the second catalog, where its names differ")
	flags.AddOptional(fs, &f.Frame, "frame-b", "`frame` of the coordinates of the second catalog, which are converted to ICRS", frame.Names...)
	fs.BoolVar(&f.RAHours, "ra-hours-b", false, "RA of the second catalog is in hours, where the file does not say so")
	fs.StringVar(&f.Distance, "distance-b", "", "distance `column` of the second catalog, where its name differs")
	flags.Needs(fs, []string{"distance-b"}, "distance", "redshift")
	flags.ForCatalogs(fs, 2, 2, noSecond, "columns-b", "frame-b", "ra-hours-b", "distance-b")
	f.RegisterRead(fs)
}

const noSecond = ": there is no second catalog"

// RegisterRead registers the flags that say how rows are read.
func (f *SecondFlags) RegisterRead(fs *pflag.FlagSet) {
	flags.AddFilter(fs, &f.Where, "where-b", "row filter of the second catalog: an `expression`")
	fs.StringArrayVar(&f.Let, "let-b", nil, "derived column of the second catalog: a `definition`; may be given several times")
	f.File.RegisterSecond(fs)
	fs.Var(&f.Null, "null-b", "values that are nulls in the second catalog, where they differ")
	flags.ForCatalogs(fs, 2, 2, noSecond, "where-b", "let-b", "hdu-b", "format-b", "names-b", "null-b")
}

// Read returns how the second catalog is read, given how the first is.
func (f *SecondFlags) Read(of *flags.Read) *flags.Read {
	r := &flags.Read{Where: f.Where, Let: f.Let, Null: f.Null, Strict: of.Strict, Empty: of.Empty, File: f.File}
	r.HDU = cmp.Or(f.HDU, of.HDU)
	if len(f.Null) == 0 {
		r.Null = of.Null
	}
	return r
}

// Geometry returns the flags of the second catalog: those of the first except for the
// names of its columns. Columns given for the first apply to the second only where it
// has them.
func (f *SecondFlags) Geometry(of *Flags, g *Geometry, cat *catalog.Catalog) *Flags {
	s := *of
	s.Metric.Value = g.MetricName() // not chosen anew
	s.Frame, s.RAHours = f.Frame, f.RAHours
	if f.Distance != "" {
		s.Distance = f.Distance
	}
	switch {
	case len(f.Columns) > 0:
		s.Columns = f.Columns
	case g.Sky && len(of.Columns) == 2 && !HasColumns(cat, of.Columns):
		s.Columns = nil // to be found
	}
	return &s
}

// SameUnits refuses coordinates in different units. RA and Dec are in degrees
// by now.
func SameUnits(a, b []catalog.Field) error {
	for i := range a {
		if a[i].Unit != "" && b[i].Unit != "" && a[i].Unit != b[i].Unit {
			return exit.Usagef("column %s of the first catalog is in %s, %s of the second in %s; the units must be the same", a[i].Name, a[i].Unit, b[i].Name, b[i].Unit)
		}
	}
	return nil
}
