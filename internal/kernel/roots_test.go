package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRoots(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	for _, f := range All() {
		for _, n := range []int{0, 1, 7, 8, 9, 100, maxRoots + 5} {
			x := make([]float64, n+1)
			want := make([]float64, n+1)
			for i := range x {
				x[i] = r.ExpFloat64()
				if i%5 == 0 {
					x[i] = []float64{0, 5e-324, math.MaxFloat64, math.Inf(1)}[i/5%4]
				}
				want[i] = math.Sqrt(x[i])
			}
			want[n] = x[n] // is none of its business
			f.Roots(x[:n])
			for i := range x {
				if x[i] != want[i] {
					t.Fatalf("%s: root %d of %d is %g, want %g", f.Name, i, n, x[i], want[i])
				}
			}
		}
	}
}

const maxRoots = 1 << 16 // of one call of the assembly
