package hybrid

import (
	"context"
	"math/rand/v2"
	"testing"

	"skyjoin/neighbors"
)

// dense returns points whose density falls from a corner on.
func dense(t *testing.T, n int) *neighbors.Points {
	t.Helper()
	r := rand.New(rand.NewPCG(20, 3))
	var cols []neighbors.Column
	for range 2 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.ExpFloat64() / 40
		}
		cols = append(cols, neighbors.Float64s(v))
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A recorder is a stand-in for a GPU that notes the neighbours of the rows that it
// takes at once.
type recorder struct {
	standIn
	counts []int64 // by row
	found  []int64 // by batch
	rows   []int
}

func (r *recorder) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(int, *neighbors.Batch) error) error {
	return r.standIn.Visit(ctx, p, noted{work, r}, visit)
}

type noted struct {
	neighbors.Work
	r *recorder
}

func (t noted) Take(rows int, cost int64) []uint32 {
	got := t.Work.Take(rows, cost)
	if len(got) > 0 {
		sum := int64(0)
		for _, row := range got {
			sum += t.r.counts[row]
		}
		t.r.found, t.r.rows = append(t.r.found, sum), append(t.r.rows, len(got))
	}
	return got
}

// A GPU takes batches of about as many neighbours as fit one, however many there are
// in all and however the work is spread over the rows, and at least 2 × streams
// batches of all rows (HEGJOIN-DYN), or as many as streams of its share (-SQ, -SC).
func TestBatchesOfEqualNeighbours(t *testing.T) {
	p := plan(t, dense(t, 20_000), neighbors.Within{Radius: 0.002})
	counts := make([]int64, p.Len())
	if err := neighbors.Count(context.Background(), neighbors.CPU{}, p, p.Work(), counts); err != nil {
		t.Fatal(err)
	}
	all := int64(0)
	for _, n := range counts {
		all += n
	}
	for _, part := range []Partition{Dynamic, ByRows, ByCandidates} {
		for _, batch := range []int64{all / 40, all / 90, all} { // many, more, the least
			gpu := &recorder{standIn: standIn{CPU: neighbors.CPU{Threads: 1}}, counts: counts}
			j := joiner(part, 0, true, nil)
			j.GPUs, j.Batch, j.Share = []neighbors.Joiner{gpu}, int(batch), 0.5
			if err := j.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error { return nil }); err != nil {
				t.Fatal(err)
			}
			sum, most, rows := int64(0), int64(0), 0
			for i, n := range gpu.found {
				sum, most, rows = sum+n, max(most, n), rows+gpu.rows[i]
			}
			if len(gpu.found) == 0 {
				continue // the CPU was through before it began
			}
			least := all / 6
			if part != Dynamic {
				least = sum / 3
			}
			if room := min(batch, least); most > room*3/2 {
				t.Errorf("%s, room for %d of %d: a batch of %d neighbours, at most %d fit", part, batch, all, most, room)
			}
			if room := min(batch, least); int64(len(gpu.found)) > 2*(sum/room+2) {
				t.Errorf("%s, room for %d of %d: %d batches for %d neighbours", part, batch, all, len(gpu.found), sum)
			}
			if part != Dynamic && len(gpu.found) < 3 {
				t.Errorf("%s, room for %d of %d: %d batches, want one for each stream", part, batch, all, len(gpu.found))
			}
			if n := len(gpu.rows); part == Dynamic && n > 8 && gpu.rows[n-2] < gpu.rows[0] {
				t.Errorf("%s: the batches have %v rows, those of less work should have more", part, gpu.rows)
			}
		}
	}
}

// Batches of the published size: 380 of them for the 1.9e10 neighbours of 2 million
// rows, not a number that is the same for any result.
func TestBatchesOfThePaper(t *testing.T) {
	j := &Joiner{}
	if j.batch() != 5e7 {
		t.Errorf("b_s is %d, published 5e7", j.batch())
	}
	q := newQueue([]*side{{gpu: true}, {}}, nil, 2_000_000, onDemand{portions: 6})
	p := plan(t, dense(t, 5000), neighbors.Within{Radius: 0.002})
	rows := inIndexOrder(p, places(p.Len()))
	deque := dequeOf(p, rows, true)
	q.sides[1].joiner = neighbors.CPU{}
	j.Partition = Dynamic
	few := j.byResults(context.Background(), q, deque, p)
	j.Batch = 1000
	many := j.byResults(context.Background(), q, deque, p)
	if len(few) < 6 || len(few) > 7 || len(many) < 10*len(few) || few[len(few)-1] != p.Len() || many[len(many)-1] != p.Len() {
		t.Errorf("%d batches of room for all, %d of room for 1000", len(few), len(many))
	}
}
