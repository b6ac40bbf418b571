package par

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// However runs end, the pool has all its places afterwards.
func TestPoolKeepsItsPlaces(t *testing.T) {
	p := NewPool(3)
	failure := errors.New("failure")
	for round := range 500 {
		ctx, cancel := context.WithCancel(context.Background())
		if round%4 == 3 {
			cancel() // a place and the end are ready at once
		}
		var running, ran atomic.Int64
		err := p.Run(ctx, 20, func(i int) error {
			if running.Add(1) > 3 {
				t.Error("more units at once than places")
			}
			defer running.Add(-1)
			ran.Add(1)
			switch {
			case i == 7 && round%4 == 0:
				return failure
			case i == 7 && round%4 == 1:
				cancel()
			}
			return nil
		})
		cancel()
		want := []error{failure, context.Canceled, nil, context.Canceled}[round%4]
		if !errors.Is(err, want) || want == nil && ran.Load() != 20 {
			t.Fatalf("round %d: %v after %d units", round, err, ran.Load())
		}
		if len(p) != 0 {
			t.Fatalf("round %d: %d places are taken", round, len(p))
		}
	}
}
