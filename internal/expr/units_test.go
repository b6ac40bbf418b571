package expr

import (
	"math"
	"strings"
	"testing"
)

// columnUnits are those of the columns of these tests; every column has the
// value 3.
var columnUnits = map[string]string{
	"plx": "mas", "dec": "deg", "ra": "rad", "pm": "mas.yr**-1", "rv": "km s-1", "dist": "kpc", "bare": "", "odd": "furlong", "mag": "mag",
}

func evaluateInUnits(src string) (Vector, error) {
	e, err := Parse(src)
	if err != nil {
		return Vector{}, err
	}
	if e, err = e.WithUnits(func(name string) string { return columnUnits[name] }); err != nil {
		return Vector{}, err
	}
	p, err := e.Compile(func(string) (Type, error) { return Float64, nil })
	if err != nil {
		return Vector{}, err
	}
	columns := make([]Vector, len(p.Columns()))
	for i := range columns {
		columns[i] = Vector{Float64: []float64{3}}
	}
	return p.Eval(columns, 0, 1)
}

func TestUnits(t *testing.T) {
	for src, want := range map[string]bool{
		"plx > 2.9 mas": true, "plx > 3 mas": false, "plx >= 3 mas": true, "plx < 0.0031 arcsec": true, "plx = 3000 uas": true,
		"dec between 179 arcmin and 10801 arcsec": true, "dec > 0.053 rad": false, "3.1 deg > dec": true, "dec - 90 arcmin = 1.5": true,
		"abs(dec - 2 deg) < 61 arcmin": true, "ra < 172 deg": true, "pm > 2 mas/yr": true, "pm > 0.004 arcsec/yr": false,
		"rv < 3100 m/s": true, "dist > 2999 pc": true, "dist = 0.003 Mpc": true, "-dec < -179 arcmin": true, "dec > -5 deg": true,
		"max(dec, 4 deg) = 4": true, "5 arcmin > 299 arcsec": true, "sin(90 deg) = 1": true, "mag < 3001 mmag": true, "bare > 2": true,
	} {
		v, err := evaluateInUnits(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
		} else if v.Bool[0] != want {
			t.Errorf("%s is %v", src, v.Bool[0])
		}
	}
	for src, part := range map[string]string{
		"bare > 2 mas": "there is no unit", "plx > 2 km": "it is a length, the column is in mas", "odd < 3 pc": "the column is in furlong",
		"2 mas * plx > 1": "there is no unit", "plx > 2 parsnips": "parsnips", "sqrt(2 deg) > 1": "there is no unit", "bare + dec*0 < 5 deg": "there is no unit",
	} {
		if _, err := evaluateInUnits(src); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want …%s…", src, err, part)
		}
	}
}

func TestAstronomy(t *testing.T) {
	for src, want := range map[string]float64{
		"parsecs(10)": 100, "parsecs(-1)": math.NaN(), "parsecs(0)": math.NaN(),
		"tangential(1, 1000)": 4.740470463533349, "tangential(10, 100)": 4.740470463533349,
		// astropy.cosmology.FlatLambdaCDM(H0, Om0, Tcmb0=0).comoving_distance
		"comoving(0)": 0, "comoving(0.5)": 1888.62539593342, "comoving(1, 67.4, 0.315)": 3401.262917346902, "comoving(3, 70, 1)": 4282.749400,
		"comoving(-1)": math.NaN(),
	} {
		v, err := evaluateInUnits(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
		} else if got := v.Float64[0]; math.Abs(got-want) > 1e-9*want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s is %.10f, want %.10f", src, got, want)
		}
	}
	for src, part := range map[string]string{
		"comoving(1, h, 0.3)": "are numbers", "comoving(1, 0)": "must be positive", "comoving(1, 70, 2)": "matter density", "comoving('a')": "number", "comoving(1, 2, 3, 4)": "1 to 3 arguments",
	} {
		if _, err := evaluateInUnits(src); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want …%s…", src, err, part)
		}
	}
}
