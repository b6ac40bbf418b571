//go:build cuda && linux

package gpu

import (
	"context"
)

// failedShare is the part of a batch beyond which failures ask for a larger
// search distance (§4.5).
const failedShare = 0.25

// choose chooses the first ε. It must run on the preparing thread.
func (r *nearestRun) choose() (err error) {
	if r.least == 0 {
		r.least, err = r.epsilon()
		r.search = r.least
	}
	return err
}

// first builds the index of the first ε, if there is one.
func (r *nearestRun) first() error {
	if err := r.choose(); err != nil || r.least == 0 {
		return err
	}
	return r.index(r.search)
}

// linear is rounds as published: the rows in hand within ε; ε grows by ε_min/2,
// with a new index, when more than a quarter of them fail. Failed rows are
// returned where others share the work, and else searched for again.
func (r *nearestRun) linear(ctx context.Context, rows []uint32, shared bool) (rest []uint32, err error) {
	there := r.p.DataLen()
	if r.p.Self() {
		there--
	}
	if r.p.Nearest().K > there {
		return rows, nil
	}
	if err := r.j.roomy(r.choose); err != nil {
		return rows, err
	}
	if r.least == 0 {
		return rows, nil
	}
	all, vain := len(rows), 0
	var crowded []uint32
	for range maxLinear {
		if len(rows) == 0 || len(rows) <= all/restShare || vain == maxVain {
			break
		}
		if err := r.j.roomy(func() error { return r.hold(rows, r.search) }); err != nil {
			return append(crowded, rows...), err
		}
		few, many, err := r.within(ctx)
		crowded = append(crowded, many...)
		if err != nil {
			return append(crowded, few...), err
		}
		if vain++; len(few)+len(many) < len(rows) {
			vain = 0
		}
		if float64(len(few)) > failedShare*float64(len(rows)) {
			r.search += r.least / 2
		}
		rows = few
		if shared {
			break
		}
		if len(few) > 0 && float64(len(few)) <= failedShare*float64(all) {
			r.search += r.least / 2 // the same again would fail again
		}
	}
	return append(crowded, rows...), nil
}

// maxLinear is after how many batches of a portion the tail is left to the CPU:
// there would be many more of few rows each. maxVain is after how many of them in
// a row that found nothing it is: what is that far from all others takes as many
// batches as it is times ε_min away.
const (
	maxLinear = 64
	maxVain   = 8
)
