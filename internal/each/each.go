// Package each makes slices of slices: of what a function says of each element, of
// elements by their places, of the places of those that pass a test.
package each

// Of returns what f says of each element.
func Of[E, V any](all []E, f func(E) V) []V {
	out := make([]V, len(all))
	for i, x := range all {
		out[i] = f(x)
	}
	return out
}

// To returns what f says of each number from 0 to n-1.
func To[V any](n int, f func(i int) V) []V {
	out := make([]V, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

// At returns the values at the given places, in that order; nil of no values.
func At[V any, I int | int32 | uint32 | int64](v []V, places []I) []V {
	if v == nil {
		return nil
	}
	out := make([]V, len(places))
	for i, p := range places {
		out[i] = v[p]
	}
	return out
}

// Row returns the numbers from 0 to n-1, as rows.
func Row(n int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows
}

// Which returns the numbers from 0 to n-1 that pass a test, nil if none does.
func Which(n int, is func(i int) bool) (rows []uint32) {
	for i := range n {
		if is(i) {
			rows = append(rows, uint32(i))
		}
	}
	return rows
}
