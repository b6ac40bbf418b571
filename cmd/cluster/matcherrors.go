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
	if f.a != "" {
		if a, err = f.scaled(d, d.cat, f.a, d.sel.Weights, radius); err != nil {
			return nil, nil, err
		}
	}
	if f.b != "" {
		b, err = f.scaled(d, d.b.cat, f.b, d.b.sel.Weights, radius)
	}
	return a, b, err
}

func (f *errorFlags) scaled(d *duo, cat *catalog.Catalog, column string, values []float64, radius length) ([]float64, error) {
	if values == nil {
		values = []float64{} // a catalog without rows
	}
	per := 1.0
	field, err := cat.Field(column)
	if err != nil {
		return nil, err
	}
	switch {
	case d.geo.angle:
		unit := firstOf(f.unit.value, firstOf(field.Unit, radius.unit))
		if per = smallAngles[strings.ToLower(strings.Trim(unit, " '\""))]; per == 0 {
			if unit == "" {
				return nil, usagef("column %s has no unit; give --error-unit, as in --error-unit mas", column)
			}
			return nil, usagef("column %s is in %s, which is no angle; give --error-unit, as in --error-unit mas", column, unit)
		}
	case f.unit.value != "":
		return nil, usagef("--error-unit %s: distances are not angles here", f.unit.value)
	}
	out := make([]float64, len(values))
	for i, v := range values {
		if v < 0 {
			return nil, usagef("column %s has the error %v; errors are not negative, --where leaves out such rows", column, v)
		}
		out[i] = v * per
	}
	return out, nil
}
