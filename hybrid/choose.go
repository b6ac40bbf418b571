package hybrid

import (
	"math"

	"skyjoin/neighbors"
)

// Rates are the seconds that each side is known to take for a join by itself,
// all GPUs together, as measured by "cluster calibrate". A zero value is not
// known.
type Rates struct{ CPU, GPU float64 }

// guesses are what a device is taken to do until it has been measured: of one
// CPU thread, and of one GPU. They decide who takes part, nothing else; errors
// of a factor of two do little harm.
var guesses = struct {
	order, index           float64 // CPU: seconds a row, and a row and thread
	candidate, row         float64 // CPU: seconds a candidate and dimension, and a query
	near                   float64 // CPU: seconds a query of the nearest, per K, in 2 dimensions
	upload, build          float64 // GPU: seconds a byte, and a row
	listed, tested, nearOn float64 // GPU: seconds a neighbour sent, a candidate and dimension, a query of the nearest per K + 12
	session                float64 // GPU: seconds
}{
	order: 17e-9, index: 80e-9, candidate: 0.1e-9, row: 40e-9, near: 50e-9,
	upload: 1.0 / 8e9, build: 10e-9, listed: 0.75e-10, tested: 0.2e-12, nearOn: 0.5e-9, session: 10e-3,
}

// sharing is what it costs to share: a side takes part only if both together are
// expected to take less than gain of the time of the better one, and so many
// seconds less.
type sharing struct{ gain, effort float64 }

// A GPU searches anew for the nearest of each portion of the rows: measured,
// 69 % of them in portions took it 1.3 times as long as all of them at once.
var (
	sharingLists   = sharing{gain: 0.95, effort: 0.03}
	sharingNearest = sharing{gain: 0.6, effort: 0.05}
)

// From a number of neighbours on a CPU has no grid to find them with.
const (
	manyNear = 64
	manyCost = 8
)

// spread is how many candidates there are for a neighbour, by dimension: few
// where joins of many neighbours have fine cells.
func spread(dim int) float64 {
	by := []float64{1: 2, 2: 3, 3: 6, 4: 21, 5: 67, 6: 217, 7: 600, 8: 1500}
	return by[min(dim, len(by)-1)]
}

// A forecast is what a side would take for a join by itself: begin seconds
// until it finds the first neighbour, and all in all.
type forecast struct{ begin, all float64 }

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
		wide := math.Pow(1.9, dim-2)
		c = n * (4 + k) * g.near * wide
		if near.K > manyNear {
			c *= manyCost
		}
		d = n * (12 + k) * g.nearOn * math.Sqrt(wide)
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
	if p.Nearest() != nil && j.CPU != nil {
		if measured, ok := j.probe(p); ok {
			cpu = measured
		}
	}
	if j.Rates.CPU > 0 && j.Rates.GPU > 0 && !counts {
		cpu.all, gpu.all = max(cpu.begin, j.Rates.CPU), max(gpu.begin, j.Rates.GPU)
	}
	return cpu, gpu
}

// together is how long both take if they share: what each does after its
// beginning adds up to the whole.
func together(a, b forecast) float64 {
	ra, rb := 1/max(a.all-a.begin, 1e-9), 1/max(b.all-b.begin, 1e-9)
	return (1 + ra*a.begin + rb*b.begin) / (ra + rb)
}

// choose returns the sides that take part, why others do not, and what that was
// decided by.
func (j *Joiner) choose(p *neighbors.Plan, sides []*side, counts bool) (active []*side, why string, by *Expected) {
	if j.all || len(sides) == 1 || j.CPU == nil || j.partition() != Adaptive || len(j.GPUs) == 0 {
		return sides, "", nil
	}
	last := len(sides) - 1
	cpu, gpu := j.forecasts(p, counts, float64(sides[last].workers))
	costs := sharingLists
	if p.Nearest() != nil {
		costs = sharingNearest
	}
	by = &Expected{CPU: cpu.all, GPU: gpu.all, Both: together(cpu, gpu)}
	switch {
	case by.Both+costs.effort < costs.gain*min(cpu.all, gpu.all):
		return sides, "", by
	case cpu.all < gpu.all:
		return sides[last:], "the CPU is expected to end sooner alone", by
	}
	return sides[:last], "the GPU is expected to end sooner without the CPU", by
}
