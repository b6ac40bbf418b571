package hybrid

import (
	"context"
	"fmt"
	"sync"
	"time"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// A Joiner carries out joins on a CPU joiner and any number of GPUs together. At
// least one joiner must be given. It implements neighbors.Joiner, Visitor and
// Counter, and may be used by one join at a time; its fields must not change after
// the first.
//
// While sides share a join, Go may run as many goroutines at the same time as they
// have workers (GOMAXPROCS is raised, and restored at the end).
//
// If a joiner has a method Room(*neighbors.Plan) int, which returns how many points
// it can hold, a plan with more points is given to it in slabs.
type Joiner struct {
	CPU  neighbors.Joiner   // nil: only GPUs
	GPUs []neighbors.Joiner // joiners that need much work at a time

	Partition Partition      // "": Adaptive
	Share     float64        // of the GPUs together, for ByRows and ByCandidates, from 0 to 1
	Streams   int            // of each GPU; Dynamic makes twice as many batches, ByRows and ByCandidates as many, at least; 0: 3
	Batch     int            // neighbours that a batch of a GPU has room for, of these partitions; 0: 50 million
	Nearest   NearestOptions // for Dynamic
	Rates     Rates          // measured times of the devices; zero: guesses

	// Trace, if set, is called for every batch that is delivered or counted. Calls
	// come from several goroutines but do not overlap.
	Trace func(Event)

	mu     sync.Mutex
	began  time.Time // of the first join
	report Report
	all    bool                       // for tests: all sides take part, however little work there is
	chosen func(sides []*side) choice // for tests: who takes part
}

// An Event is one batch of a run. If rows are only counted, it is the rows that a
// device takes at once, under its first worker, with 0 neighbours.
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
	if j.Batch < 0 {
		return fmt.Errorf("%w: batches of %d neighbours, there cannot be fewer than 0", neighbors.ErrRequest, j.Batch)
	}
	if j.Streams < 0 {
		return fmt.Errorf("%w: %d streams, there cannot be fewer than 0", neighbors.ErrRequest, j.Streams)
	}
	return nil
}

func (j *Joiner) partition() Partition {
	p, _ := ParsePartition(string(j.Partition)) // check has refused invalid ones
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
		c.Threads = c.Workers() // the present number: a run raises GOMAXPROCS
		add(c, false, 0)
	} else if j.CPU != nil {
		add(j.CPU, false, 0)
	}
	return sides
}

// Report returns what has been done so far. No join may be running.
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

// Reset clears the report.
func (j *Joiner) Reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.report, j.began = Report{}, time.Time{}
}

func summaries(sides []*side) []Side {
	return each.Of(sides, func(s *side) Side { return Side{Device: s.name()} })
}

// ForClustering returns the joiner to use for DBSCAN: the first GPU, if it clusters
// on the device, which is faster than sharing lists, and otherwise j itself.
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

// A choice says who takes part in a join.
type choice struct {
	active []*side
	why    string    // why others do not
	by     *Expected // nil: it did not depend on expected times

	// later makes the choice after a trial of the CPU, while the GPUs prepare what
	// they need in any case; until then all sides are active. nil: the choice is
	// final.
	later func(ctx context.Context) choice
}
