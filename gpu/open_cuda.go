//go:build cuda && linux

package gpu

import (
	"errors"
	"fmt"
	"sync"

	"skyjoin/internal/cuda"
)

// A Joiner runs joins, clusterings and statistics of pairs on a GPU. It implements
// neighbors.Joiner, Visitor and Counter, and those of them that are asked at the
// same time wait for each other. The memory of its streams, pinned and on the card,
// and the device context are kept between joins, until Close.
type Joiner struct {
	mu      sync.Mutex
	cfg     Config
	lay     laying // of joins within a radius
	ctx     *cuda.Context
	lanes   []*lane
	prepare *cuda.Stream
	used    usage
	pinned  []uint32    // counts of a join by row, pinned
	tallied []uint32    // of its share by position, pinned
	offsets [2][]uint64 // of the rows in hand, and of those before, pinned
}

// Devices lists the GPUs that the driver sees, with an error that says why
// there is none.
func Devices() ([]Device, error) {
	found, err := cuda.Devices()
	if err != nil {
		return nil, err
	}
	devices := make([]Device, len(found))
	for i, d := range found {
		devices[i] = Device{Index: d.Index, Name: d.Name, Memory: d.Memory, Processors: d.Processors,
			Capability: fmt.Sprintf("%d.%d", d.Major, d.Minor)}
	}
	return devices, nil
}

// Open takes the GPU of cfg into use.
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
	j := &Joiner{cfg: cfg, ctx: ctx, lay: cfg.laying()}
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
