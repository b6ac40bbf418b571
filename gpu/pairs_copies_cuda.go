//go:build cuda && linux

package gpu

import "math"

// chooseCopies returns the number of copies of the histogram for which the
// model says that the kernel is fastest.
func (w *pairsWorker) chooseCopies(threads int) (int, error) {
	best, least := 1, math.Inf(1)
	counters := int(w.p.Bins) + 2
	for copies := 1; copies <= 32; copies *= 2 {
		bytes := (counters*copies*4+15)&^15 + w.tiles(threads)
		if bytes > w.stream.Context().Device.SharedPerBlock {
			break
		}
		blocks, err := w.stream.Occupancy(w.job.name("shared"), threads, bytes)
		if err != nil {
			return 0, err
		}
		if t := copiesTime(blocks*threads, int(w.p.Bins), 32/copies); t < least {
			best, least = copies, t
		}
	}
	return best, nil
}

// enoughThreads is how many threads a processor must run to be busy: each has
// eight pairs in flight. The paper's cards, whose threads had one, gained from
// all they could run.
const enoughThreads = 512

// copiesTime is the time of a pair by the model of section 3.3.2, in
// conflict-free rounds of one processor: threads are those that a processor
// runs at once (α of equation 1), sharing the lanes of a warp that share a copy.
func copiesTime(threads, bins, sharing int) float64 {
	if threads == 0 {
		return math.Inf(1)
	}
	return latency(sharing, float64(bins), 1) / float64(min(threads, enoughThreads))
}

// latency is equations 2 to 5.
func latency(k int, bins, round float64) float64 {
	if k == 1 {
		return round
	}
	free := math.Exp(-float64(k*(k-1)) / (2 * bins))
	return free*round + (1-free)*latency(k-1, bins, round+1)
}
