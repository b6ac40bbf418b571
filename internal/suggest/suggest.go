// Package suggest finds the names that a mistyped one may have meant.
package suggest

import (
	"cmp"
	"slices"
	"strings"
)

// longestSlip bounds the letters of two names that are compared, which takes
// time like their product.
const longestSlip = 1000

// Near returns the names that name may be a slip of, nearest first, those as
// near in the order given. A name that differs only in case excludes others;
// one that name begins counts as one edit.
func Near(name string, names []string) []string {
	type near struct {
		name string
		d    int
	}
	var found []near
	lower := strings.ToLower(name)
	for _, n := range names {
		if len(name)+len(n) > longestSlip {
			continue
		}
		other := strings.ToLower(n)
		d := Distance(lower, other)
		if len(name) > 1 && strings.HasPrefix(other, lower) {
			d = min(d, 1)
		}
		if d <= max(1, min(len(name), len(n))/3) && d < len(name) {
			found = append(found, near{n, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.d, b.d) })
	var out []string
	for _, f := range found {
		if f.d > 0 && found[0].d == 0 {
			break
		}
		out = append(out, f.name)
	}
	return out
}

// Distance is the number of bytes to insert, delete, replace or swap with
// their neighbour that turns a into b (optimal string alignment).
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
