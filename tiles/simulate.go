package tiles

import (
	"container/heap"
	"math/rand/v2"

	"skyjoin/internal/each"
)

// Machines describe what a plan is simulated on.
type Machines struct {
	Slots   int     // tiles at the same time
	Threads int     // CPU threads of each
	Start   float64 // seconds before a task starts to work
	Read    float64 // rows a second that the file system delivers in total; 0: no limit
	Fail    float64 // share of the tasks that are lost half way and restarted
	Scale   float64 // how many times more rows are expected than the plan has; 0 is 1
	Seed    uint64
}

// A Forecast is the result of a simulation.
type Forecast struct {
	Seconds float64 // until the last tile is done
	Busy    float64 // share of the slots' time that is work
	Work    float64 // seconds of one thread
	Longest float64 // seconds of the tile that takes the longest
	Memory  int64   // bytes of the tile that takes the most
	Read    int64   // rows that are decoded
	Lost    int     // tasks
}

// Simulate runs the tiles of a plan on simulated machines, in the order of their
// numbers, as schedulers do, with the time and memory that the plan expects of each.
// With Scale, tiles take that many times the time and memory, as they do when the
// radius is chosen such that rows keep as many neighbours.
func (p *Plan) Simulate(m Machines) Forecast {
	scale := m.Scale
	if scale == 0 {
		scale = 1
	}
	rng := rand.New(rand.NewPCG(m.Seed, 0))
	free := make(slots, max(m.Slots, 1))
	var f Forecast
	busy := 0.0
	queue := each.To(len(p.Tiles), func(i int) int { return i })
	for len(queue) > 0 {
		tile := queue[0]
		t := p.Tiles[tile]
		queue = queue[1:]
		seconds := t.Seconds * scale
		takes := seconds / float64(max(m.Threads, 1))
		rows := float64(t.Read)
		if p.Staged {
			rows = float64(t.Rows + t.Halo)
		}
		f.Read += int64(rows * scale)
		if m.Read > 0 { // while all slots are reading
			takes += rows * scale * float64(len(free)) / m.Read
		}
		takes += m.Start
		lost := rng.Float64() < m.Fail
		if lost {
			f.Lost++
			takes /= 2
			queue = append(queue, tile)
		} else {
			f.Work += seconds
		}
		f.Longest = max(f.Longest, takes)
		fixed := min(t.Memory, fixedMemory*4/3)
		f.Memory = max(f.Memory, fixed+int64(float64(t.Memory-fixed)*scale))
		busy += takes
		free[0] += takes
		f.Seconds = max(f.Seconds, free[0])
		heap.Fix(&free, 0)
	}
	f.Busy = busy / (f.Seconds * float64(len(free)))
	return f
}

// slots are the times at which the slots are free, the earliest first.
type slots []float64

func (s slots) Len() int           { return len(s) }
func (s slots) Less(i, j int) bool { return s[i] < s[j] }
func (s slots) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *slots) Push(x any)        { *s = append(*s, x.(float64)) }
func (s *slots) Pop() any          { panic("no slot is taken away") }
