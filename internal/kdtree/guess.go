package kdtree

import "math"

// learn makes guesses larger for queries that missed theirs, beyond those that
// may, and smaller for a negative number.
func (g *group) learn(missed float64) {
	g.factor = min(max(g.factor*math.Exp(learned*missed), 0.25), 8)
}

// guess returns d² within which somewhat more than the needed candidates are
// expected of points of a leaf, if their density in the box of its parent is
// that everywhere around, and the number of dimensions in which they differ.
func (s *Nearest) guess(leaf int) (float64, int) {
	dim := len(s.x)
	node := s.t.Leaves() - 1 + leaf
	for {
		node = max(0, (node-1)/2)
		box := s.t.box[2*dim*node : 2*dim*(node+1)]
		volume, free := 1.0, 0
		for c := range dim {
			if w := box[dim+c] - box[c]; w > 0 {
				volume *= w
				free++
			}
		}
		if free == 0 && node > 0 {
			continue // points that are all the same
		}
		lo, hi := s.t.span(node)
		part := s.group.wanted() / float64(hi-lo) * volume / s.group.ball[free]
		switch free {
		case 0:
			return 0, 1
		case 1:
			return part * part, 1
		case 2:
			return part, 2
		case 3:
			return math.Cbrt(part * part), 3
		}
		return math.Pow(part, 2/float64(free)), free
	}
}

// wanted is the number of candidates asked for.
func (g *group) wanted() float64 { return float64(g.need) + spare*math.Sqrt(float64(g.need)) }
