package hybrid

import (
	"context"
	"math"
	"slices"

	"skyjoin/internal/costmodel"
	"skyjoin/internal/workq"
	"skyjoin/neighbors"
)

// publishedBatch is b_s, the neighbours that a batch of a GPU has room for (HEGJoin,
// §5.3).
const publishedBatch = 50_000_000

func (j *Joiner) batch() uint64 {
	if j.Batch > 0 {
		return uint64(j.Batch)
	}
	return publishedBatch
}

// byResults cuts the rows that GPUs get, from the front of the deque, into batches of
// about equal numbers of neighbours, at most those of a batch, and returns where they
// end (HEGJoin, §4.3). There are at least as many batches as the streams of all GPUs,
// twice as many if the CPU may come first. Of every hundredth row the CPU counts the
// neighbours, whose index exists by then, where the paper has a kernel; the others
// have the larger number of the two next to them. It returns nil if that fails.
func (j *Joiner) byResults(ctx context.Context, q *queue, deque *workq.Deque, p *neighbors.Plan) []int {
	rows := deque.Rows()
	least := j.streams() * max(gpus(q.sides), 1)
	switch j.partition() {
	case Dynamic:
		least *= 2
	case ByRows:
		rows = rows[:int(math.Round(j.Share*float64(len(rows))))]
	case ByCandidates:
		rows = rows[:deque.Within(int64(math.Round(j.Share*float64(deque.Cost()))))]
	}
	if len(rows) == 0 {
		return nil
	}
	s := costmodel.Sample{Queries: len(rows), Step: costmodel.Step(len(rows))}
	var sampled []uint32
	for i := 0; i < len(rows); i += s.Step {
		sampled = append(sampled, rows[i])
	}
	found := make([]int64, p.Len())
	if err := neighbors.Count(ctx, q.sides[len(q.sides)-1].joiner, p, neighbors.NewWork(slices.Clone(sampled), nil), found); err != nil {
		return nil // it will fail again as a side of the join, which says so
	}
	for _, r := range sampled {
		s.Found = append(s.Found, uint32(found[r]))
	}
	return s.Batches(j.batch(), least)
}

// next returns how many rows the next batch of a GPU has, 0 if they have not been cut
// into batches.
func (q *queue) next() int {
	if q.ends == nil {
		return 0
	}
	at := q.deque.Passed()
	i, _ := slices.BinarySearch(q.ends, at+1)
	if i == len(q.ends) { // they have all been taken: rows that were put back
		return q.rows
	}
	return q.ends[i] - at
}
