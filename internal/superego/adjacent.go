package superego

import (
	"sync/atomic"

	"skyjoin/internal/par"
)

// Adjacent returns how many points of the sequence are in the cell of each of its
// points and the cells next to that, itself included, over all points: the candidates
// of a grid whose cells are as long as the radius, as those of LBJOIN.
func (s *Sequence) Adjacent(threads int) int64 {
	runs := s.runs(nil, 0, s.Cells(), 0)
	var next, total atomic.Int64
	var g par.Group
	for range par.Threads(threads) {
		g.Go(func() {
			c := adjacency{s: s, level: make([][2][]int, s.Points.Dim)}
			sum := int64(0)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(runs)-1 {
					break
				}
				for j := max(i-1, 0); j < min(i+2, len(runs)-1); j++ {
					if near(s.at(runs[i])[0], s.at(runs[j])[0]) {
						sum += c.count(runs[i], runs[i+1], runs[j], runs[j+1], 1)
					}
				}
			}
			total.Add(sum)
		})
	}
	g.Wait()
	return total.Load()
}

func near(a, b uint32) bool { return after(a) >= b && after(b) >= a }

// runs appends to starts where the runs of the cells [lo, hi) with the same number in
// a dimension begin, and hi. They have the dimensions before it in common.
func (s *Sequence) runs(starts []int, lo, hi, dim int) []int {
	for i := lo; i < hi; i++ {
		if i == lo || s.at(i)[dim] != s.at(i - 1)[dim] {
			starts = append(starts, i)
		}
	}
	return append(starts, hi)
}

// An adjacency counts pairs of points in adjacent cells; level has room for the runs
// of each dimension.
type adjacency struct {
	s     *Sequence
	level [][2][]int
}

// count counts the pairs of the cells [lo, hi) and [from, to), which are adjacent in
// the dimensions before dim and each have one number there.
func (c *adjacency) count(lo, hi, from, to, dim int) (sum int64) {
	s := c.s
	if dim == s.Points.Dim {
		return int64(s.Start[hi]-s.Start[lo]) * int64(s.Start[to]-s.Start[from])
	}
	a := s.runs(c.level[dim][0][:0], lo, hi, dim)
	b := s.runs(c.level[dim][1][:0], from, to, dim)
	c.level[dim] = [2][]int{a, b}
	first := 0
	for i := range len(a) - 1 {
		own := s.at(a[i])[dim]
		for first < len(b)-1 && after(s.at(b[first])[dim]) < own {
			first++
		}
		for j := first; j < len(b)-1 && s.at(b[j])[dim] <= after(own); j++ {
			sum += c.count(a[i], a[i+1], b[j], b[j+1], dim+1)
		}
	}
	return sum
}
