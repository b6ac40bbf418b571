package main

import (
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
)

// errorFlags name columns with a radius of error for each row.
type errorFlags struct {
	a, b string
	unit choice
}

func (f *errorFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.unit = choice{"", append(angleUnitNames(), "mas")}
	fs.StringVar(&f.a, "error-a", "", "`column` of A with the error of each row: a match needs a distance of at most the sum of both errors")
	fs.StringVar(&f.b, "error-b", "", "`column` of B with the error of each row")
	fs.Var(&f.unit, "error-unit", "unit of errors on the sky (default that of the column, else of --radius)")
	complete(cmd, "error-unit", f.unit.values)
	needs(fs, []string{"error-unit"}, "error-a", "error-b")
}

func (f *errorFlags) given() bool { return f.a != "" || f.b != "" }

func (f *errorFlags) describe(p *parameters) {
	for _, c := range []struct{ name, column string }{{"error-a", f.a}, {"error-b", f.b}} {
		if c.column != "" {
			p.text(c.name, c.column)
		}
	}
	if f.unit.value != "" {
		p.text("error-unit", f.unit.value)
	}
}

// smallAngles are units of errors and proper motions, in lower case, in
// radians.
var smallAngles = map[string]float64{
	"deg": radians("deg"), "degree": radians("deg"), "degrees": radians("deg"),
	"arcmin": radians("arcmin"), "amin": radians("arcmin"),
	"arcsec": radians("arcsec"), "asec": radians("arcsec"),
	"mas": radians("arcsec") / 1e3, "milliarcsec": radians("arcsec") / 1e3,
	"uas": radians("arcsec") / 1e6,
	"rad": 1,
}

// radii returns the errors of the points of each catalog in the unit of the
// metric; nil where no column is named.
func (f *errorFlags) radii(d *duo, radius length) (a, b []float64, err error) {
	perA, perB, err := f.units(d, radius)
	if err != nil {
		return nil, nil, err
	}
	if f.a != "" {
		if a, err = errorRadii(f.a, d.sel.Weights, perA); err != nil {
			return nil, nil, err
		}
	}
	if f.b != "" {
		b, err = errorRadii(f.b, d.b.sel.Weights, perB)
	}
	return a, b, err
}

// units returns how many of the distances of the metric an error of 1 is, in
// each catalog; 0 where no column is named.
func (f *errorFlags) units(d *duo, radius length) (a, b float64, err error) {
	if f.a != "" {
		if a, err = f.per(d, d.cat, f.a, radius); err != nil {
			return 0, 0, err
		}
	}
	if f.b != "" {
		b, err = f.per(d, d.b.cat, f.b, radius)
	}
	return a, b, err
}

func (f *errorFlags) per(d *duo, cat *catalog.Catalog, column string, radius length) (float64, error) {
	field, err := cat.Field(column)
	if err != nil {
		return 0, err
	}
	switch {
	case d.geo.angle:
		unit := firstOf(f.unit.value, firstOf(field.Unit, radius.unit))
		per := smallAngles[strings.ToLower(strings.Trim(unit, " '\""))]
		if per != 0 {
			return per, nil
		}
		if unit == "" {
			return 0, usagef("column %s has no unit; give --error-unit, as in --error-unit mas", column)
		}
		return 0, usagef("column %s is in %s, which is no angle; give --error-unit, as in --error-unit mas", column, unit)
	case f.unit.value != "":
		return 0, usagef("--error-unit %s: distances are not angles here", f.unit.value)
	}
	return 1, nil
}

func errorRadii(column string, values []float64, per float64) ([]float64, error) {
	out := make([]float64, len(values)) // not nil: a catalog without rows has errors, too
	for i, v := range values {
		if v < 0 {
			return nil, usagef("column %s has the error %v; errors are not negative, --where leaves out such rows", column, v)
		}
		out[i] = v * per
	}
	return out, nil
}
