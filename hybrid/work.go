package hybrid

import (
	"errors"
	"math"
	"skyjoin/neighbors"
)

var errLeft = errors.New("it ended and left rows undone")

// takeAll takes all rows there are.
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

// remaining returns how many rows are left, 0 if the work does not tell.
func remaining(work neighbors.Work) int {
	if w, ok := work.(interface{ Len() int }); ok {
		return w.Len()
	}
	return 0
}

// places returns 0, 1, 2, …
func places(n int) []uint32 {
	p := make([]uint32, n)
	for i := range p {
		p[i] = uint32(i)
	}
	return p
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
