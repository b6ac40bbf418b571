package piece

import (
	"slices"
	"testing"
)

// FuzzMerge puts pieces of any content together: an error, or labels of clusters
// that there are.
func FuzzMerge(f *testing.F) {
	f.Add([]byte{2, 1, 5, 1, 7, 0, 1, 2, 7, 1, 0, 1, 9, 7, 0, 0, 3}, true)
	f.Add([]byte{3, 2, 0, 4, 1, 1, 0, 3, 1, 0, 1, 1, 3, 2, 1, 0}, false)
	f.Fuzz(func(t *testing.T, b []byte, nearest bool) {
		next := func(most int) int { // small numbers, and -1 of 255
			if len(b) == 0 {
				return 0
			}
			v := int(int8(b[0]))
			b = b[1:]
			return min(v, most)
		}
		pieces := make([]*Clusters, max(1, next(8)))
		asks := make(askedOf, len(pieces))
		for i := range pieces {
			p := &Clusters{}
			for range next(9) {
				p.Lowest, p.Sizes = append(p.Lowest, int64(next(127))), append(p.Sizes, int64(max(0, next(127))))
			}
			for range next(9) {
				p.Shared, p.Cluster = append(p.Shared, int64(next(127))), append(p.Cluster, int32(next(127)))
			}
			slices.Sort(p.Shared)
			for range next(9) {
				asks[i].links = append(asks[i].links, Link{int64(next(127)), int32(next(127)), int32(next(127))})
			}
			for range next(9) {
				asks[i].choices = append(asks[i].choices, Choice{int64(next(127)), int64(next(127)), int32(next(127)), int32(next(127)), float64(next(127))})
			}
			slices.SortStableFunc(asks[i].choices, func(a, b Choice) int { return int(a.Row - b.Row) })
			pieces[i] = p
		}
		m, err := Merge(pieces, asks, nearest)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a word")
			}
			return
		}
		for i := range pieces {
			for c, n := range m.Number[i] {
				if n < 0 || int(n) >= len(m.Sizes) {
					t.Fatalf("cluster %d of tile %d is cluster %d of %d", c, i, n, len(m.Sizes))
				}
			}
			for k, label := range m.Labels[i] {
				if label < 0 || int(label) >= len(m.Sizes) {
					t.Fatalf("row %d of tile %d has label %d of %d", m.Rows[i][k], i, label, len(m.Sizes))
				}
			}
			if !slices.IsSorted(m.Rows[i]) {
				t.Fatalf("rows %v", m.Rows[i])
			}
		}
	})
}
