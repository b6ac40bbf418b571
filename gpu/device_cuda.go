//go:build cuda && linux

package gpu

import (
	"errors"
	"sync"
	"time"

	"skyjoin/internal/cuda"
)

// A Joiner runs joins, clusterings and statistics of pairs on a GPU. It implements
// neighbors.Joiner, Visitor and Counter; joins that are asked for at the same time
// wait for each other. The memory of its streams, pinned and on the card, and the
// device context are kept between joins, until Close.
type Joiner struct {
	mu      sync.Mutex
	cfg     Config
	lay     laying // of joins within a radius
	ctx     *cuda.Context
	lanes   []*lane
	prepare *cuda.Stream
	used    usage
	pinned  []uint32    // counts of a join by row, pinned
	tallied []uint32    // counts of this card's part by position, pinned
	offsets [2][]uint64 // of the rows in hand, and of those before, pinned
}

// Open takes the GPU of cfg into use. The error wraps neighbors.ErrRequest where
// cfg is wrong; see IsAbsent and IsFailure for others.
func Open(cfg Config) (*Joiner, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	device := 0
	if len(cfg.Devices) > 0 {
		device = cfg.Devices[0]
	}
	if cfg.Yield {
		cuda.Yield(device)
	}
	ctx, err := cuda.Open(device, image)
	if err != nil {
		return nil, err
	}
	j := &Joiner{cfg: cfg, ctx: ctx, lay: layingOf(cfg.Pattern)}
	if j.prepare, err = ctx.NewStream(); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	for range cfg.Streams {
		st, err := ctx.NewStream()
		if err != nil {
			return nil, errors.Join(err, j.Close())
		}
		l := &lane{st: st, watch: stopwatch{used: &j.used}}
		for i := range l.slots {
			l.slots[i].used = &j.used
		}
		j.lanes = append(j.lanes, l)
	}
	return j, nil
}

// Close gives the GPU back. No join may be running, and none may follow; closed
// again it does nothing.
func (j *Joiner) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ctx == nil {
		return nil
	}
	for _, l := range j.lanes {
		l.close()
	}
	if j.prepare != nil {
		_ = j.prepare.Do(func() error {
			return firstError(cuda.Unpin(j.prepare, j.pinned), cuda.Unpin(j.prepare, j.tallied), cuda.Unpin(j.prepare, j.offsets[0]), cuda.Unpin(j.prepare, j.offsets[1]))
		}) // on a lost device it is gone already
		j.prepare.Close()
	}
	ctx := j.ctx
	j.ctx, j.lanes, j.prepare, j.pinned, j.tallied, j.offsets = nil, nil, nil, nil, nil, [2][]uint64{}
	return ctx.Close()
}

// Workers implements neighbors.Visitor: a worker is a stream.
func (j *Joiner) Workers() int { return len(j.lanes) }

// Transferred returns the seconds that the transfers of coordinates and of
// neighbours took, over all joins and streams. Transfers of several streams at
// the same time count each.
func (j *Joiner) Transferred() float64 { return time.Duration(j.used.transfer.Load()).Seconds() }

// Reindexed returns how many indexes have been built for another radius within
// a join of the nearest.
func (j *Joiner) Reindexed() int { return int(j.used.indexes.Load()) }

// keep returns where offsets are kept between joins; nil if pinned memory is
// capped.
func (j *Joiner) keep() *[2][]uint64 {
	if j.cfg.Memory > 0 {
		return nil
	}
	return &j.offsets
}

// roomy has the preparing thread do f, and again if memory runs out, without what
// the lanes keep between joins. They must be idle.
func (j *Joiner) roomy(f func() error) error {
	err := j.prepare.Do(f)
	if errors.Is(err, cuda.ErrMemory) {
		j.shed()
		err = j.prepare.Do(f)
	}
	return err
}

// shed frees what the lanes keep between joins.
func (j *Joiner) shed() {
	for _, l := range j.lanes {
		_ = l.st.Do(func() error { l.shed(); return nil })
	}
}
