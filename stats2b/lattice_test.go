package stats2b

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// TestLatticeRecount counts points of a lattice, many of them more than once and some
// of weight 0, in boxes and without: distances hit the edges of bins, and π that of
// half a box. The recount is one of integers.
func TestLatticeRecount(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22))
	for trial := range 60 {
		dim := 1 + trial%3
		plane := NoPlane
		if dim == 3 {
			plane = []Plane{NoPlane, RpPi, SMu}[trial/3%3]
		}
		side, axis, n := 10+2*rng.IntN(2), 1+rng.IntN(3), 150+rng.IntN(250)
		boxed, cross, weighted := rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0
		draw := func() (*Sample, [][]int, []int) {
			at := make([][]int, dim)
			cols := make([]neighbors.Column, dim)
			for c := range dim {
				v := make([]float64, n)
				for i := range n {
					at[c] = append(at[c], rng.IntN(side))
					v[i] = float64(at[c][i])
				}
				cols[c] = neighbors.Float64s(v)
			}
			s := &Sample{Points: must(neighbors.NewPoints(cols...))}
			weight := make([]int, n)
			for i := range weight {
				weight[i] = 1
				if weighted {
					weight[i] = rng.IntN(7) - 2
					s.Weights = append(s.Weights, float64(weight[i]))
				}
			}
			return s, at, weight
		}
		a, x, wx := draw()
		b, y, wy := (*Sample)(nil), x, wx
		if cross {
			b, y, wy = draw()
		}
		half := side / 2
		metric := neighbors.Euclidean()
		if boxed {
			metric = neighbors.Periodic(slices.Repeat([]float64{float64(side)}, dim)...)
		}
		edges := func(from int) (e []float64) {
			for k := from; k <= half; k++ {
				e = append(e, float64(k))
			}
			return e
		}
		binning := Binning{Bins: must(EdgeBins(edges(1)...)), Plane: plane}
		rows := half - 1
		columns := 1
		switch plane {
		case RpPi:
			binning.Across, binning.Axis, columns = must(EdgeBins(edges(0)...)), axis, half
		case SMu:
			// μ² is at least ¼, or not: no μ of integers is an edge but by squares.
			binning.Across, binning.Axis, columns = must(EdgeBins(0, 0.5, 1)), axis, 2
		}
		want, sums := make([]uint64, rows*columns), make([]float64, rows*columns)
		for i := range n {
			j := 0
			if !cross {
				j = i + 1
			}
			for ; j < n; j++ {
				d2, pi := 0, 0
				for c := range dim {
					d := max(x[c][i]-y[c][j], y[c][j]-x[c][i])
					if boxed {
						d = min(d, side-d)
					}
					if plane != NoPlane && c == axis-1 {
						pi = d
					}
					d2 += d * d
				}
				first, column := d2, 0
				switch plane {
				case RpPi:
					first, column = d2-pi*pi, pi
				case SMu:
					if 4*pi*pi >= d2 {
						column = 1
					}
				}
				row := 0
				for row < half && (row+1)*(row+1) <= first {
					row++
				}
				if row == 0 || row > rows || column >= columns {
					continue
				}
				want[(row-1)*columns+column]++
				sums[(row-1)*columns+column] += float64(wx[i] * wy[j])
			}
		}
		name := fmt.Sprintf("trial %d: %d-D plane %d box %v cross %v weights %v", trial, dim, plane, boxed, cross, weighted)
		for _, threads := range []int{1, 2} {
			c := must(CountPatches(t.Context(), a, b, metric, binning, 0, Options{Threads: threads})).Counts()
			if !slices.Equal(c.Pairs, want) {
				t.Errorf("%s: %v, want %v", name, c.Pairs, want)
			}
			if weighted && !slices.Equal(c.Weights, sums) {
				t.Errorf("%s: weights %v, want %v", name, c.Weights, sums)
			}
		}
	}
}
