package corr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

// drawBox writes n points of a box of side 10 and returns them.
func drawBox(t *testing.T, seed uint64, n int) (path string, p [][3]float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	lines := []string{"x,y,z"}
	for range n {
		p = append(p, [3]float64{10 * rng.Float64(), 10 * rng.Float64(), 10 * rng.Float64()})
		at := p[len(p)-1]
		lines = append(lines, fmt.Sprintf("%v,%v,%v", at[0], at[1], at[2]))
	}
	return cmdtest.CSVOf(t, lines...), p
}

// The pairs of two catalogs in a periodic box, by (rp, π) and by (s, μ), are those
// of a recount; ξ compares them with N_A·N_B times the share of the volume.
func TestCrossPairsOfABox(t *testing.T) {
	a, pa := drawBox(t, 1, 60)
	b, pb := drawBox(t, 2, 45)
	for _, c := range []struct {
		args  string
		edges [2][]float64
		of    func(across2, along float64) (first, second float64)
		share func(lo, hi [2]float64) float64
	}{
		{"--kind rppi --los z --bins 1,2,5 --pi 0,2,5", [2][]float64{{1, 2, 5}, {0, 2, 5}},
			func(across2, along float64) (float64, float64) { return math.Sqrt(across2), along },
			func(lo, hi [2]float64) float64 {
				return math.Pi * (hi[0]*hi[0] - lo[0]*lo[0]) * 2 * (hi[1] - lo[1]) / 1000
			}},
		{"--kind smu --los z --bins 1,3,5 --mu 0,0.3,1", [2][]float64{{1, 3, 5}, {0, .3, 1}},
			func(across2, along float64) (float64, float64) {
				s := math.Sqrt(across2 + along*along)
				return s, along / s
			},
			func(lo, hi [2]float64) float64 {
				return 4 * math.Pi / 3 * (math.Pow(hi[0], 3) - math.Pow(lo[0], 3)) * (hi[1] - lo[1]) / 1000
			}},
	} {
		var pairs []string
		var xi []float64
		for i := range 2 {
			for j := range 2 {
				lo, hi := [2]float64{c.edges[0][i], c.edges[1][j]}, [2]float64{c.edges[0][i+1], c.edges[1][j+1]}
				n := 0
				for _, x := range pa {
					for _, y := range pb {
						var d [3]float64
						for k := range d {
							d[k] = math.Abs(x[k] - y[k])
							d[k] = min(d[k], 10-d[k])
						}
						first, second := c.of(d[0]*d[0]+d[1]*d[1], d[2])
						if first >= lo[0] && first < hi[0] && second >= lo[1] && second < hi[1] {
							n++
						}
					}
				}
				pairs = append(pairs, strconv.Itoa(n))
				xi = append(xi, float64(n)/(60*45*c.share(lo, hi))-1)
			}
		}
		for _, of := range [][2]string{{a, b}, {b, a}} {
			r := cmdtest.Succeed(t, append([]string{"corr", of[0], "--with", of[1], "-c", "x,y,z", "--box", "10", "--json"}, strings.Fields(c.args)...)...)
			if got := counted(t, r, "dd"); !slices.Equal(got, pairs) {
				t.Errorf("%s: pairs %v, want %v", c.args, got, pairs)
			}
			for i, text := range counted(t, r, "xi") {
				if got := number(t, text); math.Abs(got-xi[i]) > 1e-12*(1+math.Abs(xi[i])) {
					t.Errorf("%s: ξ is %v in cell %d, want %v", c.args, got, i, xi[i])
				}
			}
			if res := cmdtest.SummaryOf(t, r).Result; fmt.Sprintf("%v", res["dd_pairs"]) != "2700" {
				t.Errorf("%s: %v pairs in all, want 60·45", c.args, res["dd_pairs"])
			}
		}
	}
	base := []string{"corr", a, "--with", b, "-c", "x,y,z", "--bins", "1,2"}
	cmdtest.Refuse(t, exit.Request, base, "--with "+b+" needs --box")
	cmdtest.Refuse(t, exit.Request, append(base, "--box", "10", "--random", a), "--random "+a, "--with "+b)
	cmdtest.Refuse(t, exit.Request, append(base, "--box", "10", "--patches", "3"), "--patches 3 needs --random")
	cmdtest.Refuse(t, exit.Request, []string{"corr", a, "-c", "x,y,z", "--bins", "1,2", "--box", "10", "--where-b", "x > 1"}, "no second catalog")
}
