package table

import (
	"strings"

	"skyjoin/internal/format"
	"skyjoin/io/catalog"
)

// uncertainties finds the columns of uncertainties among fields, by the names that
// catalogs give them: e_X, err_X, sigma_X, X_error, X_err, X_sigma, X_unc of X. Units
// must be the same, or both angles.
func uncertainties(fields []format.Field) map[int]format.Uncertainty {
	at := map[string]int{}
	for i, f := range fields {
		if f.Type.IsFloat() {
			at[strings.ToLower(f.Name)] = i
		}
	}
	of := map[int]format.Uncertainty{}
	for i, f := range fields {
		name := strings.ToLower(f.Name)
		if !f.Type.IsFloat() {
			continue
		}
		for _, n := range []string{"e_" + name, "err_" + name, "sigma_" + name, name + "_error", name + "_err", name + "err", name + "_sigma", name + "_unc", name + "_uncertainty"} {
			if k, ok := at[n]; ok {
				if per, ok := unitPer(fields[k].Unit, f.Unit); ok {
					of[i] = format.Uncertainty{Column: k, Per: per}
					break
				}
			}
		}
	}
	return of
}

// unitPer returns how many of one unit another is.
func unitPer(unit, in string) (float64, bool) {
	if plain(unit) == plain(in) {
		return 1, true
	}
	a, okA := catalog.AngleUnit(unit)
	b, okB := catalog.AngleUnit(in)
	return a / b, okA && okB && unit != "" && in != ""
}

// plain is a unit without what is between its factors.
func plain(unit string) string { return strings.Join(strings.Fields(unit), "") }
