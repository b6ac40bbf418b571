//go:build cuda && linux

package gpu

import (
	"math/bits"

	"skyjoin/internal/cuda"
)

// An ordering is rows that are being ordered, and the memory for that.
type ordering struct {
	*sorter
	keys, spareKeys cuda.Buffer[uint64]
	order           cuda.Buffer[uint32]
	rows, spareRows cuda.Buffer[uint32]
	flags, group    cuda.Buffer[uint32]
	large, member   cuda.Buffer[uint32]
	p               refineParams
}

// curveBits returns the bits of a coordinate in keys of so many bits.
func curveBits(key, dim int) int32 { return int32(min(key/dim, 32)) }

// look reports whether more points than a leaf has share a key. If so, it allocates
// the memory that rounds need.
func (r *ordering) look() bool {
	q, n := r.sequence, int(r.p.N)
	found := zeros[uint32](q, 1)
	r.p.Keys, r.p.Found, r.p.Order = r.keys.Ptr, found.Ptr, r.order.Ptr
	r.launch("refine_look", n)
	if first(q, found) == 0 {
		return false
	}
	r.spareRows, r.flags, r.group = temp[uint32](q, n), temp[uint32](q, n), temp[uint32](q, n)
	start := temp[uint32](q, n+1)
	r.large, r.member = temp[uint32](q, n), temp[uint32](q, n)
	places := temp[uint32](q, n)
	r.p.Flags, r.p.Group, r.p.Start, r.p.Large = r.flags.Ptr, r.group.Ptr, start.Ptr, r.large.Ptr
	r.p.Member, r.p.Position, r.p.Rows = r.member.Ptr, places.Ptr, r.rows.Ptr
	r.launch("refine_flags", n)
	return q.err == nil
}

// round refines the groups that have more points than a leaf. It reports whether any
// of them has points that do not all coincide.
func (r *ordering) round() (more bool) {
	q, n, dim := r.sequence, int(r.p.N), int(r.p.Dim)
	groups := r.number(r.flags, r.group)
	r.p.Groups = uint32(groups)
	r.launch("refine_groups", n)
	r.launch("refine_large", groups)
	large := slice(q, r.large, 0, groups)
	larger := r.number(large, large)
	if larger == 0 {
		return false
	}
	boxes := begin(r.stream)
	defer boxes.end()
	low, high := temp[uint64](boxes, dim*larger), temp[uint64](boxes, dim*larger)
	fill(boxes, low, 0xff)
	fill(boxes, high, 0)
	q.do(func() error { return boxes.err })
	r.p.Larger, r.p.Low, r.p.High = uint32(larger), low.Ptr, high.Ptr
	r.launch("refine_boxes", n)
	r.launch("refine_members", n)
	members := r.number(r.member, r.member)
	if members == 0 {
		return false
	}
	of := bits.Len(uint(larger - 1))
	r.p.Members, r.p.Bits = uint32(members), curveBits(64-of, dim)
	r.p.Keys, r.p.Rows = r.keys.Ptr, r.rows.Ptr
	r.launch("refine_keys", n)
	v := &sortable{r.keys, r.spareKeys, r.rows, r.spareRows}
	r.sort(v, members, int(r.p.Bits)*dim+of, false)
	r.p.Keys, r.p.Rows = v.keys.Ptr, v.values.Ptr
	r.launch("refine_put", members)
	return q.err == nil
}

// number writes, for each element, the sum of those before it, and returns the sum
// of all; 0 if the sequence has failed.
func (r *ordering) number(in, out cuda.Buffer[uint32]) int {
	r.scan(in, out, cuda.Buffer[uint64]{})
	return int(r.total(in.N))
}

func (r *ordering) launch(kernel string, threads int) {
	p := r.p // a copy: C must not see the pointers around it
	each(r.sequence, kernel, threads, &p)
}
