package mock

import (
	"cmp"
	"math"
)

// newGalaxy is the Galactic plane as a survey of positions sees it: a disk whose
// latitudes fall off exponentially with a scale of 4°, denser towards the
// centre, a bulge of 8° × 6°, and star clusters in the disk, which have 5 % of
// the rows.
func newGalaxy(opt Options) (source, error) {
	known := make([]Cluster, cmp.Or(opt.Clusters, 60))
	centres, weights := make([]vector, len(known)), make([]float64, len(known))
	for k := range known {
		r := newStream(opt.Seed, ofClusters, uint64(k))
		weights[k] = r.between(0.3, 1.7)
		centres[k] = disk(r)
		ra, dec := centres[k].position()
		known[k] = Cluster{Label: int32(k), Centre: []float64{ra, dec}, Radius: r.between(0.02, 0.1)}
	}
	cumulative := fractions(known, weights, 0.05)
	return source{append(positions(), truth("true_cluster")), known, perRow(opt.Seed, func(r *stream, _ uint64, block []Column, i int) {
		k := pick(r, cumulative)
		block[2].Int64[i] = int64(k)
		switch {
		case k >= 0: // Gaussian in the plane of the sky
			distance := math.Sqrt(2*r.exponential()) * known[k].Radius
			setPosition(block, i, centres[k].away(sinHalf(distance), float64(360*r.float())))
		case r.float() < 0.2:
			setPosition(block, i, fromGalactic(float64(8*r.normal()), float64(6*r.normal())))
		default:
			setPosition(block, i, disk(r))
		}
	})}, nil
}

// disk returns a direction in the disk.
func disk(r *stream) vector {
	l := float64(360 * r.float())
	if r.float() < 0.5 { // half of the disk towards the centre
		l = float64(60 * r.normal())
	}
	b := min(float64(4*r.exponential()), 90)
	if r.float() < 0.5 {
		b = -b
	}
	return fromGalactic(l, b)
}

// galactic has the Galactic axes in ICRS as rows (ESA, The Hipparcos and Tycho
// Catalogues, vol. 1, eq. 1.5.11).
var galactic = [3]vector{
	{-0.0548755604, -0.8734370902, -0.4838350155},
	{+0.4941094279, -0.4448296300, +0.7469822445},
	{-0.8676661490, -0.1980763734, +0.4559837762},
}

// fromGalactic returns the ICRS direction of (l, b) in degrees; b may pass a
// pole.
func fromGalactic(l, b float64) vector {
	g := direction(l, b)
	var v vector
	for i := range v {
		v[i] = float64(g[0]*galactic[0][i]) + float64(g[1]*galactic[1][i]) + float64(g[2]*galactic[2][i])
	}
	return v
}
