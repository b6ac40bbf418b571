//go:build cuda && linux

package gpu

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"skyjoin/gpu/kernels"
	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// A Joiner runs joins, clusterings and statistics of pairs on a GPU. It implements
// neighbors.Joiner, Visitor and Counter; joins that are started at the same time
// wait for each other. The memory of its streams, pinned and on the card, and the
// device context are kept between joins, until Close.
type Joiner struct {
	mu      sync.Mutex
	cfg     Config
	lay     gridLayout // of joins within a radius
	ctx     *cuda.Context
	lanes   []*lane
	prepare *cuda.Stream
	used    usage
	pinned  []uint32    // counts of a join by row, pinned
	tallied []uint32    // counts of this card's part by position, pinned
	offsets [2][]uint64 // of the current rows, and of those before, pinned
}

// Open prepares the GPU of cfg for use. The error wraps neighbors.ErrRequest if cfg
// is wrong; see IsAbsent and IsFailure for other errors.
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
	ctx, err := cuda.Open(device, images)
	if err != nil {
		return nil, err
	}
	ctx.Later(publishedImages)
	j := &Joiner{cfg: cfg, ctx: ctx, lay: gridLayoutOf(cfg.Pattern)}
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

// Close releases the GPU. No join may be running, and none may follow. A second call
// does nothing.
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
		}) // a lost device has none
		j.prepare.Close()
	}
	ctx := j.ctx
	j.ctx, j.lanes, j.prepare, j.pinned, j.tallied, j.offsets = nil, nil, nil, nil, nil, [2][]uint64{}
	return ctx.Close()
}

// Workers implements neighbors.Visitor: a worker is a stream.
func (j *Joiner) Workers() int { return len(j.lanes) }

// Transferred returns the seconds that transfers of coordinates and of neighbours
// took, over all joins and streams. Transfers of several streams at the same time
// are added up.
func (j *Joiner) Transferred() float64 { return time.Duration(j.used.transfer.Load()).Seconds() }

// Reindexed returns how many indexes have been built for another radius within
// a join of the nearest.
func (j *Joiner) Reindexed() int { return int(j.used.indexes.Load()) }

// keep returns where offsets are kept between joins; nil if pinned memory is
// limited.
func (j *Joiner) keep() *[2][]uint64 {
	if j.cfg.Memory > 0 {
		return nil
	}
	return &j.offsets
}

// roomy runs f on the preparing thread, and if memory runs out, again after freeing
// what the lanes keep between joins. They must be idle.
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

// serves refuses plans that a half pattern does not serve. The error wraps
// neighbors.ErrRequest.
func (p Pattern) serves(plan *neighbors.Plan) error {
	switch {
	case !p.half():
		return nil
	case plan.Nearest() != nil:
		return p.refused("the nearest")
	case !plan.Self():
		return p.refused("two sets")
	case plan.Periodic():
		return p.refused("a periodic box")
	}
	return nil
}

// refused returns the error of a half pattern for a request that it does not serve.
func (p Pattern) refused(what string) error {
	return fmt.Errorf("%w: GPU pattern %s finds each pair of one set in an open space once; of %s there are full and brute", neighbors.ErrRequest, p, what)
}

// forResults: one part in so many of the free memory is left for results.
const forResults = 4

// Room returns how many points of a plan, of both sides together, fit the
// memory that is free on the card, with the index and a part of it left for
// results.
func (j *Joiner) Room(p *neighbors.Plan) int {
	free, _, err := j.ctx.Free()
	if err != nil {
		return 0
	}
	return int(max((free-free/forResults)/j.pointBytes(p), 1))
}

// pointBytes predicts the memory of a point of a plan on the card, including its
// index.
func (j *Joiner) pointBytes(p *neighbors.Plan) int64 {
	if p.Nearest() != nil && !j.cfg.Linear {
		return treeBytes(p)
	}
	return gridBytes(p)
}

// images are the compiled kernels, for every GPU from sm_70 on; publishedImages those that
// only published methods launch.
var (
	images          = &cuda.Images{Files: kernels.Images}
	publishedImages = &cuda.Images{Files: kernels.Published, Folder: "published"}
)
