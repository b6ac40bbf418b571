package match

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/neighbors/match"
)

// errorFlags name columns with a radius of error for each row.
type errorFlags struct {
	a, b        string
	unit, unitB flags.Choice
	combine     flags.Choice
	sigmas      flags.Number
}

func (f *errorFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.a, "error-a", "", "`column` of A with the error of each row: a match needs a distance of at most both errors, combined")
	fs.StringVar(&f.b, "error-b", "", "`column` of B with the error of each row")
	units := append(flags.AngleUnitNames(), "mas")
	flags.AddOptional(fs, &f.unit, "error-unit", "unit of errors on the sky (default that of the column, else of --radius)", units...)
	flags.AddOptional(fs, &f.unitB, "error-unit-b", "unit of the errors of B, where it differs", units...)
	flags.AddChoice(fs, &f.combine, "combine", "how the errors of two rows are combined: their sum, or in quadrature, √(a² + b²)", match.Combinations()...)
	fs.Var(&f.sigmas, "nsigma", "how many times the combined error a distance can be (default 1)")
	flags.Needs(fs, []string{"error-unit", "combine", "nsigma"}, "error-a", "error-b")
	flags.Needs(fs, []string{"error-unit-b"}, "error-b")
}

// check refuses flags that are invalid or would have no effect in a match of that many
// catalogs.
func (f *errorFlags) check(catalogs int) error {
	switch {
	case f.sigmas.Given && f.sigmas.Value <= 0:
		return exit.Usagef("--nsigma %s: it must be positive", &f.sigmas)
	case f.unit.Value != "" && f.unitB.Value != "" && f.a == "":
		return exit.Usagef("--error-unit %s: A has no errors, and --error-unit-b says the unit of those of B", f.unit.Value)
	case f.combine.Value == match.Quadrature.String() && catalogs == 2 && (f.a == "" || f.b == ""):
		return exit.Usagef("--combine quadrature: only one catalog has errors, --error-a and --error-b name those of both")
	}
	return nil
}

// rule sets how errors are combined.
func (f *errorFlags) rule(o *match.Options) (err error) {
	o.Sigmas = f.sigmas.Value
	o.Combined, err = match.ParseCombination(f.combine.Value)
	return err
}

func (f *errorFlags) given() bool { return f.a != "" || f.b != "" }

func (f *errorFlags) describe(p *report.Parameters) {
	p.Text("error-a", f.a)
	p.Text("error-b", f.b)
	p.Text("error-unit", f.unit.Value)
	p.Text("error-unit-b", f.unitB.Value)
	if f.given() && f.combine.Value != match.Sum.String() {
		p.Text("combine", f.combine.Value)
	}
	p.Given("nsigma", &f.sigmas)
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
				return nil, nil, exit.Usagef("column %s has the error %v; errors cannot be negative; leave such rows out with --where", f.columns()[i], v)
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
		given, flag := f.unit.Value, "--error-unit"
		if i == 1 && f.unitB.Value != "" {
			given, flag = f.unitB.Value, "--error-unit-b"
		}
		if !j.Geo.Angle {
			if given != "" {
				return per, exit.Usagef("%s %s: distances are not angles here", flag, given)
			}
			per[i] = 1
			continue
		}
		unit := cmp.Or(given, field.Unit, radius.Unit)
		switch per[i] = smallAngles[strings.ToLower(strings.Trim(unit, " '\""))]; {
		case per[i] != 0:
		case unit == "":
			return per, exit.Usagef("column %s has no unit; give %[2]s, as in %[2]s mas", column, flag)
		default:
			return per, exit.Usagef("column %s is in %s, which is no angle; give %[3]s, as in %[3]s mas", column, unit, flag)
		}
	}
	return per, nil
}
