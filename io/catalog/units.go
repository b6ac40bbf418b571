package catalog

import (
	"math"
	"strings"

	"skyjoin/internal/format"
)

// degreesPer is how many degrees the units of angles are, by their names in
// lower case: those of the VOUnits standard, of CDS, and what else writers use.
// Degrees themselves are not converted.
var degreesPer = map[string]float64{
	"":       1,
	"deg":    1,
	"degree": 1, "degrees": 1, "degs": 1, "angle[deg]": 1, "°": 1,
	"rad": 180 / math.Pi, "radian": 180 / math.Pi, "radians": 180 / math.Pi, "angle[rad]": 180 / math.Pi,
	"hourangle": 15, "h": 15, "hour": 15, "hours": 15, "hr": 15,
	"arcmin": 1. / 60, "amin": 1. / 60, "arcminute": 1. / 60, "arcminutes": 1. / 60,
	"arcsec": 1. / 3600, "asec": 1. / 3600, "arcsecond": 1. / 3600, "arcseconds": 1. / 3600,
	"mas": 1. / 3600e3, "milliarcsec": 1. / 3600e3,
	"uas": 1. / 3600e6,
}

// toDegrees converts coordinate columns on the sky whose unit is another angle
// to degrees, as float64; the unit of the field follows.
func toDegrees(c *format.Column) error {
	unit := strings.ToLower(strings.Trim(c.Field.Unit, " '\"()"))
	per, ok := degreesPer[unit]
	if !ok {
		return format.Requestf("column %s has the unit %q, which is no angle; on the sky RA and Dec are in deg, rad, hourangle, arcmin, arcsec or mas",
			c.Field.Name, c.Field.Unit)
	}
	if per == 1 {
		return nil
	}
	if c.Float32 != nil {
		c.Float64, c.Float32 = widen(c.Float32), nil
	}
	for i, v := range c.Float64 {
		c.Float64[i] = inDegrees(v, per)
	}
	c.Field.Unit = "deg"
	return nil
}

// inDegrees converts one value. The float64 nearest to π/2 is the pole, and
// must not pass it by rounding.
func inDegrees(v, per float64) float64 {
	d := v * per
	if a := math.Abs(d); a > 90 && a <= 90*(1+4e-16) {
		return math.Copysign(90, d)
	}
	return d
}
