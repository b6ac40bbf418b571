package neighbors

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

func randomPlan(t *testing.T, n int, q Query) *Plan {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = r.Float64(), r.Float64()
	}
	points, err := NewPoints(Float64s(x), Float64s(y))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(context.Background(), Input{Query: points}, q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var lazyQueries = []Query{Within{Radius: .01}, Nearest{K: 3}, Nearest{K: 100}}

// A joiner with an index of its own takes all rows, which builds no index.
func TestTakingAllBuildsNothing(t *testing.T) {
	for _, q := range lazyQueries {
		p := randomPlan(t, 1000, q)
		predicted := p.Memory()
		rows := p.Work().Take(1000, 0)
		slices.Sort(rows)
		for i, r := range rows {
			if int(r) != i {
				t.Fatalf("%+v: row %d of all is %d", q, i, r)
			}
		}
		if len(rows) != 1000 || p.builtOrder() != nil {
			t.Errorf("%+v: %d rows taken, index built: %v", q, len(rows), p.builtOrder() != nil)
		}
		if err := Index(context.Background(), CPU{}, p); err != nil {
			t.Fatal(err)
		}
		if p.builtOrder() == nil || p.Memory() <= 0 || p.Memory() > predicted {
			t.Errorf("%+v: the index takes %d bytes, %d were predicted", q, p.Memory(), predicted)
		}
		if rows := p.Work().Take(1000, 0); !slices.Equal(rows, p.order()) {
			t.Errorf("%+v: rows are not in the order of the index", q)
		}
	}
}

// Rows taken piece by piece are in the order of the index from the first on.
func TestTakingSomeIsInOrder(t *testing.T) {
	for _, q := range lazyQueries {
		p := randomPlan(t, 1000, q)
		work := p.Work()
		var rows []uint32
		for some := work.Take(300, 0); some != nil; some = work.Take(300, 0) {
			rows = append(rows, some...)
		}
		if !slices.Equal(rows, p.order()) {
			t.Errorf("%+v: rows are not in the order of the index", q)
		}
	}
}

// A cancelled join builds no index, and the plan is as good as before.
func TestIndexCancelled(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, q := range lazyQueries {
		p := randomPlan(t, 50_000, q)
		if err := Index(cancelled, CPU{}, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: error %v", q, err)
		}
		work := p.Work()
		for _, err := range (CPU{}).Join(cancelled, p, work) {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%+v: error %v", q, err)
			}
		}
		rows := 0
		for b, err := range (CPU{}).Join(context.Background(), p, work) {
			if err != nil {
				t.Fatal(err)
			}
			rows += len(b.Rows)
		}
		if rows != p.Len() {
			t.Errorf("%+v: %d rows joined of %d", q, rows, p.Len())
		}
	}
}

// Many joins of one plan at once build its index once.
func TestIndexBuiltOnce(t *testing.T) {
	for _, q := range lazyQueries {
		p := randomPlan(t, 20_000, q)
		var orders [8]*uint32
		var wg sync.WaitGroup
		for i := range orders {
			wg.Go(func() {
				for _, err := range (CPU{Threads: 2}).Join(context.Background(), p, p.Work()) {
					if err != nil {
						t.Error(err)
					}
				}
				orders[i] = &p.order()[0]
			})
		}
		wg.Wait()
		for _, o := range orders {
			if o != orders[0] {
				t.Errorf("%+v: the index was built more than once", q)
			}
		}
	}
}
