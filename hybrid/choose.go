package hybrid

import (
	"context"
	"time"

	"skyjoin/neighbors"
)

// Rates are the seconds that each side is known to take for a join by itself,
// all GPUs together, as measured by "cluster calibrate". A zero value is not
// known.
type Rates struct{ CPU, GPU float64 }

// sharing is what it costs to share: a side takes part only if both together are
// expected to take less than gain of the time of the better one, and so many
// seconds less.
type sharing struct{ gain, effort float64 }

// A GPU searches anew for the nearest of each portion of the rows: even points in
// 2 to 4 dimensions took both together 1.3 to 3 times as long as the GPU alone.
// Exponential ones, which both find in about the same time, took both 0.6 to 0.75
// of it. Lists that either side has in .08 s took both .069 to .078.
var (
	sharingLists   = sharing{gain: 0.95, effort: 0.03}
	sharingNearest = sharing{gain: 0.72, effort: 0.05}
)

// clearly is by how many times one side must be expected to be faster than the
// other for that to be believed.
const clearly = 4

const (
	cpuAlone = "the CPU is expected to end sooner alone"
	gpuAlone = "the GPU is expected to end sooner without the CPU"
)

// A choice is who takes part in a join.
type choice struct {
	active []*side
	why    string    // others do not
	by     *Expected // nil: nothing depended on it

	// later makes the choice, while the GPUs begin with what they need in any
	// case; all sides are active until then. Nil: it is made.
	later func(ctx context.Context) choice
}

// choose says who takes part, or how to find out.
func (j *Joiner) choose(p *neighbors.Plan, sides []*side, counts bool) choice {
	if j.chosen != nil {
		return j.chosen(sides)
	}
	if j.all || len(sides) == 1 || j.CPU == nil || j.partition() != Adaptive || len(j.GPUs) == 0 {
		return choice{active: sides}
	}
	near := p.Nearest() != nil
	costs := sharingLists
	if near {
		costs = sharingNearest
	}
	// The GPUs of a small join have nothing to do meanwhile, and several count
	// together.
	if max(p.Len(), p.DataLen()) < worthProbing || counts || !near && len(j.GPUs) > 1 {
		last := len(sides) - 1
		threads := float64(sides[last].workers)
		if atMost(p, threads) < guesses.session {
			return choice{active: sides[last:], why: cpuAlone}
		}
		cpu, gpu := j.forecasts(p, counts, threads)
		return costs.pick(sides, cpu, gpu)
	}
	return choice{active: sides, later: func(ctx context.Context) choice {
		start := time.Now()
		cpu, gpu := j.forecasts(p, counts, float64(sides[len(sides)-1].workers))
		if best := min(cpu.all, gpu.all); near && !j.measured(counts) && max(cpu.all, gpu.all) < clearly*best {
			limit := time.Duration(probeShare * best * float64(time.Second))
			if search, ok := j.probe(ctx, p, max(limit, leastProbe)); ok {
				cpu.all = cpu.begin + search
			}
		}
		after := time.Since(start).Seconds()
		c := costs.pick(sides, cpu, gpu.after(after))
		c.by.After = after
		return c
	}}
}

// pick chooses by what the sides are expected to take, GPUs first and the CPU
// last.
func (s sharing) pick(sides []*side, cpu, gpu forecast) choice {
	last := len(sides) - 1
	c := choice{active: sides, by: &Expected{CPU: cpu.all, GPU: gpu.all, Both: together(cpu, gpu)}}
	switch {
	case c.by.Both+s.effort < s.gain*min(cpu.all, gpu.all):
	case cpu.all < gpu.all:
		c.active, c.why = sides[last:], cpuAlone
	default:
		c.active, c.why = sides[:last], gpuAlone
	}
	return c
}

// decide sends home whom the choice leaves out, unless nobody else can do the
// work any more, and reports whether the CPU takes part.
func (q *queue) decide(c choice) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range q.sides {
		s.home = true
	}
	for _, s := range c.active {
		s.home = false
	}
	if !q.alive(true) && !q.alive(false) {
		for _, s := range q.sides {
			s.home = false
		}
	}
	q.undecided, q.expected = false, c.by.share()
	q.turn.Broadcast()
	return q.alive(false)
}
