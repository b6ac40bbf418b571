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
	maxTightDim    = 3 // more dimensions have too many cells around one
)

// tight cells are such that no two points of a cell are further apart than the
// radius, as long as the layout says that it kept them so.
func tight(m *memory, p *neighbors.Plan, e []extent, sides [][]cuda.Buffer[float64]) (layout, error) {
	radius := math.Sqrt(p.SquaredRadius())
	if len(e) > maxTightDim || querySpace(p).Side != nil || radius < 0x1p-460 {
		l, err := wide(m, p, e, sides)
		l.tight = false
		return l, err
	}
	return newLayout(e, radius/math.Sqrt(float64(len(e)))*(1-0x1p-17), 2, nil, values(p)), nil
}

// Cluster carries out DBSCAN on the plan, a self-join within a radius, on the
// GPU: it is the optional interface dbscan.Clusterer, which documents it.
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
		s, err := newSession(j.prepare, p, tight, &j.used)
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
			for i, n := range found {
				counts[i] = int64(n)
			}
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
	counts cuda.Buffer[uint32] // of rows in the ball, itself included; empty unless counted
	pairs  int64               // if counted
}

// cluster runs DBSCAN on a built self-join. counted asks for all neighbours to
// be counted, which tight cells can otherwise leave out.
func (j *join) cluster(m *memory, minPoints int64, star, counted bool) (*clustering, error) {
	st, n := m.stream, j.query.n
	c := &clustering{}
	scratch := &memory{stream: st}
	defer scratch.release()
	p := clusterParams{Query: j.query.params(), Data: j.data.params(), T: j.t, Rows: uint32(n),
		Min: uint32(min(minPoints, math.MaxUint32))}
	if j.box != nil {
		p.Box = *j.box
	}
	if star {
		p.Star = 1
	}
	tight := j.layout.tight
	elements := n
	var half cuda.Buffer[int64]
	var faces int
	if tight {
		elements = j.query.cells
		g, err := j.layout.geometry(scratch)
		if err != nil {
			return nil, err
		}
		after := j.layout.after(&g)
		faces = min(len(j.layout.axes), len(after))
		if err := into(&half, scratch, max(len(after), 1)); err != nil {
			return nil, err
		}
		if err := cuda.Upload(st, half, after); err != nil {
			return nil, err
		}
		half.N = len(after)
		p.Half = half.Ptr
	}
	p.Elements = uint32(elements)
	var parent, lowest, number, cluster cuda.Buffer[uint32]
	var core cuda.Buffer[uint8]
	err := firstError(into(&parent, scratch, elements), into(&lowest, scratch, elements), into(&cluster, scratch, elements),
		into(&number, scratch, n), into(&core, scratch, n), into(&c.labels, m, n), into(&c.core, m, n), cuda.Clear(st, number, 0))
	if err != nil {
		return nil, err
	}
	p.Parent, p.Lowest, p.Number, p.Cluster, p.Core = parent.Ptr, lowest.Ptr, number.Ptr, cluster.Ptr, core.Ptr
	p.LabelOut, p.CoreOut = c.labels.Ptr, c.core.Ptr
	sums, err := newSorter(scratch, n)
	if err != nil {
		return nil, err
	}
	dim := j.query.dim
	variant := ""
	switch {
	case tight:
		variant = "tight_"
	case j.box != nil:
		variant = "wrapped_"
	}
	each := func(kernel string, n int) {
		if err == nil {
			err = launchEach(st, kernel, n, &p)
		}
	}
	warps := func(kernel string, n int) {
		if err == nil {
			err = cuda.Launch(st, kernel, ceilDiv(n, clusterWarps), clusterThreads, 0, &p)
		}
	}

	if counted || !tight {
		var count cuda.Buffer[uint32]
		if err := into(&count, scratch, n); err != nil {
			return nil, err
		}
		if err := j.countEntries(st, cuda.Buffer[uint32]{}, 0, n, count); err != nil {
			return nil, err
		}
		p.Count = count.Ptr
		if counted {
			if err := into(&c.counts, m, n); err != nil {
				return nil, err
			}
			p.CountOut = c.counts.Ptr
			var total [1]uint64
			if err := firstError(sums.scanSums(st, count), cuda.Download(st, total[:], sums.total(n)), st.Sync()); err != nil {
				return nil, err
			}
			c.pairs = int64(total[0] / 2)
		}
		each("cluster_counted", n)
	} else {
		each(fmt.Sprintf("cluster_core_%d", dim), n)
	}
	each("cluster_elements", elements)
	if tight {
		// Cells that share a face first: most others are connected by then.
		p.HalfLo, p.HalfHi = 0, uint32(faces)
		warps(fmt.Sprintf("cluster_unite_cells_%d", dim), elements)
		p.HalfLo, p.HalfHi = uint32(faces), uint32(half.N)
		warps(fmt.Sprintf("cluster_unite_cells_%d", dim), elements)
	} else {
		wrapped := ""
		if j.box != nil {
			wrapped = "wrapped_"
		}
		warps(fmt.Sprintf("cluster_unite_%s%d", wrapped, dim), n)
	}
	each("cluster_lowest", n)
	each("cluster_flags", elements)
	if err != nil {
		return nil, err
	}
	var clusters [1]uint64
	if err := firstError(sums.scan(st, number, number, cuda.Buffer[uint64]{}), cuda.Download(st, clusters[:], sums.total(n))); err != nil {
		return nil, err
	}
	each("cluster_number", elements)
	each(fmt.Sprintf("cluster_label_%s%d", variant, dim), n)
	if err := firstError(err, st.Sync()); err != nil {
		return nil, err
	}
	if clusters[0] > math.MaxInt32 {
		return nil, fmt.Errorf("%d clusters, the labels are 32-bit integers up to %d: a larger radius or more min points make fewer", clusters[0], math.MaxInt32)
	}
	return c, nil
}
