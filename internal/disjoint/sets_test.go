package disjoint

import (
	"math/rand/v2"
	"testing"
)

// The root of a number is the least that it is connected to, as relabelling
// whole sets says.
func TestSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 200
	s, label := New[uint32](n), make([]uint32, n)
	for i := range label {
		label[i] = uint32(i)
	}
	for range 150 {
		i, j := uint32(rng.IntN(n)), uint32(rng.IntN(n))
		s.Unite(i, j)
		lo, hi := min(label[i], label[j]), max(label[i], label[j])
		for k := range label {
			if label[k] == hi {
				label[k] = lo
			}
		}
	}
	for i := range label {
		if got := s.Root(uint32(i)); got != label[i] {
			t.Errorf("root of %d is %d, want %d", i, got, label[i])
		}
	}
}
