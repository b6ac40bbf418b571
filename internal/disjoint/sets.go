// Package disjoint holds disjoint sets of numbers, for one goroutine.
package disjoint

// Sets divides the numbers below its length into sets, each of which is known by
// its least number.
type Sets[T uint32 | int] []T

// New returns n sets of one number each.
func New[T uint32 | int](n int) Sets[T] {
	s := make(Sets[T], n)
	for i := range s {
		s[i] = T(i)
	}
	return s
}

// Root returns the least number of the set of i.
func (s Sets[T]) Root(i T) T {
	for s[i] != i {
		s[i] = s[s[i]] // halves the path to the root
		i = s[i]
	}
	return i
}

// Unite makes the sets of i and j one.
func (s Sets[T]) Unite(i, j T) {
	i, j = s.Root(i), s.Root(j)
	s[max(i, j)] = min(i, j)
}
