package kernel

// Funcs are the kernels of one instruction set. They may be called from any
// number of goroutines. They panic when an argument does not fit another:
// dimensions that differ, a run or query outside its points, missing slack, a
// result that would not fit.
type Funcs struct {
	Name string

	// Count adds to count[q-lo], for the queries [lo, hi) of q, the number of
	// points of d in runs with d² ≤ t.
	Count func(q *Points, lo, hi int, d *Points, runs []Run, t float64, count []uint32)

	// Emit writes, query after query, the IDs of the points of d in runs with
	// d² ≤ t to out and, unless dist is nil, d² of each to dist, sets count[q-lo]
	// to how many each query has, and returns the number written. out and dist
	// must have room for (hi-lo) times the points in runs, and Slack; what is
	// after the results is overwritten with anything.
	Emit func(q *Points, lo, hi int, d *Points, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int

	// EmitSelf is Emit for queries that are points of the block themselves,
	// without the pairs of a point and itself: the candidates of query i of
	// [lo, hi) are (i, end), [begin, i) and runs, which must lie outside of
	// those. begin is at most lo, or None for no candidates before the query,
	// which lists each pair once. There must be room for (hi-lo) times all
	// points of [begin, end), or [lo, end), and runs, and Slack.
	EmitSelf func(p *Points, lo, hi, begin, end int, runs []Run, t float64, out []uint32, dist []float64, count []uint32) int

	// EmitNear is Emit with d² where most runs are far from most queries: boxes
	// holds the points of each run, eight runs together, the last ones padded
	// with empty runs. For every eight, and for every coordinate, it has the
	// least of each and then the largest of each; a run that is not within t
	// of a query by its box is not looked at for it. All numbers must be
	// finite. See [Boxes].
	//
	// With a side, differences δ are those to the nearest image,
	// min(|δ|, side[c]-|δ|), each operation rounded; see [Sides]. Coordinates and
	// boxes are then between 0 and the side.
	EmitNear func(q *Points, lo, hi int, d *Points, runs []Run, boxes, side []float64, t float64, out []uint32, dist []float64, count []uint32) int

	// Half counts pairs of points of one block, each once. For every point i
	// of [lo, hi), each point j of (i, end) and of runs with d² ≤ t adds one
	// to count[i] and one to count[j]. The runs must lie outside [lo, end).
	// count needs Slack; the elements up to Slack behind a run may be
	// rewritten with what they were, so goroutines need counts of their own.
	Half func(p *Points, lo, hi, end int, runs []Run, t float64, count []uint32)

	// Nearest merges the points of d in runs, except the one with ID skip,
	// into the list of the k nearest to query i of q: dist[:k] is d² in
	// ascending order, id[:k] the IDs, equal distances in the order of their
	// IDs. Both must have room for ListLen(k) elements, be cleared with
	// ClearList before the first call and left alone between calls; elements
	// from k on mean nothing. No point may be merged twice.
	Nearest func(q *Points, i int, d *Points, runs []Run, skip uint32, k int, dist []float64, id []uint32)

	// Least writes the k least of each of several lists in the order of
	// (d², ID): list i is the next count[i] elements of dist and id, and its
	// results are outDist[i*k:(i+1)*k] and outID, which must have Slack more.
	// The ID skip[i] is left out, if skip is not nil. Nothing is written for
	// lists of less than k candidates, of less than k+1 with skip, or of more
	// than MostLeast(k); what is there, and the Slack, is overwritten with
	// anything. No d² may be negative or NaN.
	Least func(dist []float64, id []uint32, count, skip []uint32, k int, outDist []float64, outID []uint32)

	// Bounds sets least and most, one number for each coordinate, to the
	// bounds of points that lie one after the other, coordinate after
	// coordinate. There must be a point, and no NaN; which of 0 and -0 is less
	// is left open.
	Bounds func(points, least, most []float64)

	// Roots takes the square root of each number, rounded once.
	Roots func(x []float64)

	// Apply sets each number of z to the operation on those of x and, unless the
	// operation is of one number, y.
	Apply func(op Operation, x, y, z []float64)

	// Parts sets out to numbers that have the sum of x, exactly, a multiple of eight
	// and at most MostParts numbers. It returns false if it does not: for terms that
	// are not finite, or of which some are far less than others.
	Parts func(x []float64, out *[16]float64) bool

	// Windows finds the cells in each window of each query: keys are those of
	// the cells, ascending, with WindowSlack times NoKey behind, and those of
	// the queries ascend too. Ranges that are not empty go to cells, and how many
	// there are up to each query to end, and the windows move on. There must be
	// room for all of them and one more. For an earlier query than before,
	// windows have to be rewound.
	Windows func(keys, query []uint64, windows []Window, cells []Run, end []uint32)

	// Hist adds the pairs of each query i of [lo, hi) of q with the points of
	// d in runs to h. If end is not 0, q must be d, and the pairs of i with
	// (i, end) are added too; runs must lie outside [lo, end) then for each
	// pair to count once.
	Hist func(q *Points, lo, hi, end int, d *Points, runs []Run, h *Histogram)
}
