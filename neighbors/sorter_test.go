package neighbors

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSorter sorts lists of rows that are even, bunched or far apart, whole and
// from a row on, with and without distances.
func TestSorter(t *testing.T) {
	var s sorter
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.OneOf(rapid.Uint32Range(0, 1000), rapid.Uint32(), rapid.Uint32Range(1<<31, 1<<31+50))
		list := rapid.SliceOfNDistinct(rows, 0, 100, rapid.ID[uint32]).Draw(t, "rows")
		least := rapid.OneOf(rapid.Just(uint32(0)), rows).Draw(t, "least")
		dist := make([]float64, len(list))
		var want []uint32
		for i, r := range list {
			dist[i] = float64(r) / 3
			if r >= least {
				want = append(want, r)
			}
		}
		slices.Sort(want)
		index, dists := make([]uint32, len(list)), make([]float64, len(list))
		if !rapid.Bool().Draw(t, "distances") {
			dists = nil
		}
		n := s.order(index, dists, list, dist, least)
		if !slices.Equal(index[:n], want) {
			t.Fatalf("%v from %d on became %v", list, least, index[:n])
		}
		for i := range dists[:min(n, len(dists))] {
			if dists[i] != float64(index[i])/3 {
				t.Fatalf("row %d has distance %v", index[i], dists[i])
			}
		}
		s.sort(list, dist)
		if !slices.IsSorted(list) {
			t.Fatalf("in its place: %v", list)
		}
		for i, r := range list {
			if dist[i] != float64(r)/3 {
				t.Fatalf("in its place: row %d has distance %v", r, dist[i])
			}
		}
	})
}
