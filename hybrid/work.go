package hybrid

import (
	"errors"
	"math"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

var errLeft = errors.New("it ended and left rows undone")

// takeAll takes all rows.
func takeAll(work neighbors.Work) []uint32 {
	rows := work.Take(math.MaxInt, 0)
	if rows == nil {
		return nil
	}
	for more := work.Take(math.MaxInt, 0); more != nil; more = work.Take(math.MaxInt, 0) {
		rows = append(rows[:len(rows):len(rows)], more...)
	}
	return rows
}

// eachPortion calls do for each portion of rows that the work hands out, in the
// given order. Rows that do returns as undone are put back.
func eachPortion(work neighbors.Work, order []uint32, do func(rows []uint32) (undone []uint32, err error)) error {
	if a, ok := work.(interface{ Arrange([]uint32) }); ok {
		a.Arrange(order)
	}
	for rows := work.Take(math.MaxInt, 0); rows != nil; rows = work.Take(math.MaxInt, 0) {
		undone, err := do(rows)
		work.Put(undone)
		if err == nil && len(undone) > 0 {
			err = errLeft // they would be handed out again and again
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// remaining returns how many rows are left, 0 if the work cannot tell.
func remaining(work neighbors.Work) int {
	if w, ok := work.(interface{ Len() int }); ok {
		return w.Len()
	}
	return 0
}

// places returns 0, 1, 2, …
func places(n int) []uint32 {
	return each.Row(n)
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
