package text

import "testing"

// Units are written as the CDS and LaTeX have them, and those of other kinds as they
// are.
func TestUnitsInPapers(t *testing.T) {
	for _, u := range []struct{ unit, cds, latex string }{
		{"", "---", ""}, {"deg", "deg", "deg"}, {"km/s", "km/s", `km\,s$^{-1}$`}, {"km / s", "km/s", `km\,s$^{-1}$`}, {"km.s**-1", "km/s", `km\,s$^{-1}$`}, {"mas yr-1", "mas/yr", `mas\,yr$^{-1}$`},
		{"erg / (cm2 s)", "erg.cm-2.s-1", `erg\,cm$^{-2}$\,s$^{-1}$`}, {"erg/s/cm**2", "erg.s-1.cm-2", `erg\,s$^{-1}$\,cm$^{-2}$`}, {"J m^(-2)", "J/m2", `J\,m$^{-2}$`}, {"arcsec2", "arcsec2", "arcsec$^{2}$"},
		{"10**-3 Jy", "10**-3.Jy", `10**-3 Jy`}, {"log(g)", "log(g)", "log(g)"}, {"1/s", "1/s", "1/s"}, {"%", "%", `\%`}, {"m/(s", "m/(s", "m/(s"}, {"m/", "m/", "m/"},
	} {
		if got := cdsUnit(u.unit); got != u.cds {
			t.Errorf("CDS: %q is %q, want %q", u.unit, got, u.cds)
		}
		if got := latexUnit(u.unit); got != u.latex {
			t.Errorf("LaTeX: %q is %q, want %q", u.unit, got, u.latex)
		}
	}
}
