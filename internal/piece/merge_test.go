package piece

import "testing"

// listed are what tiles ask of others.
type listed struct {
	links   []Link
	choices []Choice
}

type askedOf []listed

func (a askedOf) Links(tile int) ([]Link, error)     { return a[tile].links, nil }
func (a askedOf) Choices(tile int) ([]Choice, error) { return a[tile].choices, nil }

// Pieces that do not fit are an error and not a wrong answer or a panic.
func TestMergeRefuses(t *testing.T) {
	one := func(row int64) *Clusters {
		return &Clusters{Lowest: []int64{row}, Sizes: []int64{1}, Shared: []int64{row}, Cluster: []int32{0}}
	}
	link := func(cluster int32) listed { return listed{links: []Link{{Row: 3, Tile: 1, Cluster: cluster}}} }
	for name, c := range map[string]struct {
		pieces []*Clusters
		asks   askedOf
	}{
		"a tile that is not there":    {[]*Clusters{one(0)}, askedOf{link(0)}},
		"a cluster that is not there": {[]*Clusters{one(0), {Shared: []int64{3}, Cluster: []int32{2}}}, askedOf{link(0), {}}},
		"a link to no cluster":        {[]*Clusters{one(0), one(3)}, askedOf{link(1), {}}},
		"a choice of no cluster":      {[]*Clusters{{}}, askedOf{{choices: []Choice{{Row: 1, Near: 2, Cluster: 5}}}}},
		"a choice of no tile":         {[]*Clusters{{}}, askedOf{{choices: []Choice{{Row: 1, Near: 2, Tile: -1, Cluster: Noise}}}}},
	} {
		if _, err := Merge(c.pieces, c.asks, false); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	fits := askedOf{link(0), {}}
	if m, err := Merge([]*Clusters{one(0), one(3)}, fits, false); err != nil || len(m.Sizes) != 1 {
		t.Errorf("a link that fits: %v, %v", m, err)
	}
}
