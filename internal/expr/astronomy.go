package expr

import (
	"math"

	"skyjoin/internal/cosmo"
)

// parsecs is the distance of a parallax in mas.
func parsecs(parallax float64) float64 {
	if !(parallax > 0) {
		return math.NaN()
	}
	return 1000 / parallax
}

// kmsPerMasYrKpc is one AU per year in km/s: the velocity of 1 mas/yr at 1 kpc.
const kmsPerMasYrKpc = 4.740470463533349

// tangential is the velocity in km/s of a proper motion in mas/yr at a distance
// in pc.
func tangential(pm, pc float64) float64 { return kmsPerMasYrKpc * pm * (pc / 1000) }

// The cosmology of comoving unless it is given.
const (
	hubble  = 70.0
	density = 0.3
)

// comoving adds the comoving distance in Mpc of a redshift. The cosmology is of
// constants, so that one table of it serves all rows.
func (c *compiler) comoving(n *Node, z *instr) *instr {
	parameters := []float64{hubble, density}
	for i, a := range n.Args[1:] {
		if a.Kind != Literal || !a.Value.typ.isNumber() {
			c.Fail(a.Pos, "%s: the Hubble constant and the matter density are numbers, as in comoving(z, 67.4, 0.315)", c.text(a))
		}
		parameters[i] = a.Value.Float()
	}
	h0 := parameters[0]
	if !(h0 > 0) || math.IsInf(h0, 1) {
		c.Fail(n.Pos, "a Hubble constant of %v km/s/Mpc; it must be positive", h0)
	}
	flat, err := cosmo.NewFlat(parameters[1])
	if err != nil {
		c.Fail(n.Pos, "%v", err)
	}
	flat.Comoving(maxRedshift) // fills the table, which goroutines then share
	return c.op(n, Float64, mapped(float64s, func(z float64) float64 { return flat.Comoving(z) * (100 / h0) }), c.toFloat(n, z))
}

// maxRedshift is the largest redshift that has a distance.
const maxRedshift = 1100
