package dbscan

import (
	"encoding/binary"
	"slices"

	"skyjoin/internal/each"
)

// A turn is how many sides of the box are to be added to the values of a row: four
// bytes for each column, as turns are compared; "" where all are 0.
type turn string

// turnOf makes a turn of the numbers.
func turnOf(sides []int32) turn {
	if !slices.ContainsFunc(sides, func(n int32) bool { return n != 0 }) {
		return ""
	}
	b := make([]byte, 0, 4*len(sides))
	for _, n := range sides {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return turn(b)
}

// at returns how many sides of the box are to be added to a column.
func (t turn) at(column int) int32 {
	if t == "" {
		return 0
	}
	return int32(binary.LittleEndian.Uint32([]byte(t[4*column : 4*column+4])))
}

// plus returns t with o added sign times.
func (t turn) plus(o turn, sign int32) turn {
	if o == "" {
		return t
	}
	sides := each.To(len(o)/4, func(j int) int32 { return t.at(j) + sign*o.at(j) })
	return turnOf(sides)
}

// A winding says how the rows of each cluster go together in a periodic box:
// which images of them are linked to each other.
type winding struct {
	sides []float64 // of each column, 0 for an open axis
	turns []turn    // the different ones
	of    []int32   // of each row: which turn; nil where no row needs one
	wraps []bool    // of each cluster: whether it is linked to an image of itself
}

// turn returns the turn of a row.
func (w *winding) turn(row int) turn {
	if w.of == nil {
		return ""
	}
	return w.turns[w.of[row]]
}

// set sets the turn of a row.
func (w *winding) set(row int, t turn, number map[turn]int32) {
	k, ok := number[t]
	if !ok {
		k = int32(len(w.turns))
		number[t] = k
		w.turns = append(w.turns, t)
	}
	w.of[row] = k
}
