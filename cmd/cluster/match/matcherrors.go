package match

import (
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
)

// errorFlags name columns with a radius of error for each row.
type errorFlags struct {
	a, b string
	unit flags.Choice
}

func (f *errorFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.unit = flags.Choice{Value: "", Values: append(flags.AngleUnitNames(), "mas")}
	fs.StringVar(&f.a, "error-a", "", "`column` of A with the error of each row: a match needs a distance of at most the sum of both errors")
	fs.StringVar(&f.b, "error-b", "", "`column` of B with the error of each row")
	fs.Var(&f.unit, "error-unit", "unit of errors on the sky (default that of the column, else of --radius)")
	flags.Complete(cmd, "error-unit", f.unit.Values)
	flags.Needs(fs, []string{"error-unit"}, "error-a", "error-b")
}

func (f *errorFlags) given() bool { return f.a != "" || f.b != "" }

func (f *errorFlags) describe(p *report.Parameters) {
	for _, c := range []struct{ name, column string }{{"error-a", f.a}, {"error-b", f.b}} {
		if c.column != "" {
			p.Text(c.name, c.column)
		}
	}
	if f.unit.Value != "" {
		p.Text("error-unit", f.unit.Value)
	}
}

// smallAngles are units of errors and proper motions, in lower case, in
// radians.
var smallAngles = map[string]float64{
	"deg": flags.Radians("deg"), "degree": flags.Radians("deg"), "degrees": flags.Radians("deg"),
	"arcmin": flags.Radians("arcmin"), "amin": flags.Radians("arcmin"),
	"arcsec": flags.Radians("arcsec"), "asec": flags.Radians("arcsec"),
	"mas": flags.Radians("arcsec") / 1e3, "milliarcsec": flags.Radians("arcsec") / 1e3,
	"uas": flags.Radians("arcsec") / 1e6,
	"rad": 1,
}

// radii returns the errors of the points of each catalog in the unit of the
// metric; nil where no column is named.
func (f *errorFlags) radii(d *job.Duo, radius flags.Length) (a, b []float64, err error) {
	perA, perB, err := f.units(d, radius)
	if err != nil {
		return nil, nil, err
	}
	if f.a != "" {
		if a, err = errorRadii(f.a, d.Sel.Weights, perA); err != nil {
			return nil, nil, err
		}
	}
	if f.b != "" {
		b, err = errorRadii(f.b, d.B.Sel.Weights, perB)
	}
	return a, b, err
}

// units returns how many of the distances of the metric an error of 1 is, in
// each catalog; 0 where no column is named.
func (f *errorFlags) units(d *job.Duo, radius flags.Length) (a, b float64, err error) {
	if f.a != "" {
		if a, err = f.per(d, d.Cat, f.a, radius); err != nil {
			return 0, 0, err
		}
	}
	if f.b != "" {
		b, err = f.per(d, d.B.Cat, f.b, radius)
	}
	return a, b, err
}

func (f *errorFlags) per(d *job.Duo, cat *catalog.Catalog, column string, radius flags.Length) (float64, error) {
	field, err := cat.Field(column)
	if err != nil {
		return 0, err
	}
	switch {
	case d.Geo.Angle:
		unit := human.FirstOf(f.unit.Value, human.FirstOf(field.Unit, radius.Unit))
		per := smallAngles[strings.ToLower(strings.Trim(unit, " '\""))]
		if per != 0 {
			return per, nil
		}
		if unit == "" {
			return 0, exit.Usagef("column %s has no unit; give --error-unit, as in --error-unit mas", column)
		}
		return 0, exit.Usagef("column %s is in %s, which is no angle; give --error-unit, as in --error-unit mas", column, unit)
	case f.unit.Value != "":
		return 0, exit.Usagef("--error-unit %s: distances are not angles here", f.unit.Value)
	}
	return 1, nil
}

func errorRadii(column string, values []float64, per float64) ([]float64, error) {
	out := make([]float64, len(values)) // not nil: a catalog without rows has errors, too
	for i, v := range values {
		if v < 0 {
			return nil, exit.Usagef("column %s has the error %v; errors are not negative, --where leaves out such rows", column, v)
		}
		out[i] = v * per
	}
	return out, nil
}
