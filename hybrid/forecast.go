package hybrid

import (
	"math"

	"skyjoin/neighbors"
)

// A forecast is the expected time of a side for a join on its own: begin seconds
// until it finds the first neighbour, and all seconds in total.
type forecast struct{ begin, all float64 }

// after returns what remains of it after some seconds.
func (f forecast) after(seconds float64) forecast {
	return forecast{max(f.begin-seconds, 0), max(f.all-seconds, 0)}
}

// times returns a forecast in which finding neighbours takes by times as long.
func (f forecast) times(by float64) forecast {
	return forecast{f.begin, f.begin + (f.all-f.begin)*by}
}

// A task is the size of a join.
type task struct {
	queries, points float64 // rows, and those of both sides
	dim             int
	threads, gpus   float64

	found  float64 // pairs within the radius
	counts bool    // they are counted, not listed

	k     int     // neighbours of a query; 0: within a radius
	data  float64 // rows that they are searched for in
	rings bool    // in rings of cells
}

// task estimates the size of the join of a plan.
func (j *Joiner) task(p *neighbors.Plan, counts bool, threads float64) task {
	t := task{
		queries: float64(p.Len()), points: float64(points(p)), dim: querySpace(p).Dim(),
		threads: threads, gpus: float64(max(len(j.GPUs), 1)), counts: counts, data: float64(p.DataLen()),
	}
	switch near := p.Nearest(); {
	case near != nil:
		t.k = near.K
		t.rings = t.dim <= ringsDim && t.k <= ringsMost && querySpace(p).Side == nil && contrast(p) == 0
	case !j.measured(counts):
		t.found = pairs(p)
	}
	return t
}

// points returns how many points a plan has on both sides together.
func points(p *neighbors.Plan) int {
	if p.Self() {
		return p.Len()
	}
	return p.Len() + p.DataLen()
}

// forecasts predicts both sides.
func (t task) forecasts() (cpu, gpu forecast) {
	return t.cpu(&guesses.cpu), t.gpu(&guesses.gpu)
}

func (t task) cpu(c *costs) forecast {
	if t.k == 0 {
		return t.sum(c, t.threads, t.queries*c.cells.at(t.dim)+t.found*c.neighbour(t))
	}
	if t.rings {
		k := min(t.k, ringsMany)
		if t.k > ringsMany {
			k = int(ringsMore * float64(t.k))
		}
		return t.sum(c, t.threads, t.queries*c.rings.of(t.dim, k))
	}
	levels := math.Log2(max(t.data, 2))
	f := forecast{begin: t.points * levels * (c.level/t.threads + c.levelAlone)}
	f.all = f.begin + t.queries*c.tree.of(t.dim, t.k)/t.threads
	return f
}

func (t task) gpu(c *costs) forecast {
	if t.k == 0 {
		return t.sum(c, t.gpus, t.queries*c.cells.at(t.dim)+t.found*c.neighbour(t))
	}
	return t.sum(c, t.gpus, t.queries*c.tree.of(t.dim, t.k))
}

// sum returns the forecast of an index followed by the given number of seconds of
// work, shared by some.
func (t task) sum(c *costs, sharers, seconds float64) forecast {
	f := forecast{begin: c.begin + t.points*(c.alone+c.point/t.threads+8*float64(t.dim)*c.byte)}
	f.all = f.begin + seconds/sharers
	return f
}

// neighbour returns the seconds that each neighbour within the radius takes.
func (c *costs) neighbour(t task) float64 {
	s := spread.at(t.dim) * float64(t.dim) * c.tested
	if !t.counts {
		s += c.listed
	}
	return s
}

// forecasts predicts both sides of a plan.
func (j *Joiner) forecasts(p *neighbors.Plan, counts bool, threads float64) (cpu, gpu forecast) {
	return j.known(j.task(p, counts, threads))
}

// known predicts both sides from measured rates, if there are any.
func (j *Joiner) known(t task) (cpu, gpu forecast) {
	cpu, gpu = t.forecasts()
	if j.measured(t.counts) {
		cpu.all, gpu.all = max(cpu.begin, j.Rates.CPU), max(gpu.begin, j.Rates.GPU)
	}
	return cpu, gpu
}

// atMost returns the time that a CPU takes for a join if all points are near all
// others.
func atMost(p *neighbors.Plan, threads float64) float64 {
	return float64(p.Len()) * float64(p.DataLen()) * float64(querySpace(p).Dim()) * guesses.cpu.tested / threads
}

// measured reports whether the rates of both sides have been measured with joins of
// this kind.
func (j *Joiner) measured(counts bool) bool { return j.Rates.CPU > 0 && j.Rates.GPU > 0 && !counts }

// besideGPU is how many times as long as usual the CPU takes to find neighbours
// while a GPU is at work, and besideCPU the same for a GPU. A card that sends lists
// waits for threads of the host, which 16 other threads delay: it reached 33 to 45
// GB/s of 53, and these threads 88 % of their usual rate.
const (
	besideGPU = 1.12
	besideCPU = 1.35
)

// together returns the time of both sides if they share the work: what each does
// after it has begun adds up to the whole.
func together(cpu, gpu forecast) float64 {
	rc, rg := 1/max(besideGPU*(cpu.all-cpu.begin), 1e-9), 1/max(besideCPU*(gpu.all-gpu.begin), 1e-9)
	return (1 + rc*cpu.begin + rg*gpu.begin) / (rc + rg)
}
