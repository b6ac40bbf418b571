package hybrid

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"skyjoin/internal/jointest"
	"skyjoin/neighbors"
)

// joiner returns a hybrid joiner of so many stand-ins for GPUs and a CPU. shape
// says what is wrong with each.
func joiner(partition Partition, gpus int, cpu bool, shape func(i int, s *standIn)) *Joiner {
	j := &Joiner{Partition: partition, Share: 0.6, all: true}
	for i := range gpus {
		s := &standIn{CPU: neighbors.CPU{Threads: 1 + i%2}}
		if shape != nil {
			shape(i, s)
		}
		j.GPUs = append(j.GPUs, s)
	}
	if cpu {
		j.CPU = neighbors.CPU{Threads: 2}
	}
	return j
}

// tooSmall is the room of a device that holds no large case whole.
const tooSmall = 600

var faults = []struct {
	name  string
	shape func(i int, s *standIn)
	cpu   bool // the CPU takes part
}{
	{"sound", nil, true},
	{"without CPU", nil, false},
	{"lost", func(i int, s *standIn) { s.failAfter = 2 * i }, true},
	{"all lost", func(_ int, s *standIn) { s.failAfter = 1 }, true},
	{"out of memory", func(_ int, s *standIn) { s.atOnce = true }, true},
	{"slow", func(i int, s *standIn) { s.slow = time.Duration(i+1) * 100 * time.Microsecond }, true},
	{"misses", func(_ int, s *standIn) { s.misses = true }, true},
	{"too small", func(i int, s *standIn) { s.room = 400 + 50*i }, true},
	{"too small without CPU", func(_ int, s *standIn) { s.room = tooSmall }, false},
	{"searches", func(_ int, s *standIn) { s.searches = true }, true},
	{"slabs", func(i int, s *standIn) { s.near, s.misses = 100+10*i, i == 1 }, true},
	{"thin slabs", func(_ int, s *standIn) { s.near = 50 }, false},
	{"thin slabs, lost", func(i int, s *standIn) { s.near, s.failAfter = 40, 3*i+1 }, true},
	{"misses without CPU", func(_ int, s *standIn) { s.misses = true }, false},
}

// quick are the runs of the fast suite.
var quick = []string{"adaptive/1/sound", "adaptive/2/lost", "adaptive/3/misses without CPU", "dyn/2/misses", "sq/2/slow", "adaptive/2/too small", "dyn/3/too small without CPU", "sc/4/out of memory", "adaptive/1/thin slabs", "dyn/2/slabs"}

func TestConformance(t *testing.T) {
	for _, partition := range Partitions {
		for gpus := 1; gpus <= 4; gpus++ {
			for _, f := range faults {
				name := fmt.Sprintf("%s/%d/%s", partition, gpus, f.name)
				if testing.Short() && !slices.Contains(quick, name) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					jointest.RunFor(t, func() neighbors.Joiner { return joiner(partition, gpus, f.cpu, f.shape) }, func(p *neighbors.Plan) bool {
						if f.name != "too small without CPU" || p.Within() == nil || p.Len()+p.DataLen() <= tooSmall {
							return true
						}
						_, err := newSlabs(p, tooSmall)
						return err == nil // a large radius leaves nothing to split
					})
				})
			}
		}
	}
}

// Left to itself the joiner chooses who takes part.
func TestChoosingConforms(t *testing.T) {
	jointest.Run(t, func() neighbors.Joiner {
		j := joiner(Adaptive, 1, true, nil)
		j.all = false
		return j
	})
}
