//go:build cuda && linux

package gpu

import (
	"context"
)

// failedShare is the part of a batch beyond which failures call for a larger search
// distance (§4.5).
const failedShare = 0.25

// choose chooses the first ε. It must run on the preparing thread.
func (r *nearestRun) choose() (err error) {
	if r.least == 0 {
		r.least, err = r.epsilon()
		if by := r.j.cfg.stretch; by > 0 {
			r.least *= by
		}
		r.search = r.least
	}
	return err
}

// first builds the index for the first ε, if there is one.
func (r *nearestRun) first() error {
	if err := r.choose(); err != nil || r.least == 0 {
		return err
	}
	return r.index(r.search)
}

// linear runs the published rounds: it searches for the current rows within ε; ε
// grows by ε_min/2, with a new index, when more than a quarter of them fail. Failed
// rows are returned if other joiners share the work, and are searched for again
// otherwise.
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
		if len(rows) == 0 || !r.j.cfg.last && len(rows) <= all/restShare || vain == maxVain {
			break
		}
		r.j.used.round(len(rows))
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
			r.search += r.least / 2 // the same rows would fail again
		}
	}
	return append(crowded, rows...), nil
}

// maxLinear is the number of batches of a portion after which the rest is left to
// the CPU: many more batches of few rows would follow. maxVain is the same for
// consecutive batches that found nothing: a row that far from all others takes as
// many batches as it is times ε_min away.
const (
	maxLinear = 64
	maxVain   = 8
)
