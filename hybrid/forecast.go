package hybrid

import (
	"math"

	"skyjoin/neighbors"
)

// guesses are what a device is taken to do until it has been measured: of one
// CPU thread, and of one GPU. They decide who takes part, nothing else; errors
// of a factor of two do little harm. They fit joins of 2 and 10 million points in
// 2 to 8 dimensions on 16 threads and an H200.
var guesses = struct {
	order, index   float64 // CPU: seconds a row, and a row and thread
	level, alone   float64 // CPU: seconds a row and level of a tree, and which part of that one thread does
	candidate      float64 // CPU: seconds a candidate and dimension
	upload, build  float64 // GPU: seconds a byte, and a row
	listed, tested float64 // GPU: seconds a neighbour sent, a candidate and dimension
	near           float64 // GPU: seconds a query of the nearest per K + 12
	session        float64 // GPU: seconds
}{
	order: 17e-9, index: 80e-9, level: 11e-9, alone: 0.25, candidate: 0.1e-9,
	upload: 1.0 / 8e9, build: 6e-9, listed: 0.73e-10, tested: 0.25e-12, near: 0.45e-9, session: 5e-3,
}

// byDim is something that depends on the dimension, from 1 on.
type byDim [9]float64

func (b byDim) at(dim int) float64 { return b[min(dim, len(b)-1)] }

var (
	// spread is how many candidates there are for a neighbour: few where joins
	// of many neighbours have fine cells.
	spread = byDim{1: 2, 2: 3, 3: 6, 4: 16, 5: 67, 6: 217, 7: 600, 8: 1500}

	// Seconds a query takes to find the cells around it: a CPU thread, and a GPU.
	cellsCPU = byDim{1: 40e-9, 2: 40e-9, 3: 150e-9, 4: 1.5e-6, 5: 3e-6, 6: 5e-6, 7: 15e-6, 8: 40e-6}
	cellsGPU = byDim{4: 1e-9, 5: 5e-9, 6: 14e-9, 7: 60e-9, 8: 200e-9}

	// Seconds of a CPU thread for a query of the nearest, per K + 20, and how many
	// times that for more neighbours than fit registers.
	nearCPU  = byDim{1: 6e-9, 2: 6e-9, 3: 12e-9, 4: 30e-9, 5: 100e-9, 6: 300e-9, 7: 600e-9, 8: 1e-6}
	manyNear = 64
	manyCost = 1.6
)

// A forecast is what a side would take for a join by itself: begin seconds
// until it finds the first neighbour, and all in all.
type forecast struct{ begin, all float64 }

// after is what is left of it after some seconds.
func (f forecast) after(seconds float64) forecast {
	return forecast{max(f.begin-seconds, 0), max(f.all-seconds, 0)}
}

// forecasts predicts both sides of a plan.
func (j *Joiner) forecasts(p *neighbors.Plan, counts bool, threads float64) (cpu, gpu forecast) {
	n := float64(p.Len())
	points := n
	if !p.Self() {
		points += float64(p.DataLen())
	}
	dim := p.QuerySpace().Dim()
	g := &guesses
	cpu.begin = points * (g.order + g.index/threads)
	gpu.begin = g.session + points*(8*float64(dim)*g.upload+g.build)
	var c, d float64
	if near := p.Nearest(); near != nil {
		k := float64(near.K)
		crowded := contrast(p)
		if crowded > 0 || dim > 3 { // the CPU takes trees, not rings of cells
			cpu.begin = points * g.level * math.Log2(float64(max(p.DataLen(), 2))) * (1/threads + g.alone)
		}
		c = n * (20 + k) * nearCPU.at(dim)
		if near.K > manyNear {
			c *= manyCost
		}
		// One radius is too large for some rows and too small for others.
		d = n * (12 + k) * g.near * math.Pow(1.17, float64(dim-2)) * (1 + math.Expm1(0.5*crowded)*(0.5+k/37))
	} else {
		found := pairs(p)
		tested := found * spread.at(dim) * float64(dim)
		c = n*cellsCPU.at(dim) + tested*g.candidate
		d = n*cellsGPU.at(dim) + tested*g.tested
		if !counts {
			d += found * g.listed
		}
	}
	cpu.all, gpu.all = cpu.begin+c/threads, gpu.begin+d/float64(max(len(j.GPUs), 1))
	if j.measured(counts) {
		cpu.all, gpu.all = max(cpu.begin, j.Rates.CPU), max(gpu.begin, j.Rates.GPU)
	}
	return cpu, gpu
}

// atMost is what a CPU takes for a join if all points are near all others.
func atMost(p *neighbors.Plan, threads float64) float64 {
	return float64(p.Len()) * float64(p.DataLen()) * float64(p.QuerySpace().Dim()) * guesses.candidate / threads
}

// measured reports whether both sides have been measured at such joins.
func (j *Joiner) measured(counts bool) bool { return j.Rates.CPU > 0 && j.Rates.GPU > 0 && !counts }

// beside is by how much sides that share a join slow each other down: 16
// threads that write lists cost a card that sends lists 7 to 11 %.
const beside = 1.08

// together is how long both take if they share: what each does after its
// beginning adds up to the whole.
func together(a, b forecast) float64 {
	ra, rb := 1/max(a.all-a.begin, 1e-9), 1/max(b.all-b.begin, 1e-9)
	return (beside + ra*a.begin + rb*b.begin) / (ra + rb)
}
