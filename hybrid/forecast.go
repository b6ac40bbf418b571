package hybrid

import (
	"math"

	"skyjoin/neighbors"
)

// guesses are what a device is taken to do until it has been measured: of one
// CPU thread, and of one GPU. They decide who takes part, nothing else; errors
// of a factor of two do little harm.
var guesses = struct {
	order, index           float64 // CPU: seconds a row, and a row and thread
	level                  float64 // CPU: seconds a row and level of a tree, and thread
	candidate, row         float64 // CPU: seconds a candidate and dimension, and a query
	upload, build          float64 // GPU: seconds a byte, and a row
	listed, tested, nearOn float64 // GPU: seconds a neighbour sent, a candidate and dimension, a query of the nearest per K + 12
	session                float64 // GPU: seconds
}{
	order: 17e-9, index: 80e-9, level: 12e-9, candidate: 0.1e-9, row: 40e-9,
	upload: 1.0 / 8e9, build: 10e-9, listed: 0.75e-10, tested: 0.2e-12, nearOn: 0.5e-9, session: 10e-3,
}

// From a number of neighbours on a CPU has no registers to keep them in, and
// takes so many times as long.
const (
	manyNear = 64
	manyCost = 1.6
)

// spread is how many candidates there are for a neighbour, by dimension: few
// where joins of many neighbours have fine cells.
func spread(dim int) float64 {
	by := []float64{1: 2, 2: 3, 3: 6, 4: 21, 5: 67, 6: 217, 7: 600, 8: 1500}
	return by[min(dim, len(by)-1)]
}

// deep is the seconds of a CPU thread for a query of the nearest, per K + 20, by
// dimension.
func deep(dim int) float64 {
	by := []float64{1: 6e-9, 2: 6e-9, 3: 12e-9, 4: 30e-9, 5: 100e-9, 6: 300e-9, 7: 600e-9, 8: 1000e-9}
	return by[min(dim, len(by)-1)]
}

// A forecast is what a side would take for a join by itself: begin seconds
// until it finds the first neighbour, and all in all.
type forecast struct{ begin, all float64 }

// after is what is left of it after some seconds.
func (f forecast) after(seconds float64) forecast {
	return forecast{max(f.begin-seconds, 0), max(f.all-seconds, 0)}
}

// forecasts predicts both sides of a plan.
func (j *Joiner) forecasts(p *neighbors.Plan, counts bool, threads float64) (cpu, gpu forecast) {
	n, m := float64(p.Len()), float64(p.DataLen())
	points := n
	if !p.Self() {
		points += m
	}
	dim := float64(p.QuerySpace().Dim())
	gpus := float64(max(len(j.GPUs), 1))
	g := &guesses
	cpu.begin = points * (g.order + g.index/threads)
	gpu.begin = g.session + points*(8*dim*g.upload+g.build)
	var c, d float64
	if near := p.Nearest(); near != nil {
		k := float64(near.K)
		cpu.begin = points * (g.order + g.level*math.Log2(max(m, 2))/threads)
		c = n * (20 + k) * deep(p.QuerySpace().Dim())
		if near.K > manyNear {
			c *= manyCost
		}
		d = n * (12 + k) * g.nearOn * math.Sqrt(math.Pow(1.9, dim-2))
	} else {
		found := pairs(p)
		tested := found * spread(p.QuerySpace().Dim())
		c = n*g.row + tested*dim*g.candidate
		d = tested * dim * g.tested
		if !counts {
			d += found * g.listed
		}
	}
	cpu.all, gpu.all = cpu.begin+c/threads, gpu.begin+d/gpus
	if j.measured(counts) {
		cpu.all, gpu.all = max(cpu.begin, j.Rates.CPU), max(gpu.begin, j.Rates.GPU)
	}
	return cpu, gpu
}

// measured reports whether both sides have been measured at such joins.
func (j *Joiner) measured(counts bool) bool { return j.Rates.CPU > 0 && j.Rates.GPU > 0 && !counts }

// together is how long both take if they share: what each does after its
// beginning adds up to the whole.
func together(a, b forecast) float64 {
	ra, rb := 1/max(a.all-a.begin, 1e-9), 1/max(b.all-b.begin, 1e-9)
	return (1 + ra*a.begin + rb*b.begin) / (ra + rb)
}
