package mock

import (
	"math"
	"slices"
	"testing"
)

func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func deviation(v []float64) float64 {
	m := mean(v)
	var sum float64
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return math.Sqrt(sum / float64(len(v)))
}

// separation in degrees.
func separation(a, b vector) float64 {
	var d2, s2 float64
	for i := range a {
		d2 += (a[i] - b[i]) * (a[i] - b[i])
		s2 += (a[i] + b[i]) * (a[i] + b[i])
	}
	return 2 * math.Atan2(math.Sqrt(d2), math.Sqrt(s2)) * 180 / math.Pi
}

func TestAway(t *testing.T) {
	for _, v := range []vector{{1, 0, 0}, {0, 0, 1}, {0, 0, -1}, direction(290, 12), direction(10, -80)} {
		for _, d := range []float64{1e-6, .5, 30, 179} {
			for angle := 0.0; angle < 360; angle += 45 {
				w := v.away(sinHalf(d), angle)
				if got := separation(v, w); math.Abs(got-d) > 1e-13*max(d, 90) {
					t.Errorf("%v from %v at %v°: %v", d, v, angle, got)
				}
			}
		}
	}
	// East is towards larger RA, north towards larger Dec.
	if ra, dec := direction(10, 40).away(sinHalf(1), 90).position(); ra <= 11 || math.Abs(dec-40) > .01 {
		t.Errorf("1° east of (10, 40) is (%v, %v)", ra, dec)
	}
	if ra, dec := direction(10, 40).away(sinHalf(1), 0).position(); math.Abs(ra-10) > 1e-12 || math.Abs(dec-41) > 1e-12 {
		t.Errorf("1° north of (10, 40) is (%v, %v)", ra, dec)
	}
}

func TestFromGalactic(t *testing.T) {
	for _, c := range []struct{ l, b, ra, dec float64 }{
		{0, 0, 266.405, -28.936},
		{0, 90, 192.85948, 27.12825},
		{122.93192, 27.12825, 0, 90},
	} {
		v := fromGalactic(c.l, c.b)
		if d := separation(v, direction(c.ra, c.dec)); d > .001 {
			t.Errorf("(l, b) = (%v, %v) is %v° from (%v, %v)", c.l, c.b, d, c.ra, c.dec)
		}
	}
}

func TestStandardError(t *testing.T) {
	for g, want := range map[float64]float64{9: .025, 15: .025, 17: .07, 20: .5, 21: 1.3} {
		if e := standardError(g); math.Abs(e/want-1) > .01 {
			t.Errorf("G = %v: %v mas, want %v", g, e, want)
		}
	}
}

func TestSky(t *testing.T) {
	const n = 60000
	c := mustNew(t, "sky", Options{Rows: n, Seed: 2, Centre: &[2]float64{0.5, 30}})
	cols := c.Fill(0, n)
	if len(c.Clusters()) != 6 {
		t.Fatalf("%d clusters, want 6", len(c.Clusters()))
	}

	ids := slices.Clone(cols[skySourceID].Int64)
	slices.Sort(ids)
	if len(slices.Compact(ids)) != n || ids[0] <= 1<<53 {
		t.Error("source_id is not unique, or fits a float64")
	}

	centre := direction(0.5, 30)
	members := make([][]int, 6)
	var north, south int
	for i := range n {
		ra, dec := cols[skyRA].Float64[i], cols[skyDec].Float64[i]
		if !(ra >= 0 && ra < 360) {
			t.Fatalf("row %d: RA %v", i, ra)
		}
		if d := separation(centre, direction(ra, dec)); d > 1.5+1e-12 {
			t.Fatalf("row %d is %v° from the centre of a cone of 1.5°", i, d)
		}
		if dec > 30 {
			north++
		} else {
			south++
		}
		if g := cols[skyG].Float32[i]; !cols[skyG].Null[i] && !(g >= 6 && g <= 18) {
			t.Fatalf("row %d: G = %v", i, g)
		}
		if k := cols[skyTruth].Int64[i]; k >= 0 {
			members[k] = append(members[k], i)
		}
		if cols[skyParallax].Null[i] != math.IsNaN(cols[skyParallax].Float64[i]) {
			t.Fatalf("row %d: a null that is no NaN, or the reverse", i)
		}
		if cols[skyParallax].Null[i] != cols[skyPMDec].Null[i] {
			t.Fatalf("row %d: parallax and proper motion are not null together", i)
		}
	}
	if r := float64(north) / float64(south); r < .9 || r > 1.1 {
		t.Errorf("%d rows north and %d south of the centre", north, south)
	}
	for k, rows := range members {
		want := c.Clusters()[k]
		if f := float64(len(rows)) / n; math.Abs(f-want.Fraction) > .3*want.Fraction {
			t.Errorf("cluster %d has %v of the rows, want %v", k, f, want.Fraction)
		}
		var parallax, pmra []float64
		middle := vector{}
		for _, i := range rows {
			v := direction(cols[skyRA].Float64[i], cols[skyDec].Float64[i])
			for d := range v {
				middle[d] += v[d] / float64(len(rows))
			}
			if !cols[skyParallax].Null[i] {
				parallax = append(parallax, cols[skyParallax].Float64[i])
				pmra = append(pmra, cols[skyPMRA].Float64[i])
			}
		}
		if d := separation(middle, direction(want.Centre[0], want.Centre[1])); d > want.Radius/5 {
			t.Errorf("cluster %d: mean position %v° from its centre, tidal radius %v°", k, d, want.Radius)
		}
		if d := mean(parallax) - want.Parallax; math.Abs(d) > .02 {
			t.Errorf("cluster %d: mean parallax is off by %v mas", k, d)
		}
		if d := mean(pmra) - want.PM[0]; math.Abs(d) > .1 || deviation(pmra) > .6 {
			t.Errorf("cluster %d: mean pmra is off by %v mas/yr, deviation %v", k, d, deviation(pmra))
		}
	}
}

func TestClumps(t *testing.T) {
	const n = 50000
	c := mustNew(t, "clumps", Options{Rows: n, Seed: 3, Dim: 3, Clusters: 20})
	cols := c.Fill(0, n)
	rows := make([][][]float64, 20)
	background := 0
	for i, k := range cols[3].Int64 {
		if k < 0 {
			background++
			continue
		}
		if rows[k] == nil {
			rows[k] = make([][]float64, 3)
		}
		for d := range 3 {
			rows[k][d] = append(rows[k][d], cols[d].Float64[i])
		}
	}
	if f := float64(background) / n; math.Abs(f-.5) > .02 {
		t.Errorf("background %v of the rows, want half", f)
	}
	for k, known := range c.Clusters() {
		for d := range 3 {
			if len(rows[k]) == 0 || len(rows[k][d]) < 100 {
				continue
			}
			v := rows[k][d]
			if math.Abs(mean(v)-known.Centre[d]) > 5*known.Radius/math.Sqrt(float64(len(v))) || math.Abs(deviation(v)/known.Radius-1) > .3 {
				t.Errorf("clump %d, coordinate %d: mean %v, deviation %v; want %v, %v", k, d, mean(v), deviation(v), known.Centre[d], known.Radius)
			}
		}
	}
}
