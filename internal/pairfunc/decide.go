package pairfunc

import "fmt"

// A Card is what the rules for a method depend on, in bytes.
type Card struct {
	Shared  int // that a block can have
	Unified int // of a multiprocessor: shared memory and the read-only cache together
}

// Volta is the least card that there are kernels for (compute capability 7.0).
var Volta = Card{Shared: 96 << 10, Unified: 128 << 10}

// decidedThreads are those of a block that the rules assume, each with two queries.
const decidedThreads = 256

// smallOutput is α of figure 9: the largest primitive type.
const smallOutput = 16

// Decide chooses what a method leaves open by the decision tree of the paper (section 4,
// figure 9), and says why. A result of up to α = 16 bytes, or one for each row, stays in
// registers, and tiles go to shared memory. So they do for pairs, whose number is not
// known, which go to a direct output buffer. A histogram is counted in shared memory, in
// one copy a block or in copies for groups of lanes as the model of section 3.3.2 says
// (its γ), and beyond what a block can have (β) in global memory; tiles then go through
// the read-only cache, if it has room for one beside the counters, and into the registers
// of a warp otherwise. The paper has fixed sizes for a card on which cache and shared
// memory are apart; since Volta they share their storage.
func (j *Job) Decide(m Method, c Card) (Method, string) {
	tiling, output, why := "reg-shm", "", "the result is in registers"
	switch {
	case j.PerRow:
		why = "the result of each row is in registers"
	case j.Reduction == Sum || j.Reduction == Count:
		if j.Reduction == Sum {
			why = fmt.Sprintf("a sum is more than %d bytes, as it is exact, and in the words of each thread", smallOutput)
		}
	case j.Reduction == Pairs:
		why = "how many pairs there are is not known: they go to a direct output buffer"
	default:
		tiling, output, why = j.decideHistogram(c)
	}
	if m.Tiling == "" {
		m.Tiling = tiling
	}
	if m.Output == "" {
		m.Output = output
	}
	return m, why
}

func (j *Job) decideHistogram(c Card) (tiling, output, why string) {
	bins := len(j.Edges) - 1
	counters := (bins + 2) * 4
	copies := 0
	for n, least := 1, 0.0; n <= 32 && n*counters <= c.Shared; n *= 2 {
		threads := min(c.Shared/(n*counters), 2048/decidedThreads) * decidedThreads
		if t := CopiesTime(threads, bins, 32/n); copies == 0 || t < least {
			copies, least = n, t
		}
	}
	output = "lanes"
	switch copies {
	case 0:
		output, why = "global", fmt.Sprintf("%d counters are more than the shared memory of a block holds: they are in global memory", bins+2)
	case 1:
		output, why = "block", fmt.Sprintf("a block has its %d counters in shared memory once", bins+2)
	default:
		why = fmt.Sprintf("a block has its %d counters in shared memory in %d copies, for groups of lanes", bins+2, copies)
	}
	tile := 2 * decidedThreads * max(len(j.frontier(ofB)), 1) * 8
	left := c.Unified - copies*counters
	if tile <= left {
		return "reg-roc", output, why + fmt.Sprintf("; the read-only cache has room for tiles of %d bytes beside them", tile)
	}
	return "shuffle", output, why + fmt.Sprintf("; the read-only cache has no room for tiles of %d bytes, which are in the registers of a warp", tile)
}
