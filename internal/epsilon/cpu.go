package epsilon

import (
	"math"
	"sync"
	"sync/atomic"

	"skyjoin/internal/par"
)

// CPU is the Sampler of those who have no card, and the reference of those who
// have. It takes 500 distances for each data row.
type CPU struct {
	Pairs
	Threads int // 0: GOMAXPROCS
}

// Sum implements Sampler.
func (c CPU) Sum(query, data []uint32, scale float64) (uint64, error) {
	var all atomic.Uint64
	par.Chunks(par.Threads(c.Threads), len(query), func(_, lo, hi int) {
		var sum uint64
		for _, q := range query[lo:hi] {
			for _, d := range data {
				sum += uint64(math.Sqrt(c.SquaredDistance(q, d)) * scale)
			}
		}
		all.Add(sum)
	})
	return all.Load(), nil
}

// Count implements Sampler.
func (c CPU) Count(query []uint32, scale float64) ([]uint64, error) {
	all := make([]uint64, Bins)
	var mu sync.Mutex
	par.Chunks(par.Threads(c.Threads), c.DataLen(), func(_, lo, hi int) {
		counts := make([]uint64, Bins)
		for d := lo; d < hi; d++ {
			for _, q := range query {
				sum := c.SquaredDistance(q, uint32(d))
				if bin := math.Sqrt(sum) * scale; sum > 0 && bin < Bins {
					counts[int(bin)]++
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for i, n := range counts {
			all[i] += n
		}
	})
	return all, nil
}
