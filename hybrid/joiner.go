package hybrid

import (
	"context"
	"fmt"
	"sync"
	"time"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// A Joiner carries out joins on a CPU joiner and any number of GPUs together.
// At least one of them must be there. It implements neighbors.Joiner, Visitor
// and Counter, and may be used by one join at a time; its fields must not
// change after the first.
//
// While sides share a join, Go may run as many goroutines at the same time as
// they have workers (GOMAXPROCS is raised, and restored at the end).
//
// A joiner that has a method Room(*neighbors.Plan) int, of how many points it
// can hold, is given a plan of more in slabs.
type Joiner struct {
	CPU  neighbors.Joiner   // nil: GPUs alone
	GPUs []neighbors.Joiner // joiners that do well with much work at once

	Partition Partition      // "": Adaptive
	Share     float64        // of the GPUs together, for ByRows and ByCandidates: 0 to 1
	Streams   int            // of each GPU, which says how many batches Dynamic makes; 0: 3
	Nearest   NearestOptions // of Dynamic
	Rates     Rates          // what is known of the devices; zero: guesses

	// Trace, if set, is called for every batch that is delivered or counted, by
	// several goroutines, but by one at a time.
	Trace func(Event)

	mu     sync.Mutex
	began  time.Time // of the first join
	report Report
	all    bool                       // tests: all sides take part, however little there is to do
	chosen func(sides []*side) choice // tests: who takes part
}

// An Event is one batch of a run. Of rows that are counted it is the rows of one
// take, by the first worker of its device, and their neighbours are 0.
type Event struct {
	Device     string  `json:"device"`
	Worker     int     `json:"worker"` // of the joiner as a whole
	Start      float64 `json:"start"`  // seconds since the first join began
	End        float64 `json:"end"`
	Rows       int     `json:"rows"`
	Neighbours int     `json:"neighbors"`
}

var errNoSide = fmt.Errorf("%w: a hybrid join of no joiners", neighbors.ErrRequest)

// check validates the fields.
func (j *Joiner) check() error {
	if j.CPU == nil && len(j.GPUs) == 0 {
		return errNoSide
	}
	p, err := ParsePartition(string(j.Partition))
	if err != nil {
		return err
	}
	if p.static() && !(j.Share >= 0 && j.Share <= 1) {
		return fmt.Errorf("%w: a share of %v for the GPUs, it must be 0 to 1", neighbors.ErrRequest, j.Share)
	}
	if j.Streams < 0 {
		return fmt.Errorf("%w: %d streams, there cannot be fewer than 0", neighbors.ErrRequest, j.Streams)
	}
	return nil
}

func (j *Joiner) partition() Partition {
	p, _ := ParsePartition(string(j.Partition)) // check has refused others
	return p
}

func (j *Joiner) streams() int {
	if j.Streams == 0 {
		return 3
	}
	return j.Streams
}

// Workers implements neighbors.Visitor.
func (j *Joiner) Workers() int {
	n := 0
	for _, s := range j.sides() {
		n += s.workers
	}
	return n
}

// sides returns the joiners, GPUs first.
func (j *Joiner) sides() []*side {
	var sides []*side
	worker := 0
	add := func(joiner neighbors.Joiner, gpu bool, number int) {
		s := &side{joiner: joiner, gpu: gpu, number: number, worker: worker, workers: neighbors.Workers(joiner)}
		worker += s.workers
		sides = append(sides, s)
	}
	for i, g := range j.GPUs {
		add(g, true, i)
	}
	if c, ok := j.CPU.(neighbors.CPU); ok {
		c.Threads = c.Workers() // of now: a run makes room for more goroutines
		add(c, false, 0)
	} else if j.CPU != nil {
		add(j.CPU, false, 0)
	}
	return sides
}

// Report returns what has been done. No join may be running.
func (j *Joiner) Report() Report {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.report
	r.Partition = j.partition()
	if r.Sides == nil {
		r.Sides = summaries(j.sides())
	}
	return r
}

// Reset forgets what has been done.
func (j *Joiner) Reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.report, j.began = Report{}, time.Time{}
}

func summaries(sides []*side) []Side {
	return each.Of(sides, func(s *side) Side { return Side{Device: s.name()} })
}

// ForClustering returns the joiner that DBSCAN should be given: the first GPU
// if it clusters on the device, which no sharing of lists can keep up with,
// and otherwise j itself.
func (j *Joiner) ForClustering() neighbors.Joiner {
	type clusterer interface {
		Cluster(ctx context.Context, p *neighbors.Plan, minPoints int64, star bool, labels []int32, core []bool, counts []int64, pairs *int64) error
	}
	for _, g := range j.GPUs {
		if _, ok := g.(clusterer); ok {
			return g
		}
	}
	return j
}

// A choice is who takes part in a join.
type choice struct {
	active []*side
	why    string    // others do not
	by     *Expected // nil: nothing depended on it

	// later makes the choice by a trial of the CPU, while the GPUs begin with what
	// they need in any case; all sides are active until then. Nil: it is made.
	later func(ctx context.Context) choice
}
