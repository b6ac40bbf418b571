package figure

import "testing"

func TestUnitText(t *testing.T) {
	for unit, want := range map[string]string{
		"mas.yr**-1": "mas yr⁻¹", "mas.yr-1": "mas yr⁻¹", "km.s^-1": "km s⁻¹", "mas*yr**-1": "mas yr⁻¹", "m2": "m²", "erg/cm2/s": "erg cm⁻² s⁻¹",
		"mas/yr": "mas yr⁻¹", "deg": "deg", "Mpc/h": "h⁻¹ Mpc", "count/h": "count h⁻¹", "m/s**2": "m s⁻²", "1/s": "1/s", "mas yr⁻¹": "mas yr⁻¹", "h^{−1} Mpc": "h^{−1} Mpc",
		"": "", "log(cm.s**-2)": "log(cm.s**-2)", "10**-3 m": "10**-3 m", "J2000": "J2000", "'electron'.s**-1": "'electron'.s**-1",
	} {
		if got := unitText(unit); got != want {
			t.Errorf("unitText(%q) = %q, want %q", unit, got, want)
		}
	}
}
