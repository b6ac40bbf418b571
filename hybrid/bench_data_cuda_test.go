//go:build cuda && linux

package hybrid_test

import (
	"fmt"
	"math"
	"runtime"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A dataset is named as in the literature: Expo6D2M.
type dataset struct {
	kind string // Unif, Expo, Sky
	dim  int
	rows int
}

func (d dataset) String() string {
	size := fmt.Sprintf("%dk", d.rows/1000)
	if d.rows%1_000_000 == 0 {
		size = fmt.Sprintf("%dM", d.rows/1_000_000)
	}
	return fmt.Sprintf("%s%dD%s", d.kind, d.dim, size)
}

func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// points makes the points: uniform in [0, 100), exponential of rate 40 capped
// at 1, or on the sky, denser towards the galactic equator.
func (d dataset) points() (*neighbors.Points, neighbors.Metric, error) {
	s := splitmix(uint64(d.dim*1000 + len(d.kind)))
	cols := make([]neighbors.Column, d.dim)
	for j := range cols {
		v := make([]float64, d.rows)
		par.Chunks(runtime.GOMAXPROCS(0), d.rows, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				u := float64(splitmix(s+uint64(i*d.dim+j))>>11) * 0x1p-53
				switch {
				case d.kind == "Unif":
					v[i] = float64(float32(100 * u))
				case d.kind == "Expo":
					v[i] = float64(float32(min(-math.Log1p(-u)/40, 1)))
				case j == 0:
					v[i] = 360 * u
				default:
					w := 2*u - 1
					v[i] = math.Copysign(math.Asin(math.Pow(math.Abs(w), 1.5)), w) * 180 / math.Pi
				}
			}
		})
		cols[j] = neighbors.Float64s(v)
	}
	metric := neighbors.Euclidean()
	if d.kind == "Sky" {
		metric = neighbors.Sky()
	}
	p, err := neighbors.NewPoints(cols...)
	return p, metric, err
}
