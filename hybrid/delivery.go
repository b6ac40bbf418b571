package hybrid

import "skyjoin/neighbors"

// A delivery collects what a worker has delivered before it is reported to the
// queue: there are thousands of small batches in a tenth of a second.
type delivery struct {
	rows, neighbours int
	work             int64
	_                [40]byte // padding: workers write to theirs all the time
}

const (
	tellRows       = 1 << 9
	tellNeighbours = 1 << 20
)

// add adds a batch and reports whether it is time to report.
func (d *delivery) add(b *neighbors.Batch, cost func(row uint32) int64) bool {
	d.rows += len(b.Rows)
	d.neighbours += len(b.Index)
	d.work += total(b.Rows, cost)
	return d.rows >= tellRows || d.neighbours >= tellNeighbours
}

// total returns the work of rows, 1 each without costs.
func total(rows []uint32, cost func(row uint32) int64) (work int64) {
	if cost == nil {
		return int64(len(rows))
	}
	for _, r := range rows {
		work += cost(r)
	}
	return work
}
