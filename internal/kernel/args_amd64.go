//go:build !purego

package kernel

// args is what the assembly reads, word by word; the generator checks the
// layout. Strides are in bytes. Queries are first … first+nq-1 of q, whose
// counts have the same numbers.
type args struct {
	q, d    *float64
	id      *uint32
	runs    *Run
	count   *uint32
	out     *uint32
	dist    *float64
	qStride int
	dStride int
	first   int
	nq      int // counted down to 0
	nruns   int
	n       int // results so far
	t       float64
	begin   int // EmitSelf: there are candidates [begin, i) too; else None
	end     int // Half, EmitSelf: the candidates of query i start with (i, end); else 0
	skip    int // Nearest: the ID to leave out
	last    int // Nearest: place of element k-1 in its vector; Least: k

	// Least: the ID to leave out of the first list, bytes to that of the next,
	// where results go, and room for 64 keys.
	skips    *uint32
	skipStep int
	outDist  *float64
	keys     *uint64

	boxes *float64 // EmitNear

	// Hist: the fields of Bins, and the counters.
	table    *uint64
	bins     *uint32
	firstKey uint64
	shift    uint
	low      float64

	// Kept by the assembly while it runs; they may point past the end, which
	// the garbage collector must not see. EmitSelf sets nextRow, the first of
	// the queries, before the first call.
	nextQ, nextCount, nextRow, nextSkip, nextBox, runsEnd uintptr

	side *float64 // EmitNear
}
