package hybrid

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"skyjoin/internal/workq"
	"skyjoin/neighbors"
)

// patience is how often joiners of tests do in vain what they are to do once.
const patience = 100

var errEndless = errors.New("the same again and again")

// A visitor is a joiner that is a function.
type visitor func(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(int, *neighbors.Batch) error) error

func (v visitor) Workers() int { return 1 }

func (v visitor) Join(ctx context.Context, p *neighbors.Plan, work neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return neighbors.Stream(ctx, v, p, work)
}

func (v visitor) Visit(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(int, *neighbors.Batch) error) error {
	return v(ctx, p, work, visit)
}

// A GPU that gives back what it does not find is not given it again before the
// CPU, however late that comes.
func TestWhatIsNotFoundIsLeftToTheCPU(t *testing.T) {
	p := plan(t, cloud(t, 500), neighbors.Nearest{K: 3})
	ended := make(chan struct{})
	refused := 0
	gpu := visitor(func(_ context.Context, _ *neighbors.Plan, work neighbors.Work, _ func(int, *neighbors.Batch) error) error {
		if refused == 0 {
			defer close(ended)
		}
		for rows := work.Take(math.MaxInt, 0); rows != nil; rows = work.Take(math.MaxInt, 0) {
			work.Put(rows)
			if refused++; refused > patience {
				return errEndless
			}
		}
		return nil
	})
	late := visitor(func(ctx context.Context, p *neighbors.Plan, work neighbors.Work, visit func(int, *neighbors.Batch) error) error {
		<-ended
		return neighbors.CPU{Threads: 1}.Visit(ctx, p, work, visit)
	})
	for _, partition := range Partitions[1:] { // the deque is there from the start
		t.Run(string(partition), func(t *testing.T) {
			ended, refused = make(chan struct{}), 0
			j := &Joiner{CPU: late, GPUs: []neighbors.Joiner{gpu}, Partition: partition, Share: 1}
			got, err := neighbors.Collect(context.Background(), j, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			want, err := neighbors.Collect(context.Background(), neighbors.CPU{}, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Index, want.Index) {
				t.Error("other neighbours than on the CPU alone")
			}
			if lost := j.Report().Sides[0].Lost; lost != "" || refused == 0 {
				t.Errorf("the GPU gave back %d portions, and was lost by %q", refused, lost)
			}
		})
	}
}

// What a GPU gives back because it fails others are given, and what it gives
// back beside a CPU that fails it is given again.
func TestWhatIsGivenBackByTheLost(t *testing.T) {
	first, second, cpu := &side{gpu: true}, &side{gpu: true, number: 1}, &side{workers: 1}
	for _, lost := range []*side{first, cpu} {
		t.Run(lost.name(), func(t *testing.T) {
			for _, s := range []*side{first, second, cpu} {
				*s = side{gpu: s.gpu, number: s.number, workers: s.workers}
			}
			q := newQueue([]*side{first, second, cpu}, places(10), 10, onDemand{portions: 1})
			q.open(workq.Given(places(10)), nil)
			q.put(first, q.take(first, 10, 0))
			if rows := q.take(second, 10, 0); rows != nil {
				t.Fatalf("rows %v, which a GPU has not found, are for another while there is a CPU", rows)
			}
			q.end(lost, errDevice)
			if !q.await(second) {
				t.Fatal("there is nothing to be done")
			}
			if rows := q.take(second, 10, 0); len(rows) != 10 {
				t.Errorf("rows %v, want all 10", rows)
			}
		})
	}
}

// A joiner that ends without having asked for rows is lost: it would be begun
// again without end.
func TestJoinerThatAsksForNothing(t *testing.T) {
	p := plan(t, cloud(t, 500), neighbors.Nearest{K: 3})
	for _, partition := range Partitions {
		for _, cpu := range []bool{false, true} {
			t.Run(fmt.Sprint(partition, " CPU ", cpu), func(t *testing.T) {
				var begun [2]int
				j := &Joiner{Partition: partition, Share: 0.5, all: true}
				for i := range begun {
					j.GPUs = append(j.GPUs, visitor(func(context.Context, *neighbors.Plan, neighbors.Work, func(int, *neighbors.Batch) error) error {
						if begun[i]++; begun[i] > patience {
							return errEndless
						}
						return nil
					}))
				}
				if cpu {
					j.CPU = neighbors.CPU{Threads: 1}
				}
				found := 0
				err := j.Visit(context.Background(), p, p.Work(), func(_ int, b *neighbors.Batch) error {
					found += len(b.Rows)
					return nil
				})
				switch {
				case cpu && (err != nil || found != p.Len()):
					t.Errorf("%d of %d rows are done: %v", found, p.Len(), err)
				case !cpu && !errors.Is(err, errIdle):
					t.Errorf("error %v, want %v", err, errIdle)
				}
				if begun[0] > 1 || begun[1] > 1 {
					t.Errorf("the GPUs were begun %v times, once is enough", begun)
				}
			})
		}
	}
}

// A small joiner holds some of the points of a plan, and does what it is asked to
// without an error and without any effect.
type small struct{ begun *int }

func (s small) Room(*neighbors.Plan) int { return 200 }

func (s small) Join(context.Context, *neighbors.Plan, neighbors.Work) iter.Seq2[*neighbors.Batch, error] {
	return func(yield func(*neighbors.Batch, error) bool) {
		if *s.begun++; *s.begun > patience {
			yield(nil, errEndless)
		}
	}
}

// Nor is a joiner asked again for the rows of a slab that it has left.
func TestJoinerThatLeavesSlabs(t *testing.T) {
	for _, query := range []neighbors.Query{neighbors.Nearest{K: 3}, neighbors.Within{Radius: 0.01}} {
		begun := 0
		j := &Joiner{GPUs: []neighbors.Joiner{small{&begun}}}
		p := plan(t, cloud(t, 500), query)
		err := j.Visit(context.Background(), p, p.Work(), func(int, *neighbors.Batch) error { return nil })
		if !errors.Is(err, errLeft) {
			t.Errorf("%T: error %v, want %v", query, err, errLeft)
		}
		if begun > 20 { // slabs
			t.Errorf("%T: the GPU was begun %d times", query, begun)
		}
	}
}
