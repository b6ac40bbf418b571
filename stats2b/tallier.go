package stats2b

import (
	"math"

	"skyjoin/internal/each"
	"skyjoin/internal/exact"
	"skyjoin/internal/grid"
	"skyjoin/internal/kernel"
	"skyjoin/neighbors"
)

// rows are the weights and patches of the points of one side, in the order of its
// grid.
type rows struct {
	points  kernel.Points // ID holds the positions
	weights []float64     // nil: all 1
	patch   []int32       // nil: all 0
}

// newRows returns the rows of a sample in the order of a grid.
func newRows(s *Sample, g *grid.Grid, patches int) *rows {
	order := g.Rows()
	r := &rows{points: g.Points}
	r.points.ID, r.weights = each.Row(len(g.Points.ID)), each.At(s.Weights, order)
	if patches > 0 {
		r.patch = each.At(s.Patch, order)
	}
	return r
}

// weight returns that of a row.
func (r *rows) weight(i int) float64 {
	if r.weights == nil {
		return 1
	}
	return r.weights[i]
}

// A tallier counts single pairs: each may have weights, patches and a cell of its
// own.
type tallier struct {
	t           *Tally
	fn          *kernel.Funcs
	sorter      *sorter
	query, data *rows
	threshold   float64 // largest d² of interest
	weighted    bool

	pairs       []uint64
	weights     []exact.Sum
	squares     []exact.Squares
	separations []exact.Sum
	moments     *moments   // nil unless wanted
	separator   *separator // nil unless one of the two is wanted
	found       []uint32
	dist        []float64
	slots       []int32
	fixed       []int64 // weights of the pairs found, in units
	patch       int32   // of the last query
	begin       []int32 // where the slots of that patch with each other patch begin
	count       [1]uint32
	runs        []kernel.Run
	piece       [1]kernel.Run
}

func newTallier(s *sweep, t *Tally, sorter *sorter, query, data *rows) *tallier {
	v := &tallier{t: t, fn: kernel.Best(), sorter: sorter.room(foundRoom), patch: -1, threshold: s.plan.SquaredRadius(), weighted: t.weights != nil}
	v.query, v.data = query, data
	v.pairs = make([]uint64, len(t.pairs))
	v.weights = make([]exact.Sum, len(t.weights))
	v.squares = make([]exact.Squares, len(t.squares))
	if t.binning.distances() {
		v.separations, v.moments = make([]exact.Sum, len(t.separations)), t.moments.empty()
		v.separator = &separator{v.separations, t.binning.separationScale(), v.moments, s.plan.IsAngle(), query, data}
	}
	v.found = make([]uint32, foundRoom+kernel.Slack)
	v.dist = make([]float64, foundRoom+kernel.Slack)
	v.slots = make([]int32, foundRoom)
	v.fixed = make([]int64, foundRoom)
	v.begin = make([]int32, t.groups())
	return v
}

// foundRoom is how many pairs of a query are processed at a time.
const foundRoom = 1 << 13

func (v *tallier) direct(lo, hi, end int, runs []kernel.Run) {
	for i := lo; i < hi; i++ {
		v.runs = v.runs[:0]
		if i+1 < end {
			v.runs = append(v.runs, kernel.Run{Lo: uint32(i + 1), Hi: uint32(end)})
		}
		v.runs = append(v.runs, runs...)
		if grid.Points(v.runs) <= foundRoom {
			v.look(i, v.runs)
			continue
		}
		for _, r := range v.runs {
			for ; r.Lo < r.Hi; r.Lo = v.piece[0].Hi {
				v.piece[0] = kernel.Run{Lo: r.Lo, Hi: r.Lo + min(foundRoom, r.Hi-r.Lo)}
				v.look(i, v.piece[:])
			}
		}
	}
}

// look tallies the pairs of query i with the points of runs, at most foundRoom of
// them.
func (v *tallier) look(i int, runs []kernel.Run) {
	if len(runs) == 0 {
		return
	}
	n := v.fn.Emit(&v.query.points, i, i+1, &v.data.points, runs, v.threshold, v.found, v.dist, v.count[:])
	v.tally(i, n)
}

