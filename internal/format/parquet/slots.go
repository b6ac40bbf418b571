package parquet

import (
	"errors"
	"fmt"
	"io"
)

// batch is how many values are decoded at once: few enough for all that
// belongs to them to stay in the first cache.
const batch = 1024

// slotBatch is the values of a chunk with their levels, a batch at a time. Where
// a row of lists ends is known from the slot after it.
type slotBatch[T Value] struct {
	*pageReader[T]
	l        *leaf
	vals     [batch]T
	def, rep [batch]uint8
	n        int // slots of the batch
	slot     int // the one in hand
	value    int // its value among vals
}

// peek makes sure that there is a slot in hand; false at the end of the chunk.
func (r *slotBatch[T]) peek() (bool, error) {
	if r.slot < r.n {
		return true, nil
	}
	n, _, err := r.Read(r.vals[:], r.def[:], r.rep[:])
	if err == io.EOF {
		return false, nil
	}
	r.n, r.slot, r.value = n, 0, 0
	return err == nil, err
}

// take passes over the slot in hand and returns the place of its value among
// vals, -1 if it has none.
func (r *slotBatch[T]) take() (value int) {
	value = -1
	if r.l.maxDef == 0 || r.def[r.slot] == r.l.maxDef {
		value = r.value
		r.value++
	}
	r.slot++
	return value
}

// errFew says that a chunk ends before its row group.
var errFew = errors.New("it has fewer rows than the row group")

// row calls visit for each slot of the next row, with the place of its value
// among vals, -1 if it has none, and its levels.
func (r *slotBatch[T]) row(visit func(value int, def, rep uint8)) error {
	for first := true; ; first = false {
		ok, err := r.peek()
		switch {
		case err != nil:
			return err
		case first && !ok:
			return errFew
		case first && r.rep[r.slot] != 0:
			return fmt.Errorf("it starts within a list")
		case !first && (!ok || r.rep[r.slot] == 0):
			return nil
		}
		def, rep := r.def[r.slot], r.rep[r.slot]
		visit(r.take(), def, rep)
	}
}

// end checks that no row is left.
func (r *slotBatch[T]) end() error {
	ok, err := r.peek()
	if err == nil && ok {
		err = fmt.Errorf("it has more values than the row group has rows")
	}
	return err
}
