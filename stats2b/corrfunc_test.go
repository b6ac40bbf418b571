package stats2b

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"skyjoin/neighbors"
)

// A survey is galaxies at RA, Dec and distances that a file has in single
// precision, half of them in groups that redshifts draw out along the line of
// sight; two of every group are at one RA and Dec.
func survey(n int) (positions [][3]float64) {
	r := rand.New(rand.NewPCG(19, 19))
	for len(positions) < n {
		ra, dec, distance := 60*r.Float64(), 60*r.Float64(), 60+140*math.Cbrt(r.Float64())
		members := 1
		if r.IntN(4) == 0 {
			members = 8
		}
		for k := range members {
			if k != 1 {
				ra += 0.2 * r.NormFloat64()
				dec += 0.2 * r.NormFloat64()
			}
			a, d := float64(float32(ra))*math.Pi/180, float64(float32(dec))*math.Pi/180
			far := float64(float32(distance + 4*r.NormFloat64()))
			sinA, cosA := math.Sincos(a)
			sinD, cosD := math.Sincos(d)
			positions = append(positions, [3]float64{far * cosD * cosA, far * cosD * sinA, far * sinD})
		}
	}
	return positions[:n]
}

// exactly returns rp² and π² of two positions without rounding.
func exactly(a, b [3]float64) (rp2, pi2 *big.Rat) {
	var s2, l2, dot big.Rat
	for c := range 3 {
		x, y := new(big.Rat).SetFloat64(a[c]), new(big.Rat).SetFloat64(b[c])
		s, l := new(big.Rat).Sub(x, y), new(big.Rat).Add(x, y)
		s2.Add(&s2, new(big.Rat).Mul(s, s))
		l2.Add(&l2, new(big.Rat).Mul(l, l))
		dot.Add(&dot, new(big.Rat).Mul(s, l))
	}
	pi2 = new(big.Rat).Quo(dot.Mul(&dot, &dot), &l2)
	return new(big.Rat).Sub(&s2, pi2), pi2
}

// exactCell returns the cell of a pair, with most bins of π one wide; -1 if it is
// in none.
func exactCell(edges []float64, most int, a, b [3]float64) int {
	rp2, pi2 := exactly(a, b)
	atLeast := func(square *big.Rat, edge float64) bool {
		e := new(big.Rat).SetFloat64(edge)
		return square.Cmp(e.Mul(e, e)) >= 0
	}
	i, j := -1, 0
	for i+1 < len(edges) && atLeast(rp2, edges[i+1]) {
		i++
	}
	for j <= most && atLeast(pi2, float64(j+1)) {
		j++
	}
	if i < 0 || i == len(edges)-1 || j >= most {
		return -1
	}
	return i*most + j
}

// squares are rp² and π² by the formula of Corrfunc's DDrppi_mocks, in the
// precision of T: (s·2l)²/|2l|² is taken off s².
func squares[T float32 | float64](a, b [3]float64) (rp2, pi2 T) {
	var s2, l2, dot T
	for c := range 3 {
		s, l := T(b[c])-T(a[c]), T(b[c])+T(a[c])
		s2 += T(s * s)
		l2 += T(l * l)
		dot += T(s * l)
	}
	pi2 = T(dot*dot) / l2
	return s2 - pi2, pi2
}

// corrfuncCell returns the cell that Corrfunc finds for a pair: edges of rp are
// squared, and π is truncated.
func corrfuncCell[T float32 | float64](edges []float64, most int, a, b [3]float64) int {
	rp2, pi2 := squares[T](a, b)
	last := len(edges) - 1
	square := func(k int) T { return T(edges[k]) * T(edges[k]) }
	if pi2 >= T(most*most) || rp2 >= square(last) || rp2 < square(0) {
		return -1
	}
	i := last - 1
	for rp2 < square(i) {
		i--
	}
	return i*most + int(T(math.Sqrt(float64(pi2))))
}

// Counts in (rp, π) are those of a recount without rounding. Corrfunc's formula in
// double precision leaves out pairs on one line of sight where the first bin begins
// at 0, as rp² = s²-π² comes out below 0 for some; it finds all others the same. In
// single precision it puts pairs that are next to an edge on the other side.
func TestCorrfuncRpPi(t *testing.T) {
	const n, most = 1500, 40
	positions := survey(n)
	columns := make([][]float64, 3)
	for _, p := range positions {
		for c := range 3 {
			columns[c] = append(columns[c], p[c])
		}
	}
	points := must(neighbors.NewPoints(neighbors.Float64s(columns[0]), neighbors.Float64s(columns[1]), neighbors.Float64s(columns[2])))
	// The second edges are those of Corrfunc's own tests.
	for _, edges := range [][]float64{
		{0, 0.5, 1, 2, 4, 8, 16},
		{0.167536, 0.238755, 0.340251, 0.484892, 0.691021, 0.984777, 1.40341, 2, 2.8502, 4.06184, 5.78853, 8.24925, 11.756, 16.7536, 23.8755},
	} {
		cells := (len(edges) - 1) * most
		exact := make([]uint64, cells)
		pis := make([]float64, most+1)
		for j := range pis {
			pis[j] = float64(j)
		}
		left, moved := 0, 0
		for a := range positions {
			for b := range a {
				rp2, pi2 := squares[float64](positions[a], positions[b])
				if rp2 > 600 || pi2 > 1700 {
					continue // far from any bin
				}
				rp, pi := math.Sqrt(max(rp2, 0)), math.Sqrt(pi2)
				toEdge := min(distance(edges, rp), distance(pis, pi))
				at := corrfuncCell[float64](edges, most, positions[a], positions[b])
				want := at
				if toEdge < 1e-9 {
					want = exactCell(edges, most, positions[a], positions[b])
				}
				if want >= 0 {
					exact[want]++
				}
				if at != want {
					left++
					if at >= 0 || rp2 >= 0 {
						t.Errorf("galaxies %d and %d, rp² %v, π %v: cell %d in double precision, %d exactly", a, b, rp2, pi, at, want)
					}
				}
				if single := corrfuncCell[float32](edges, most, positions[a], positions[b]); single != want {
					moved++
					if toEdge > .01 {
						t.Errorf("galaxies %d and %d, rp %v, π %v: cell %d in single precision, %d exactly", a, b, rp, pi, single, want)
					}
				}
			}
		}
		c := must(CountPatches(t.Context(), &Sample{Points: points}, nil, neighbors.Euclidean(),
			Binning{Bins: must(EdgeBins(edges...)), Plane: RpPi, Across: must(EdgeBins(pis...))}, 0, Options{})).Counts()
		all := uint64(0)
		for k := range exact {
			all += exact[k]
			if c.Pairs[k] != exact[k] {
				t.Errorf("edges from %v, cell %d: %d pairs, a recount finds %d", edges[0], k, c.Pairs[k], exact[k])
			}
		}
		if (left > 0) != (edges[0] == 0) || edges[0] == 0 && moved <= left {
			t.Errorf("edges from %v: of %d pairs %d are left out in double precision, %d moved in single", edges[0], all, left, moved)
		}
		t.Logf("edges from %v: of %d pairs %d are left out in double precision, %d moved in single", edges[0], all, left, moved)
	}
}

// distance returns how far the nearest edge is.
func distance(edges []float64, x float64) float64 {
	d := math.Inf(1)
	for _, e := range edges {
		d = min(d, math.Abs(x-e))
	}
	return d
}
