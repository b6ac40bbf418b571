package tiles

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/healpix"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// pointsOf makes points of columns.
func pointsOf(t testing.TB, cols ...[]float64) *neighbors.Points {
	t.Helper()
	var c []neighbors.Column
	for _, v := range cols {
		c = append(c, neighbors.Float64s(v))
	}
	p, err := neighbors.NewPoints(c...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkDivision checks that every row has an owner and that rows within the
// radius of another one are in the halo of its tile, and that no tile is left
// out by the bounds of rows.
func checkDivision(t *testing.T, d division, m neighbors.Metric, radius float64, p *neighbors.Points) (halo int) {
	t.Helper()
	ruler, err := neighbors.NewRuler(m, p, p)
	if err != nil {
		t.Fatal(err)
	}
	n := p.Len()
	owner, near := make([]int32, n), make([][]int32, n)
	s := &scratch{}
	for i := range n {
		o, l := d.place(p, i, s)
		owner[i], near[i] = o, slices.Clone(l)
		if o < 0 || int(o) >= d.tiles() {
			t.Fatalf("row %d is of tile %d of %d", i, o, d.tiles())
		}
		halo += len(l)
		if slices.Contains(l, o) {
			halo--
		}
		b := make([]catalog.Interval, p.Dim())
		for j := range b {
			v := p.Column(j).At(i)
			b[j] = catalog.Interval{Lo: v - .1, Hi: v + .1}
		}
		touched := map[int32]bool{}
		d.touch(b, touched)
		for _, k := range append(near[i], o) {
			if !touched[k] {
				t.Fatalf("row %d is of interest to tile %d, its bounds %v are not", i, k, b)
			}
		}
	}
	for i := range n {
		for j := range n {
			if ruler.Distance(uint32(i), uint32(j)) <= radius && owner[i] != owner[j] && !slices.Contains(near[i], owner[j]) {
				t.Fatalf("row %d of tile %d is not in the halo of tile %d, of which row %d is %v away, within %v", i, owner[i], owner[j], j, ruler.Distance(uint32(i), uint32(j)), radius)
			}
		}
	}
	return halo
}

func TestSkyDivision(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	rounds := 20
	if testing.Short() {
		rounds = 8
	}
	for round := range rounds {
		tiles := 1 + rng.IntN(9)
		cuts := []int64{0, healpix.Cells(healpix.MaxOrder)}
		for range tiles - 1 {
			c := rng.Int64N(cuts[1])
			if rng.IntN(2) == 0 {
				c &= ^int64(1<<50 - 1)
			}
			cuts = append(cuts, c)
		}
		if rng.IntN(4) == 0 {
			cuts = append(cuts, cuts[len(cuts)-1]) // a tile of nothing
		}
		slices.Sort(cuts)
		radius := math.Exp(-8 * rng.Float64())
		d := newSkyDivision(cuts, radius, -1)
		const n = 500
		ra, dec := make([]float64, n), make([]float64, n)
		spread := radius * 180 / math.Pi
		for i := range n {
			switch {
			case i%2 == 1: // near another one, at about the radius
				a := 2 * math.Pi * rng.Float64()
				dec[i] = dec[i-1] + spread*math.Sin(a)
				ra[i] = ra[i-1] + spread*math.Cos(a)/max(math.Cos(dec[i-1]*math.Pi/180), 1e-3)
				if math.Abs(dec[i]) > 90 {
					dec[i] = math.Copysign(180, dec[i]) - dec[i]
					ra[i] += 180
				}
				if math.Abs(dec[i]) > 90 {
					dec[i] = 0
				}
			case round%4 == 0: // about a pole
				ra[i], dec[i] = 360*rng.Float64(), 90-spread*3*rng.Float64()
			case round%4 == 1: // about RA 0
				ra[i], dec[i] = math.Mod(360+spread*rng.NormFloat64(), 360), 100*rng.Float64()-50
			default:
				ra[i], dec[i] = 720*rng.Float64()-360, math.Asin(2*rng.Float64()-1)*180/math.Pi
			}
		}
		for i := range dec {
			dec[i] = max(-90, min(90, dec[i]))
		}
		p := pointsOf(t, ra, dec)
		checkDivision(t, d, neighbors.Sky(), radius, p)
		// A complete tree says what one that grew where it was asked says.
		all := newSkyDivision(cuts, radius, -1)
		all.complete()
		for i := range n {
			o, l := d.place(p, i, nil)
			if o1, l1 := all.place(p, i, nil); o != o1 || !slices.Equal(l, l1) {
				t.Fatalf("row %d: tile %d near %v, in a complete tree %d near %v", i, o, l, o1, l1)
			}
		}
		// A division for one tile says of its rows what that for all says.
		k := int32(rng.IntN(d.tiles()))
		one := newSkyDivision(cuts, radius, int(k))
		for i := range n {
			o, l := d.place(p, i, nil)
			o1, l1 := one.place(p, i, nil)
			if (o == k) != (o1 == k) || slices.Contains(l, k) != slices.Contains(l1, k) {
				t.Fatalf("row %d: tile %d near %v, asked for tile %d alone: %d near %v", i, o, l, k, o1, l1)
			}
		}
	}
}

// The tree grows by what is asked, not by the number of tiles: a plan of many
// tiles takes about as long as one of few.
func TestSkyTreeGrowsWhereAsked(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	cells := make([]int64, 2000)
	for i := range cells {
		cells[i] = rng.Int64N(healpix.Cells(healpix.MaxOrder))
	}
	slices.Sort(cells)
	for _, n := range []int64{100, 1000, 10000} {
		cuts := []int64{0}
		for i := range n {
			cuts = append(cuts, healpix.Cells(healpix.MaxOrder)/n*(i+1))
		}
		cuts[n] = healpix.Cells(healpix.MaxOrder)
		d := newSkyDivision(cuts, 1e-6, -1)
		for _, c := range cells {
			d.at(c)
		}
		// Each is asked for down to an order that makes 128 parts of a tile.
		if most := 4 * len(cells) * 14; len(d.nodes) > most {
			t.Errorf("%d tiles: %d nodes for %d rows, want %d at most", n, len(d.nodes), len(cells), most)
		}
	}
}

// Halos are not much wider than they have to be.
func TestSkyHaloIsSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	cuts := []int64{0}
	for i := range int64(16) {
		cuts = append(cuts, (i+1)*(healpix.Cells(healpix.MaxOrder)/16))
	}
	const n = 200_000
	for _, c := range []struct{ radius, most float64 }{{1e-6, .05}, {1e-3, .05}, {1e-2, .1}} {
		d := newSkyDivision(cuts, c.radius, -1)
		halo := 0
		ra, dec := make([]float64, n), make([]float64, n)
		for i := range n {
			ra[i], dec[i] = 360*rng.Float64(), math.Asin(2*rng.Float64()-1)*180/math.Pi
		}
		p := pointsOf(t, ra, dec)
		for i := range n {
			o, l := d.place(p, i, nil)
			halo += len(l)
			if slices.Contains(l, o) {
				halo--
			}
		}
		if share := float64(halo) / n; share > c.most {
			t.Errorf("radius %v: halos have %.3f of the rows, with %d nodes", c.radius, share, len(d.nodes))
		}
	}
}

func TestBoxDivision(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for round := range 60 {
		dim := 1 + rng.IntN(4)
		m := Metric{Kind: "euclidean"}
		switch round % 4 {
		case 1:
			m.Kind, m.Sides = "periodic", make([]float64, dim)
			for j := range m.Sides {
				m.Sides[j] = float64(8 * rng.IntN(2))
			}
		case 2:
			m.Kind, dim = "sky-distance", 3+rng.IntN(2)
		case 3:
			m.Scale = slices.Repeat([]float64{2}, dim)
		}
		if m.Kind == "sky-distance" && dim > 3 {
			m.Scale = []float64{1, 3}
		}
		const n = 300
		cols := make([][]float64, dim)
		for j := range cols {
			cols[j] = make([]float64, n)
			for i := range n {
				cols[j][i] = 16*rng.Float64() - 4
			}
		}
		if m.Kind == "sky-distance" {
			for i := range n {
				cols[0][i], cols[1][i], cols[2][i] = cols[0][i]*30, cols[1][i]*5, math.Abs(cols[2][i])
			}
		}
		p := pointsOf(t, cols...)
		radius := 0.1 + rng.Float64()*1.5
		var sample []boxPoint
		l := m.lowering()
		for i := range n / 2 {
			sample = append(sample, boxPoint{l.row(nil, p, i), 1, 1})
		}
		tiles := 1 + rng.IntN(12)
		d := newBoxDivision(m, cutBox(sample, tiles, radius), radius)
		if d.tiles() != tiles {
			t.Fatalf("%d tiles, want %d", d.tiles(), tiles)
		}
		checkDivision(t, d, m.Metric(), radius, p)
	}
}
