package piece

import "testing"

// Pieces that do not fit are an error and not a wrong answer or a panic.
func TestMergeRefuses(t *testing.T) {
	for name, pieces := range map[string][]*Clusters{
		"a tile that is not there":    {{Lowest: []int64{0}, Sizes: []int64{1}, Links: []Link{{Row: 3, Tile: 1}}}},
		"a cluster that is not there": {{Lowest: []int64{0}, Sizes: []int64{1}, Links: []Link{{Row: 3, Tile: 1}}}, {Shared: []int64{3}, Cluster: []int32{2}}},
		"a link to no cluster":        {{Lowest: []int64{0}, Sizes: []int64{1}, Links: []Link{{Row: 3, Tile: 1, Cluster: 1}}}, {Lowest: []int64{3}, Sizes: []int64{1}, Shared: []int64{3}, Cluster: []int32{0}}},
		"a choice of no cluster":      {{Choices: []Choice{{Row: 1, Near: 2, Cluster: 5}}}},
		"a choice of no tile":         {{Choices: []Choice{{Row: 1, Near: 2, Tile: -1, Cluster: Noise}}}},
	} {
		if _, err := Merge(pieces, false); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
