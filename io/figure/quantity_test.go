package figure

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestQuantities(t *testing.T) {
	for _, c := range []struct{ name, unit, ucd, want string }{
		{"pmra", "mas.yr-1", "", "μ_{α∗} (mas yr⁻¹)"},
		{"pmDE", "", "", "μ_{δ}"},
		{"col7", "mas/yr", "pos.pm; pos.eq.dec", "μ_{δ} (mas yr⁻¹)"},
		{"Plx", "mas", "pos.parallax;meta.main", "ϖ (mas)"},
		{"BP-RP", "mag", "", "G_{BP} − G_{RP} (mag)"},
		{"phot_g_mean_mag", "mag", "phot.mag;em.opt", "G (mag)"},
		{"z", "", "", "z"},
		{"z", "", "src.redshift", "z"},
		{"my_column", "km/s", "", "my_column (km s⁻¹)"},
	} {
		a := AxisOf(c.name, c.unit, c.ucd)
		if got := withUnit(a.Name, a.Unit); got != c.want {
			t.Errorf("%s, %s, %s: %q, want %q", c.name, c.unit, c.ucd, got, c.want)
		}
	}
}

// A label that has no room loses the end of its name, never its unit, nor half of a
// subscript.
func TestLabelsKeepTheirUnits(t *testing.T) {
	p := &panel{sheet: sheet{label: 8, typeface: sans}}
	for room := vg.Length(200); room >= 50; room -= 3 {
		got := p.axisLabel("a very long name_{with a subscript}", " − 1000", "km/s", room)
		if p.textWidth(got, 8) > room {
			t.Fatalf("%q is wider than %v", got, room)
		}
		if whole := p.textWidth("… − 1000 (km s⁻¹)", 8) <= room; whole && !strings.HasSuffix(got, " − 1000 (km s⁻¹)") {
			t.Errorf("in %v: %q has lost its unit", room, got)
		}
		if strings.Count(got, "{") != strings.Count(got, "}") {
			t.Errorf("in %v: %q has half of a subscript", room, got)
		}
	}
}
