package dbscan

import (
	"math"
	"slices"
	"sync/atomic"

	"skyjoin/internal/par"
)

// A Plateau is a range of radii over which the clusters that last are there.
type Plateau struct {
	First, Last int     // its steps
	Step        int     // the recommended step
	Epsilon     float64 // the radius there
}

// longLasting is the factor in radius over which a cluster must last. Clumps that
// chance makes last for a tenth to a quarter: they are there from the radius at which
// their densest rows become core to the one at which the field reaches them. A cluster
// that stands out from its surroundings by a factor f in density lasts for f^(1/d).
const longLasting = math.Sqrt2

// Plateau returns the range of radii at which most clusters last and fewest pass.
//
// A cluster lasts if it can be followed over a factor of √2 in radius (over half of the
// range, in logarithms, of a scan of less than a factor of 2): if at every step there
// some cluster has more than half of the rows of the two in common with it, a cluster
// that is then the only one. At each step the clusters that last count for it, the
// others against it. The plateau is the widest range, by the ratio of its radii, in
// which all steps count at least half of the highest count, rounded down but not to 0,
// and one has that; the one with the smallest radii if several are equally wide. It
// returns false if no step counts 1.
//
// The recommended step is among those with the highest count, the longest run of them:
// it is the one nearest to the middle of the upper half of the run, as clusters of
// every density still gain rows on the way up. Of runs of equal length it is the one
// nearest to the middle of the upper half of the plateau.
//
// Steps at which one cluster has absorbed nearly everything, more than half of all rows
// and nine tenths of those in clusters, are in no plateau: every catalog ends like that
// as the radius grows.
func (s *Scan) Plateau() (Plateau, bool) {
	count := s.counts()
	most := 0
	for _, n := range count {
		most = max(most, n)
	}
	if most == 0 {
		return Plateau{}, false
	}
	best, width := Plateau{}, -1.0
	for _, r := range runs(count, max(most/2, 1)) {
		if w := s.width(r[0], r[1]); w > width && slices.Contains(count[r[0]:r[1]+1], most) {
			best, width = Plateau{First: r[0], Last: r[1]}, w
		}
	}
	width, away := -1.0, math.Inf(1)
	for _, r := range runs(count, most) {
		step := s.upper(r[0], r[1])
		w, d := s.width(r[0], r[1]), math.Abs(math.Log(s.Steps[step].Epsilon)-s.middle(best.First, best.Last))
		if r[0] >= best.First && r[1] <= best.Last && (w > width || w == width && d < away) {
			best.Step, width, away = step, w, d
		}
	}
	best.Epsilon = s.Steps[best.Step].Epsilon
	return best, true
}

// runs returns the first and the last step of each run of steps that count at least n.
func runs(count []int, n int) (all [][2]int) {
	for i := 0; i < len(count); i++ {
		first := i
		for i < len(count) && count[i] >= n {
			i++
		}
		if i > first {
			all = append(all, [2]int{first, i - 1})
		}
	}
	return all
}

// width returns the logarithm of the ratio of two steps' radii.
func (s *Scan) width(first, last int) float64 {
	return math.Log(s.Steps[last].Epsilon / s.Steps[first].Epsilon)
}

// middle returns the logarithm of the middle of the upper half of a range of radii.
func (s *Scan) middle(first, last int) float64 {
	return math.Log(s.Steps[first].Epsilon)/4 + math.Log(s.Steps[last].Epsilon)*3/4
}

// upper returns the step nearest to that middle.
func (s *Scan) upper(first, last int) int {
	best, target := first, s.middle(first, last)
	away := func(i int) float64 { return math.Abs(math.Log(s.Steps[i].Epsilon) - target) }
	for i := first; i <= last; i++ {
		if away(i) < away(best) {
			best = i
		}
	}
	return best
}

// counts returns, of each step, how many more of its clusters last than do not, 0 where
// one has absorbed nearly everything.
func (s *Scan) counts() []int {
	count := make([]int, len(s.Steps))
	if len(s.Steps) == 0 {
		return count
	}
	needed := min(math.Log(longLasting), s.width(0, len(s.Steps)-1)/2)
	sizes := make([][]int64, len(s.Steps))
	for i, labels := range s.labels {
		sizes[i] = make([]int64, s.Steps[i].Clusters)
		for _, l := range labels {
			if l != Noise {
				sizes[i][l]++
			}
		}
	}
	var next atomic.Int64
	par.Chunks(s.threads, s.threads, func(int, int, int) {
		for i := int(next.Add(1)) - 1; i < len(count); i = int(next.Add(1)) - 1 {
			if !s.telling(i) {
				continue
			}
			first, last := s.follow(i, sizes)
			for c := range first {
				if s.width(first[c], last[c]) >= needed {
					count[i]++
				} else {
					count[i]--
				}
			}
		}
	})
	return count
}

// follow returns the first and the last step at which each cluster of a step is there.
func (s *Scan) follow(step int, sizes [][]int64) (first, last []int) {
	members := make([][]uint32, len(sizes[step]))
	for row, l := range s.labels[step] {
		if l != Noise {
			members[l] = append(members[l], uint32(row))
		}
	}
	first, last = make([]int, len(members)), make([]int, len(members))
	common := map[int32]int64{}
	there := func(c, at int) bool {
		clear(common)
		for _, row := range members[c] {
			if l := s.labels[at][row]; l != Noise {
				common[l]++
			}
		}
		for l, n := range common {
			if union := sizes[step][c] + sizes[at][l] - n; 2*n > union {
				return true
			}
		}
		return false
	}
	for c := range members {
		lo, hi := step, step
		for lo > 0 && s.telling(lo-1) && there(c, lo-1) {
			lo--
		}
		for hi+1 < len(s.Steps) && s.telling(hi+1) && there(c, hi+1) {
			hi++
		}
		first[c], last[c] = lo, hi
	}
	return first, last
}

// telling reports whether a step has clusters, but not one that has absorbed nearly
// everything.
func (s *Scan) telling(i int) bool { return s.Steps[i].Clusters > 0 && !s.taken(i) }

// taken reports whether one cluster has absorbed nearly everything.
func (s *Scan) taken(i int) bool {
	t := s.Steps[i]
	clustered := t.Core + t.Border
	return 2*t.Largest > clustered+t.Noise && 10*t.Largest > 9*clustered
}
