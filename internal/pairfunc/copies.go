package pairfunc

import (
	"math"
)

// enoughThreads is how many threads keep a processor busy. Since Volta one has
// four schedulers, and an instruction waits four cycles for the result of the
// one before it (Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture
// via Microbenchmarking"), so that 16 warps always have one ready for each: more
// hide nothing. On the paper's card, the number of threads that run counted
// without such a bound. The model's choices were within 3.3 % of the best for 1
// to 600 bins on an H100, the only card measured.
const enoughThreads = schedulers * dependentCycles * 32

const (
	schedulers      = 4
	dependentCycles = 4
)

// CopiesTime is the time of a pair by the model of section 3.3.2, in
// conflict-free rounds of one processor: threads are those that a processor
// runs at once (α of equation 1), sharing the lanes of a warp that share a copy.
func CopiesTime(threads, bins, sharing int) float64 {
	if threads == 0 {
		return math.Inf(1)
	}
	return latency(sharing, float64(bins), 1) / float64(min(threads, enoughThreads))
}

// latency is equations 2 to 5. Both C_L, an access without conflict, and C_LP,
// what a conflict adds, are one round: atomic operations on shared memory that
// meet in a bank are done one after another. The results are ratios only, which is
// all that a choice needs. enoughThreads was seen on one H100 before it was
// derived; nothing else is measured. The thresholds of the paper's decision tree
// follow from the device: β is the shared memory that a block
// can opt in to, γ what this model gives.
func latency(k int, bins, round float64) float64 {
	if k == 1 {
		return round
	}
	free := math.Exp(-float64(k*(k-1)) / (2 * bins))
	return free*round + (1-free)*latency(k-1, bins, round+1)
}
