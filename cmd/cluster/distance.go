package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"skyjoin/io/catalog"
)

// A cosmology is what turns redshifts into distances: a flat universe.
type cosmology struct {
	h0, omegaM number
}

func (c *cosmology) register(fs *pflag.FlagSet) {
	fs.Var(&c.h0, "h0", "Hubble constant of --distance redshift:COL, in km/s/Mpc (default 70)")
	fs.Var(&c.omegaM, "omega-m", "matter density of a flat universe, for distances of redshifts (default 0.3)")
}

// values are the flags or their defaults.
func (c *cosmology) values() (h0, omegaM float64) {
	h0, omegaM = 70, 0.3
	if c.h0.set {
		h0 = c.h0.value
	}
	if c.omegaM.set {
		omegaM = c.omegaM.value
	}
	return h0, omegaM
}

// redshift reports whether distances are those of redshifts.
func (f *geometryFlags) redshift() bool { return strings.HasPrefix(f.distance, "redshift:") }

// checkCosmology refuses flags of a universe that no redshift needs.
func (f *geometryFlags) checkCosmology() error {
	if (f.h0.set || f.omegaM.set) && !f.redshift() {
		return usagef("--h0 and --omega-m belong to redshifts, as in --distance redshift:COL (of corr, --redshift too)")
	}
	return nil
}

// distanceColumn is the column of distances: that of --distance, or one that is
// derived from what it names.
func (f *geometryFlags) distanceColumn(cat *catalog.Catalog) (string, error) {
	kind, column, derived := strings.Cut(f.distance, ":")
	if _, err := cat.Field(f.distance); err == nil || !derived {
		return f.distance, nil // an error of reading it says what is wrong
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
		return cat.Define("distance_pc", "parsecs("+quoted(column)+factor+")", "pc")
	case "redshift":
		h0, omegaM := f.values()
		return cat.Define("distance_mpc", fmt.Sprintf("comoving(%s, %v, %v)", quoted(column), h0, omegaM), "Mpc")
	}
	return "", usagef("--distance %s: write parallax:COL or redshift:COL, or the name of a column of distances", f.distance)
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
		return "", usagef("--distance parallax:%s: it is in %s; a parallax is in mas, arcsec or uas", f.Name, f.Unit)
	}
}
