//go:build cuda && linux

package gpu

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

const (
	clusterThreads = 128
	clusterWarps   = clusterThreads / 32
)

// Cluster carries out DBSCAN on the plan, a self-join within a radius, on the GPU.
// It implements dbscan.Clusterer, which documents it.
func (j *Joiner) Cluster(ctx context.Context, p *neighbors.Plan, minPoints int64, star bool, labels []int32, core []bool, counts []int64, pairs *int64) error {
	if err := supports(p); err != nil {
		return err
	}
	if !p.Self() {
		return fmt.Errorf("%w: clustering needs a self-join", neighbors.ErrRequest)
	}
	if p.Len() == 0 {
		if pairs != nil {
			*pairs = 0
		}
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return j.roomy(func() error {
		s, err := newSession(j.prepare, p, layTight, &j.used)
		if err != nil {
			return err
		}
		defer s.release()
		c, err := s.cluster(&s.memory, minPoints, star, counts != nil || pairs != nil)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		flags := make([]uint8, p.Len())
		found := make([]uint32, c.counts.N)
		err = firstError(cuda.Download(s.stream, labels, c.labels), cuda.Download(s.stream, flags, c.core),
			cuda.Download(s.stream, found, c.counts), s.stream.Sync())
		if err != nil {
			return err
		}
		for i, f := range flags {
			core[i] = f != 0
		}
		if counts != nil {
			copyCounts(counts, found)
		}
		if pairs != nil {
			*pairs = c.pairs
		}
		return nil
	})
}

// A clustering is the result of DBSCAN on the device, by row.
type clustering struct {
	labels cuda.Buffer[int32]
	core   cuda.Buffer[uint8]
	counts cuda.Buffer[uint32] // of rows in the ball, including the row itself; empty if not counted
	pairs  int64               // if counted
}

// cluster runs DBSCAN on a built self-join; its result lives as long as m. counted
// asks for the neighbours of all rows to be counted, which tight cells can otherwise
// avoid.
func (j *join) cluster(m *memory, minPoints int64, star, counted bool) (*clustering, error) {
	q := begin(m.stream)
	defer q.end()
	n, dim := j.query.n, j.query.dim
	c := &clustering{}
	p := clusterParams{Query: j.query.params(), Data: j.data.params(), T: j.t, Rows: uint32(n),
		Min: uint32(min(minPoints, math.MaxUint32)), Star: number(star)}
	wrapped, variant := "", ""
	if j.box != nil {
		p.Box, wrapped = *j.box, "wrapped_"
		variant = wrapped
	}
	tight := j.layout.tight
	elements, faces, half := n, 0, 0
	if tight {
		variant = "tight_"
		elements = j.query.cells
		g := j.layout.geometry(q, &q.memory)
		after := j.layout.after(&g)
		faces, half = min(len(j.layout.axes), len(after)), len(after)
		p.Half = table(q, &q.memory, append(after, 0)).Ptr // not null: the cells are not tight
	}
	p.Elements = uint32(elements)
	p.Parent, p.Lowest, p.Cluster = temp[uint32](q, elements).Ptr, temp[uint32](q, elements).Ptr, temp[uint32](q, elements).Ptr
	number := zeros[uint32](q, n)
	p.Number, p.Core = number.Ptr, temp[uint8](q, n).Ptr
	c.labels, c.core = kept[int32](q, m, n), kept[uint8](q, m, n)
	p.LabelOut, p.CoreOut = c.labels.Ptr, c.core.Ptr
	sums := newSorter(q, n)
	warps := func(kernel string, n int) { launch(q, kernel, ceilDiv(n, clusterWarps), clusterThreads, 0, &p) }

	if counted || !tight {
		count := temp[uint32](q, n)
		j.countEntries(q, cuda.Buffer[uint32]{}, 0, n, count)
		p.Count = count.Ptr
		if counted {
			c.counts = kept[uint32](q, m, n)
			p.CountOut = c.counts.Ptr
			sums.sum(count)
			c.pairs = int64(sums.total(n) / 2)
		}
		each(q, "cluster_counted", n, &p)
	} else {
		each(q, fmt.Sprintf("cluster_core_%d", dim), n, &p)
	}
	each(q, "cluster_elements", elements, &p)
	if tight {
		// Cells that share a face come first: most others are connected by then.
		for _, part := range [][2]int{{0, faces}, {faces, half}} {
			p.HalfLo, p.HalfHi = uint32(part[0]), uint32(part[1])
			warps(fmt.Sprintf("cluster_unite_cells_%d", dim), elements)
		}
	} else {
		warps(fmt.Sprintf("cluster_unite_%s%d", wrapped, dim), n)
	}
	each(q, "cluster_lowest", n, &p)
	each(q, "cluster_flags", elements, &p)
	sums.scan(number, number, cuda.Buffer[uint64]{})
	clusters := sums.total(n)
	each(q, "cluster_number", elements, &p)
	each(q, fmt.Sprintf("cluster_label_%s%d", variant, dim), n, &p)
	if q.sync() == nil && clusters > math.MaxInt32 {
		return nil, fmt.Errorf("%d clusters, the labels are 32-bit integers up to %d: a larger radius or more min points make fewer", clusters, math.MaxInt32)
	}
	return c, q.err
}
