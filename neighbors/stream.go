package neighbors

import (
	"context"
	"errors"
	"iter"

	"skyjoin/internal/par"
)

// errStopped ends a join whose consumer broke out of the stream.
var errStopped = errors.New("stopped by the consumer")

// Stream turns the batches of a Visitor into a stream, one at a time: it is a Join
// for joiners that implement Visit.
func Stream(ctx context.Context, v Visitor, p *Plan, work Work) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		type delivery struct {
			b    *Batch
			done chan error
		}
		deliveries := make(chan delivery)
		var err error
		var visiting par.Group
		visiting.Go(func() {
			defer close(deliveries)
			err = v.Visit(ctx, p, work, func(_ int, b *Batch) error {
				d := delivery{b, make(chan error)}
				deliveries <- d
				return <-d.done
			})
		})
		stopped := false
		for d := range deliveries {
			switch {
			case stopped:
				d.done <- errStopped // the consumer has not taken it: its rows are put back
			case yield(d.b, nil):
				d.done <- nil
			default:
				stopped = true
				d.done <- nil // the consumer has taken it; the join ends at the next delivery
			}
		}
		visiting.Wait()
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}
