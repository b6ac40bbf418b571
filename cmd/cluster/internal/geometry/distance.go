package geometry

import (
	"fmt"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/io/catalog"
)

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

// distanceColumn is the column of distances: the one that --distance names, or one
// derived from it.
func (f *Flags) distanceColumn(cat *catalog.Catalog) (string, error) {
	kind, column, derived := strings.Cut(f.Distance, ":")
	if _, err := cat.Field(f.Distance); err == nil || !derived {
		return f.Distance, nil // an error of reading it says what is wrong
	}
	if column == "" {
		return "", exit.Usagef("--distance %s names no column; write it after the colon", f.Distance)
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

// parallaxUnit is the factor that converts a parallax to mas. A parallax without a unit
// is taken to be in mas.
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