func (v *tallier) wrapped(i int, runs []kernel.Run) {
	var d2 [wrapBlock]float64
	for _, r := range runs {
		n := 0
		for ; r.Lo < r.Hi; r.Lo += min(wrapBlock, r.Hi-r.Lo) {
			block := d2[:min(wrapBlock, r.Hi-r.Lo)]
			kernel.WrappedSquares(&v.query.points, i, &v.data.points, int(r.Lo), v.sorter.side, block)
			for k, d := range block {
				if d <= v.threshold {
					v.found[n], v.dist[n] = r.Lo+uint32(k), d
					n++
				}
			}
			if n > foundRoom-wrapBlock {
				v.tally(i, n)
				n = 0
			}
		}
		v.tally(i, n)
	}
}

// tally counts the n pairs that have been found for query i.
func (v *tallier) tally(i, n int) {
	found, slots := v.found[:n], v.slots[:n]
	v.sorter.sort(slots, &v.query.points, i, &v.data.points, found, v.dist[:n])
	if v.weighted {
		v.multiply(i, found, slots)
	}
	if v.query.patch != nil {
		v.toPatches(i, found, slots)
	}
	if v.separator != nil {
		v.separator.add(i, found, slots, v.dist[:n])
	}
	if v.weighted {
		v.weigh(slots)
		return
	}
	pairs := v.pairs
	for _, s := range slots {
		if s >= 0 {
			pairs[s]++
		}
	}
}

// toPatches changes the slots of query i to those of the pairs of patches.
func (v *tallier) toPatches(i int, found []uint32, slots []int32) {
	if p := v.query.patch[i]; p != v.patch {
		v.patch = p
		for q := range v.begin {
			v.begin[q] = int32(v.t.at(int(p), q)) // below maxSlots
		}
	}
	patch := v.data.patch
	for k, j := range found {
		if slots[k] >= 0 {
			slots[k] += v.begin[patch[j]]
		}
	}
}

// multiply sets the weights of the pairs of query i, and adds their squares in the
// slots.
func (v *tallier) multiply(i int, found []uint32, slots []int32) {
	x := 1.0
	if v.query.weights != nil {
		x = v.query.weights[i]
	}
	fixed, scale := v.fixed[:len(found)], v.t.scale
	if y := v.data.weights; y != nil {
		for k, j := range found {
			fixed[k] = scale.FixedProduct(x, y[j])
		}
	} else {
		one := scale.FixedProduct(x, 1)
		for k := range fixed {
			fixed[k] = one
		}
	}
	squares := v.squares
	for k, s := range slots {
		if uint(s) < uint(len(squares)) {
			squares[s].Add(fixed[k])
		}
	}
}

// weigh counts pairs and adds their weights.
func (v *tallier) weigh(slots []int32) {
	fixed := v.fixed[:len(slots)]
	pairs, weights := v.pairs, v.weights[:len(v.pairs)]
	for k, s := range slots {
		if uint(s) < uint(len(pairs)) {
			pairs[s]++
			weights[s].Add(fixed[k])
		}
	}
}

// A separator sums the distances of pairs.
type separator struct {
	sums        []exact.Sum // by slot; none if only the moments are wanted
	scale       exact.Scale
	moments     *moments // nil unless wanted
	angle       bool     // of directions
	query, data *rows
}

// add adds the distances of point i from the found points, whose squares are d2.
func (s *separator) add(i int, found []uint32, slots []int32, d2 []float64) {
	for k, slot := range slots {
		if slot < 0 {
			continue
		}
		r := math.Sqrt(d2[k])
		if s.angle {
			r = neighbors.Angle(d2[k], s.squaredSum(i, int(found[k])))
		}
		if len(s.sums) > 0 {
			s.sums[slot].Add(s.scale.Fixed(r))
		}
		if s.moments != nil {
			s.moments.pair(slot, r, s.query.weight(i)*s.data.weight(int(found[k])))
		}
	}
}

// squaredSum is |a+b|² of two directions.
func (s *separator) squaredSum(i, j int) (sum float64) {
	a, b := &s.query.points, &s.data.points
	for c := range a.Dim {
		x := a.Data[c*a.Stride+i] + b.Data[c*b.Stride+j]
		sum += float64(x * x)
	}
	return sum
}
