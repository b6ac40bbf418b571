package hybrid

import (
	"context"
	"time"

	"skyjoin/neighbors"
)

// Both sides take part only if together they are expected to take less than gain
// times the time of the better one, and at least effort seconds less. Lists that
// either side finds in .07 s took both together .069 to .078.
const (
	gain   = 0.95
	effort = 0.03
)

// doubt is the factor by which the expected time of the CPU for nearest neighbours
// may be too long or too short: it depends strongly on how the points are
// distributed.
const doubt = 2

const (
	cpuAlone = "the CPU is expected to end sooner alone"
	gpuAlone = "the GPU is expected to end sooner without the CPU"
)

// choose decides who takes part, or how to find out.
func (j *Joiner) choose(p *neighbors.Plan, sides []*side, counts bool) choice {
	if j.chosen != nil {
		return j.chosen(sides)
	}
	if j.all || len(sides) == 1 || j.CPU == nil || j.partition() != Adaptive || len(j.GPUs) == 0 {
		return choice{active: sides, by: j.modelled(counts)}
	}
	threads := float64(sides[len(sides)-1].workers)
	if atMost(p, threads) < guesses.gpu.begin {
		return choice{active: sides[len(sides)-1:], why: cpuAlone}
	}
	start := time.Now()
	t := j.task(p, counts, threads)
	cpu, gpu := j.known(t)
	if t.k == 0 || max(p.Len(), p.DataLen()) < worthProbing || j.measured(counts) || sure(cpu, gpu) {
		c := pick(sides, cpu, gpu)
		c.by.After = time.Since(start).Seconds()
		return c
	}
	return choice{active: sides, later: func(ctx context.Context) choice {
		began := time.Now()
		limit := time.Duration(probeShare * min(cpu.all, gpu.all) * float64(time.Second))
		search, ok := j.probe(ctx, p, max(limit, leastProbe))
		if ok {
			cpu.all = cpu.begin + search
		}
		c := pick(sides, cpu, gpu.after(time.Since(began).Seconds()))
		c.by.After, c.by.Tried = time.Since(start).Seconds(), ok
		return c
	}}
}

// modelled returns the times that the models of fixed shares expect: that of both
// together is at the sum of their rates (HEGJoin, equation 3). It is nil for other
// partitions, and if the rates are unknown.
func (j *Joiner) modelled(counts bool) *Expected {
	if !j.partition().static() || !j.measured(counts) {
		return nil
	}
	cpu, gpu := j.Rates.CPU, j.Rates.GPU
	return &Expected{CPU: cpu, GPU: gpu, Both: cpu * gpu / (cpu + gpu)}
}

// taking reports whether the CPU should take part, and whether the GPUs should.
func taking(cpu, gpu forecast) (onCPU, onGPU bool) {
	both := together(cpu, gpu)+effort < gain*min(cpu.all, gpu.all)
	return both || cpu.all < gpu.all, both || cpu.all >= gpu.all
}

// sure reports whether the same sides take part for any error of the expected CPU
// time within the doubt.
func sure(cpu, gpu forecast) bool {
	cpuLow, gpuLow := taking(cpu.times(1.0/doubt), gpu)
	cpuHigh, gpuHigh := taking(cpu.times(doubt), gpu)
	return cpuLow == cpuHigh && gpuLow == gpuHigh
}

// pick decides by the expected times of the sides, GPUs first and the CPU last.
func pick(sides []*side, cpu, gpu forecast) choice {
	last := len(sides) - 1
	c := choice{active: sides, by: &Expected{CPU: cpu.all, CPUBegin: cpu.begin, GPU: gpu.all, GPUBegin: gpu.begin, Both: together(cpu, gpu)}}
	switch onCPU, onGPU := taking(cpu, gpu); {
	case !onGPU:
		c.active, c.why = sides[last:], cpuAlone
	case !onCPU:
		c.active, c.why = sides[:last], gpuAlone
	}
	return c
}

// decide leaves out the sides that the choice does not name, unless they are the
// only ones still able to do the work, and reports whether the CPU takes part.
func (q *queue) decide(c choice) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range q.sides {
		s.leftOut = true
	}
	for _, s := range c.active {
		s.leftOut = false
	}
	if !q.alive(true) && !q.alive(false) {
		for _, s := range q.sides {
			s.leftOut = false
		}
	}
	q.undecided, q.expected = false, c.by.share()
	q.turn.Broadcast()
	return q.alive(false)
}
