package match

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
)

// errorFlags name columns with a radius of error for each row.
type errorFlags struct {
	a, b string
	unit flags.Choice
}

func (f *errorFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.a, "error-a", "", "`column` of A with the error of each row: a match needs a distance of at most the sum of both errors")
	fs.StringVar(&f.b, "error-b", "", "`column` of B with the error of each row")
	flags.AddOptional(cmd.Flags(), &f.unit, "error-unit", "unit of errors on the sky (default that of the column, else of --radius)", append(flags.AngleUnitNames(), "mas")...)
	flags.Needs(fs, []string{"error-unit"}, "error-a", "error-b")
}

func (f *errorFlags) given() bool { return f.a != "" || f.b != "" }

func (f *errorFlags) describe(p *report.Parameters) {
	p.Text("error-a", f.a)
	p.Text("error-b", f.b)
	p.Text("error-unit", f.unit.Value)
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
func (f *errorFlags) radii(j *job.Job, radius flags.Length) (a, b []float64, err error) {
	per, err := f.units(j, radius)
	if err != nil {
		return nil, nil, err
	}
	var radii [2][]float64
	for i, s := range j.Sides() {
		if per[i] == 0 {
			continue
		}
		radii[i] = make([]float64, len(s.Sel.Weights)) // not nil: a catalog without rows has errors, too
		for k, v := range s.Sel.Weights {
			if v < 0 {
				return nil, nil, exit.Usagef("column %s has the error %v; errors are not negative, --where leaves out such rows", f.columns()[i], v)
			}
			radii[i][k] = v * per[i]
		}
	}
	return radii[0], radii[1], nil
}

// columns are those of both catalogs.
func (f *errorFlags) columns() [2]string { return [2]string{f.a, f.b} }

// units returns how many of the distances of the metric an error of 1 is, in
// each catalog; 0 where no column is named.
func (f *errorFlags) units(j *job.Job, radius flags.Length) (per [2]float64, err error) {
	for i, s := range j.Sides() {
		column := f.columns()[i]
		if column == "" {
			continue
		}
		field, err := s.Cat.Field(column)
		if err != nil {
			return per, err
		}
		if !j.Geo.Angle {
			if f.unit.Value != "" {
				return per, exit.Usagef("--error-unit %s: distances are not angles here", f.unit.Value)
			}
			per[i] = 1
			continue
		}
		unit := cmp.Or(f.unit.Value, field.Unit, radius.Unit)
		switch per[i] = smallAngles[strings.ToLower(strings.Trim(unit, " '\""))]; {
		case per[i] != 0:
		case unit == "":
			return per, exit.Usagef("column %s has no unit; give --error-unit, as in --error-unit mas", column)
		default:
			return per, exit.Usagef("column %s is in %s, which is no angle; give --error-unit, as in --error-unit mas", column, unit)
		}
	}
	return per, nil
}
