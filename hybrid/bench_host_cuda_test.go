//go:build cuda && linux

package hybrid_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing/fstest"
	"time"

	"github.com/klauspost/compress/zstd"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// What a host takes in limits joins whose results are lists: hostBytes is how
// much is copied at a time, hostTime for how long.
const (
	hostBytes = 64 << 20
	hostTime  = 300 * time.Millisecond
)

// noKernels is an empty image.
var noKernels = fstest.MapFS{"compute_60.ptx.zst": {Data: func() []byte {
	z, _ := zstd.NewWriter(nil)
	return z.EncodeAll([]byte(".version 6.0\n.target sm_60\n.address_size 64\n"), nil)
}()}}

// host measures how fast lists can come to the memory of the host: written by
// threads, copied from growing numbers of GPUs, and both at once.
func (b *bench) host() error {
	var streams []*cuda.Stream
	for i := range b.gpus {
		ctx, err := cuda.Open(i, &cuda.Images{Files: noKernels})
		if err != nil {
			return err
		}
		defer ctx.Close()
		for range 2 {
			st, err := ctx.NewStream()
			if err != nil {
				return err
			}
			defer st.Close()
			streams = append(streams, st)
		}
	}
	if err := b.room(); err != nil {
		return err
	}
	fmt.Print("\n| into host memory | threads GB/s | GPUs GB/s |\n|---|---|---|\n")
	threads := b.cpu.Workers()
	type setting struct{ threads, gpus int }
	settings := []setting{{1, 0}, {threads / 4, 0}, {threads, 0}}
	for n := 1; n <= len(b.gpus); n *= 2 {
		settings = append(settings, setting{0, n}, setting{threads, n})
	}
	for _, s := range settings {
		w, c, err := flood(s.threads, streams[:2*s.gpus])
		if err != nil {
			return err
		}
		fmt.Printf("| %d threads, %d GPUs | %.1f | %.1f |\n", s.threads, s.gpus, w, c)
	}
	return nil
}

// room measures how long a GPU takes to say how many points it can hold, which
// is asked before every join.
func (b *bench) room() error {
	s, err := b.subject(dataset{"Unif", 2, 1000}, neighbors.Nearest{K: 1})
	if err != nil {
		return err
	}
	p, err := s.plan(context.Background())
	if err != nil {
		return err
	}
	g, ok := b.gpus[0].(interface{ Room(*neighbors.Plan) int })
	if !ok {
		return fmt.Errorf("a %T does not tell how many points it can hold", b.gpus[0])
	}
	g.Room(p)
	const times = 20
	start := time.Now()
	for range times {
		g.Room(p)
	}
	fmt.Printf("\nfree memory is asked for in %.3f ms\n", 1e3*time.Since(start).Seconds()/times)
	return nil
}

// flood has threads write, and streams copy, for a while, and returns the
// gigabytes per second of each.
func flood(threads int, streams []*cuda.Stream) (written, copied float64, err error) {
	var wrote, came atomic.Int64
	var errs = make([]error, len(streams))
	var ready, done sync.WaitGroup
	begin := make(chan struct{})
	var end time.Time
	ready.Add(threads + len(streams))
	for range threads {
		done.Go(func() {
			v := make([]uint32, hostBytes/4)
			clear(v) // fresh memory is slow
			ready.Done()
			<-begin
			for n := uint32(1); time.Now().Before(end); n++ {
				for i := range v {
					v[i] = n
				}
				wrote.Add(hostBytes)
			}
		})
	}
	for i, st := range streams {
		done.Go(func() {
			errs[i] = st.Do(func() error {
				from, err := cuda.Alloc[uint32](st, hostBytes/4)
				var to []uint32
				if err == nil {
					to, err = cuda.Pinned[uint32](st, hostBytes/4)
				}
				ready.Done()
				<-begin
				for err == nil && time.Now().Before(end) {
					if err = cuda.Download(st, to, from); err == nil {
						err = st.Sync()
					}
					came.Add(hostBytes)
				}
				_ = cuda.Free(st, from) // of no consequence here
				_ = cuda.Unpin(st, to)
				return err
			})
		})
	}
	ready.Wait()
	end = time.Now().Add(hostTime)
	close(begin)
	done.Wait()
	for _, e := range errs {
		if e != nil {
			return 0, 0, e
		}
	}
	return float64(wrote.Load()) / 1e9 / hostTime.Seconds(), float64(came.Load()) / 1e9 / hostTime.Seconds(), nil
}
