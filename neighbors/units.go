package neighbors

import "math"

// Units of angles in radians, which is what radii and distances on the sky are
// in: 5*Arcsec is a radius of 5 arcsec, and d/Arcsec is a distance d in arcsec.
const (
	Degree = math.Pi / 180
	Arcmin = Degree / 60
	Arcsec = Degree / 3600
)
