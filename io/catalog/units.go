package catalog

import (
	"context"
	"math"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/frame"
)

// degreesPer is the size in degrees of the units of angles, by their names in lower
// case: those of the VOUnits standard, those of CDS, and others in use. Degrees
// themselves are not converted.
var degreesPer = map[string]float64{
	"":       1,
	"deg":    1,
	"degree": 1, "degrees": 1, "degs": 1, "angle[deg]": 1, "°": 1,
	"rad": 180 / math.Pi, "radian": 180 / math.Pi, "radians": 180 / math.Pi, "angle[rad]": 180 / math.Pi,
	"hourangle": 15, "h": 15, "hour": 15, "hours": 15, "hr": 15, "hrs": 15,
	"arcmin": 1. / 60, "amin": 1. / 60, "arcminute": 1. / 60, "arcminutes": 1. / 60,
	"arcsec": 1. / 3600, "asec": 1. / 3600, "arcsecond": 1. / 3600, "arcseconds": 1. / 3600,
	"mas": 1. / 3600e3, "milliarcsec": 1. / 3600e3,
	"uas": 1. / 3600e6,
}

// angleUnit is a unit as degreesPer has it.
func angleUnit(unit string) string { return strings.ToLower(strings.Trim(unit, " '\"()")) }

// AngleUnit returns how many degrees a unit of angles is, named as in catalogs: "mas",
// "arcsec", "hourangle". Any other unit is not ok; "" is the degree.
func AngleUnit(unit string) (degrees float64, ok bool) {
	degrees, ok = degreesPer[angleUnit(unit)]
	return degrees, ok
}

// toDegrees converts coordinate columns on the sky whose unit is another angle
// to degrees, as float64; the unit of the field follows.
func toDegrees(c *format.Column) error {
	per, ok := AngleUnit(c.Field.Unit)
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

// rotate converts positions in degrees to ICRS.
func (c *Catalog) rotate(ctx context.Context, lon, lat *format.Column, from string) error {
	m, _ := frame.Of(from)
	for _, col := range []*format.Column{lon, lat} {
		if col.Float32 != nil {
			col.Float64, col.Float32 = widen(col.Float32), nil
		}
	}
	lon.Field.Name, lat.Field.Name = "ra", "dec"
	const part = 1 << 16
	n := len(lon.Float64)
	return c.pool.Run(ctx, (n+part-1)/part, func(p int) error {
		for i := p * part; i < min(n, (p+1)*part); i++ {
			lon.Float64[i], lat.Float64[i] = m.Rotate(lon.Float64[i], lat.Float64[i])
		}
		return nil
	})
}
