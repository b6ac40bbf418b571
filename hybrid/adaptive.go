package hybrid

import (
	"math"
	"time"
)

// adaptive makes all sides end at the same time. It predicts that time from the
// rates it measures. A GPU takes half of what it can do until then, so that an error
// of the prediction does no harm, and all of it once that is little. The CPU takes
// small batches throughout.
type adaptive struct{}

const (
	// Early rows are taken in parts: the number of parts at first, and later. A part
	// takes a GPU as long as its slowest row.
	firstParts = 8
	leastParts = 16

	// A GPU that is expected to be much slower than the CPU takes a small part of
	// its share, because these rows may have more work than others, but at least one
	// in mostParts.
	fairParts = 8
	mostParts = 64

	// A portion has a fixed cost on a GPU, so that shorter ones do not pay: in time,
	// and as a part of the run.
	shortest     = 2 * time.Millisecond
	shortestPart = 0.02

	// While the rate of the CPU is unknown, a GPU takes this part of what it could
	// do until the end.
	unknownPart = 0.125

	// A CPU thread takes this part of what it could do until the end.
	cpuPart = 0.125
)

func (adaptive) early(q *queue, s *side) int {
	gpus := max(gpus(q.sides), 1)
	if gpus == 1 && !q.alive(false) {
		return len(q.early.left) // no other side takes them
	}
	parts, least := 3*gpus, leastParts*gpus
	if q.alive(false) { // the CPU may be ready soon, and do them better
		if s.speed.rate() == 0 {
			parts = firstParts * gpus
		}
		if e := q.expected; e > 0 {
			fair := int(math.Ceil(fairParts * float64(gpus) / e))
			parts, least = max(parts, min(fair, mostParts)), max(least, min(fair, mostParts))
		}
	}
	return max(ceilDiv(len(q.early.left), parts), ceilDiv(q.rows, least))
}

func (a adaptive) limit(q *queue, s *side, now time.Duration) (int, int64) {
	left := float64(q.deque.Cost())
	if left == 0 { // only rows that were put back, whose work is not counted
		return max(ceilDiv(q.deque.Len(), 2*len(q.sides)), leastRows), 0
	}
	own, all := rates(q, s)
	// What the others are working on delays their share of the rest.
	busy := 0.0
	for _, o := range q.sides {
		if o != s && !o.out() && o.gpu && o.held > 0 {
			r, _ := rates(q, o)
			busy += max(float64(o.batch)-r*(now-o.since).Seconds(), 0)
		}
	}
	until := (left + busy) / all // seconds until all can have ended
	if !s.gpu {
		threads := float64(s.workers)
		return takeRows, max(int64(min(own*until*cpuPart, left)/threads), 1)
	}
	least := max(shortest.Seconds(), shortestPart*(now.Seconds()+until))
	switch {
	case q.alive(false) && s.speed.rate() > 0 && until < least/4:
		return 0, 0 // the CPU ends before a GPU would
	case until < 2*least:
		return q.rows, max(int64(math.Ceil(own*until)), 1)
	}
	if q.alive(false) && !q.measured() {
		return q.rows, max(int64(own*until*unknownPart), 1)
	}
	return q.rows, max(int64(own*until/2), 1)
}

// measured reports whether the CPU's rate is known.
func (q *queue) measured() bool {
	for _, s := range q.sides {
		if !s.gpu && s.speed.rate() > 0 {
			return true
		}
	}
	return false
}

const (
	takeRows  = 2048
	leastRows = 64
)

// rates returns the work per second of a side and of all sides. A side that has not
// been measured is assumed to be as fast as others of its kind, or else as expected
// relative to the other kind, or else as all of that kind together.
func rates(q *queue, s *side) (own, all float64) {
	var sum, number [2]float64 // by kind: measured rates
	for _, o := range q.sides {
		if r := o.speed.rate(); !o.out() && r > 0 {
			sum[kind(o)] += r
			number[kind(o)]++
		}
	}
	rate := func(o *side) float64 {
		k := kind(o)
		switch r := o.speed.rate(); {
		case r > 0:
			return r
		case number[k] > 0:
			return sum[k] / number[k]
		case number[1-k] > 0:
			return sum[1-k] * q.times(k)
		}
		return 1
	}
	for _, o := range q.sides {
		if !o.out() {
			all += rate(o)
		}
	}
	return rate(s), all
}

// times returns how many times as fast as all sides of the other kind together a
// side of one kind is expected to be.
func (q *queue) times(kind int) float64 {
	e := q.expected
	switch {
	case !(e > 0 && e < 1):
		return 1
	case kind == 0:
		return (1 - e) / e
	}
	return e / (1 - e) / float64(max(gpus(q.sides), 1))
}

func kind(s *side) int {
	if s.gpu {
		return 1
	}
	return 0
}
