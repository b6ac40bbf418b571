package mock

import "math"

// galaxy is the Galactic plane as a survey of positions sees it: a disk whose
// latitudes fall off exponentially with a scale of 4°, denser towards the
// centre, a bulge of 8° × 6°, and star clusters in the disk, which have 5 % of
// the rows.
type galaxy struct {
	seed       uint64
	known      []Cluster
	centres    []vector
	cumulative []float64
}

func newGalaxy(opt Options) (source, error) {
	if opt.Clusters == 0 {
		opt.Clusters = 60
	}
	g := &galaxy{seed: opt.Seed}
	weights := make([]float64, opt.Clusters)
	for k := range weights {
		r := newStream(opt.Seed, ofClusters, uint64(k))
		weights[k] = r.between(0.3, 1.7)
		centre := disk(r)
		ra, dec := centre.position()
		g.centres = append(g.centres, centre)
		g.known = append(g.known, Cluster{Label: int32(k), Centre: []float64{ra, dec}, Radius: r.between(0.02, 0.1)})
	}
	g.cumulative = cumulate(weights, 0.05)
	last := 0.0
	for k, v := range g.cumulative {
		g.known[k].Fraction = v - last
		last = v
	}
	return g, nil
}

func (g *galaxy) fields() []Field     { return append(positions(), truth("true_cluster")) }
func (g *galaxy) clusters() []Cluster { return g.known }

func (g *galaxy) fill(lo int64, block []Column) {
	for i := range block[0].Float64 {
		r := newStream(g.seed, ofRows, uint64(lo)+uint64(i))
		k := pick(r, g.cumulative)
		var v vector
		switch {
		case k >= 0: // Gaussian in the plane of the sky
			distance := math.Sqrt(2*r.exponential()) * g.known[k].Radius
			v = g.centres[k].away(sinHalf(distance), float64(360*r.float()))
		case r.float() < 0.2:
			v = fromGalactic(float64(8*r.normal()), float64(6*r.normal()))
		default:
			v = disk(r)
		}
		ra, dec := v.position()
		block[0].set(i, ra)
		block[1].set(i, dec)
		block[2].Int64[i] = int64(k)
	}
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
