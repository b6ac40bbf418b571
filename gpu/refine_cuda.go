//go:build cuda && linux

package gpu

import (
	"math/bits"

	"skyjoin/internal/cuda"
)

// An ordering is the rows that are put in order, and what that takes.
type ordering struct {
	*memory
	*sorter
	keys, keys2    cuda.Buffer[uint64]
	order          cuda.Buffer[uint32]
	rows, rows2    cuda.Buffer[uint32]
	flags, group   cuda.Buffer[uint32]
	start, large   cuda.Buffer[uint32]
	member, places cuda.Buffer[uint32]
	p              refineParams
}

// look reports whether more points than a leaf has share a key. If so it takes
// the memory that rounds need.
func (r *ordering) look() (bool, error) {
	n := int(r.p.N)
	var found cuda.Buffer[uint32]
	var any [1]uint32
	if err := firstError(into(&found, r.memory, 1), cuda.Clear(r.stream, found, 0)); err != nil {
		return false, err
	}
	r.p.Keys, r.p.Found, r.p.Order = r.keys.Ptr, found.Ptr, r.order.Ptr
	if err := firstError(r.launch("refine_look", n), cuda.Download(r.stream, any[:], found), r.stream.Sync()); err != nil || any[0] == 0 {
		return false, err
	}
	err := firstError(into(&r.rows2, r.memory, n), into(&r.flags, r.memory, n), into(&r.group, r.memory, n), into(&r.start, r.memory, n+1),
		into(&r.large, r.memory, n), into(&r.member, r.memory, n), into(&r.places, r.memory, n))
	if err != nil {
		return false, err
	}
	r.p.Flags, r.p.Group, r.p.Start, r.p.Large = r.flags.Ptr, r.group.Ptr, r.start.Ptr, r.large.Ptr
	r.p.Member, r.p.Position, r.p.Rows = r.member.Ptr, r.places.Ptr, r.rows.Ptr
	return true, r.launch("refine_flags", n)
}

// round refines the groups that have more points than a leaf. It reports
// whether there were any whose points do not all coincide.
func (r *ordering) round() (more bool, err error) {
	n, dim := int(r.p.N), int(r.p.Dim)
	groups, err := r.number(r.flags, r.group)
	if err != nil {
		return false, err
	}
	r.p.Groups = uint32(groups)
	large := r.large.Slice(0, groups)
	if err := firstError(r.launch("refine_groups", n), r.launch("refine_large", groups)); err != nil {
		return false, err
	}
	larger, err := r.number(large, large)
	if err != nil || larger == 0 {
		return false, err
	}
	boxes := &memory{stream: r.stream}
	defer boxes.release()
	var low, high cuda.Buffer[uint64]
	err = firstError(into(&low, boxes, dim*larger), into(&high, boxes, dim*larger))
	if err != nil {
		return false, err
	}
	r.p.Larger, r.p.Low, r.p.High = uint32(larger), low.Ptr, high.Ptr
	err = firstError(cuda.Clear(r.stream, low, 0xff), cuda.Clear(r.stream, high, 0), r.launch("refine_boxes", n), r.launch("refine_members", n))
	if err != nil {
		return false, err
	}
	members, err := r.number(r.member, r.member)
	if err != nil || members == 0 {
		return false, err
	}
	of := bits.Len(uint(larger - 1))
	r.p.Members, r.p.Bits = uint32(members), curveBits(64-of, dim)
	r.p.Keys, r.p.Rows = r.keys.Ptr, r.rows.Ptr
	if err := r.launch("refine_keys", n); err != nil {
		return false, err
	}
	sorted, rows, err := r.sort(r.stream, r.keys, r.keys2, r.rows, r.rows2, members, int(r.p.Bits)*dim+of, false)
	if err != nil {
		return false, err
	}
	r.p.Keys, r.p.Rows = sorted.Ptr, rows.Ptr
	return true, r.launch("refine_put", members)
}

// number writes the sums of what is before each element, and returns that of
// all.
func (r *ordering) number(in, out cuda.Buffer[uint32]) (int, error) {
	var sum [1]uint64
	err := firstError(r.scan(r.stream, in, out, cuda.Buffer[uint64]{}), cuda.Download(r.stream, sum[:], r.total(in.N)), r.stream.Sync())
	return int(sum[0]), err
}

func (r *ordering) launch(kernel string, threads int) error {
	p := r.p // of a struct with pointers C must not see
	return launchEach(r.stream, kernel, threads, &p)
}
