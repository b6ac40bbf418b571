package figure

import "strings"

// AxisOf returns the axis of a column as papers label it: pmra (mas.yr-1) becomes μ_α∗
// (mas yr⁻¹). The quantity follows from the UCD if that stands for one quantity only,
// otherwise from the column names that surveys commonly use; any other column keeps its
// name. A unit that the file does not give is not guessed.
func AxisOf(name, unit, ucd string) Axis {
	if symbol := ucdSymbols[mainUCD(ucd)]; symbol != "" {
		return Axis{symbol, unit}
	}
	if symbol := nameSymbols[plainName(name)]; symbol != "" {
		return Axis{symbol, unit}
	}
	return Axis{name, unit}
}

// mainUCD returns a UCD in lower case, without the words that only tell several columns
// of one quantity apart.
func mainUCD(ucd string) string {
	return strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(ucd, " ", "")), ";meta.main")
}

// plainName returns a name in lower case, with the same separators for all surveys.
func plainName(name string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(name))
}

// ucdSymbols are the quantities of UCDs (IVOA UCD1+) that stand for one alone.
var ucdSymbols = map[string]string{
	"pos.pm;pos.eq.ra":           "μ_{α∗}",
	"pos.pm;pos.eq.dec":          "μ_{δ}",
	"pos.parallax":               "ϖ",
	"pos.parallax.trig":          "ϖ",
	"pos.galactic.lon":           "l",
	"pos.galactic.lat":           "b",
	"src.redshift":               "z",
	"spect.dopplerveloc.opt":     "v_{r}",
	"phys.temperature.effective": "T_{eff}",
	"phys.gravity":               "log g",
}

// nameSymbols are the quantities of column names, as plainName writes them.
var nameSymbols = map[string]string{
	"pmra": "μ_{α∗}", "pm_ra": "μ_{α∗}", "pmra_cosdec": "μ_{α∗}", "pm_ra_cosdec": "μ_{α∗}",
	"pmdec": "μ_{δ}", "pmde": "μ_{δ}", "pm_dec": "μ_{δ}", "pm_de": "μ_{δ}",
	"parallax": "ϖ", "plx": "ϖ",
	"ra": "RA", "dec": "Dec", "ra_icrs": "RA", "de_icrs": "Dec", "raj2000": "RA", "dej2000": "Dec",
	"glon": "l", "glat": "b",
	"phot_g_mean_mag": "G", "phot_bp_mean_mag": "G_{BP}", "phot_rp_mean_mag": "G_{RP}",
	"gmag": "G", "bpmag": "G_{BP}", "rpmag": "G_{RP}",
	"bp_rp": "G_{BP} − G_{RP}", "bprp": "G_{BP} − G_{RP}", "bp_g": "G_{BP} − G", "g_rp": "G − G_{RP}",
	"radial_velocity": "v_{r}", "redshift": "z", "teff": "T_{eff}", "logg": "log g",
	"jmag": "J", "hmag": "H", "kmag": "K", "ksmag": "K_{s}", "j_k": "J − K", "j_ks": "J − K_{s}", "j_h": "J − H",
	"bmag": "B", "vmag": "V", "b_v": "B − V", "v_i": "V − I",
}
