package figure

import (
	"bytes"
	"errors"
	"math"
	"testing"
)

// Clusters are seen where they are: coloured if they were taken.
func TestReachabilityColours(t *testing.T) {
	r := Reachability{Style: small}
	for i := range 5000 {
		v, l := 8.0, int32(-1)
		switch {
		case i >= 1000 && i < 2000:
			v, l = 1, 0
		case i >= 3000 && i < 4000:
			v, l = 1, 1
		}
		r.Reachability, r.Labels = append(r.Reachability, v), append(r.Labels, l)
	}
	r.Reachability[0] = math.Inf(1)
	p, err := r.panel()
	if err != nil {
		t.Fatal(err)
	}
	img := pixels(t, encode(t, p.figure(), "png"))
	first, second, noise := centre(t, img, p, palette[0]), centre(t, img, p, palette[1]), centre(t, img, p, noiseGrey)
	if !(first.x < second.x) || !(first.y > noise.y) {
		t.Errorf("clusters at %v and %v, noise at %v", first, second, noise)
	}
}

func TestReachabilityDegenerate(t *testing.T) {
	inf := math.Inf(1)
	for _, v := range [][]float64{nil, {inf}, {inf, inf, 0}, {math.NaN(), 1e-300, 1e300}, {0, 0, 0}} {
		f, err := Reachability{Reachability: v, Unit: "deg"}.Figure()
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		if err := f.Encode(&bytes.Buffer{}, "svg"); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	}
	if _, err := (Reachability{Reachability: []float64{1}, Labels: []int32{}}).Figure(); !errors.Is(err, ErrRequest) {
		t.Errorf("labels of other rows: %v", err)
	}
}

func TestCondensedTreeColours(t *testing.T) {
	tree := CondensedTree{Style: small, Clusters: []TreeCluster{
		{-1, math.Inf(1), 4, 100, 80, -1}, {0, 4, .5, 30, 10, 0}, {0, 4, 1, 50, 50, -1}, {2, 1, 0, 25, 25, 1}, {2, 1, .25, 20, 5, 2},
	}}
	p, err := tree.panel()
	if err != nil {
		t.Fatal(err)
	}
	img := pixels(t, encode(t, p.figure(), "png"))
	a, b, c := centre(t, img, p, palette[0]), centre(t, img, p, palette[1]), centre(t, img, p, palette[2])
	if !(a.x < b.x && b.x < c.x) || !(a.y < b.y) {
		t.Errorf("clusters at %v, %v and %v", a, b, c)
	}
	many := CondensedTree{Clusters: []TreeCluster{{-1, math.Inf(1), 4, 1 << 20, 1 << 20, -1}}}
	for i := range 3000 {
		many.Clusters = append(many.Clusters, TreeCluster{int32(i / 2), 4 / float64(i+1), 4 / float64(i+2), int64(5000 - i), 10, int32(i%7 - 1)})
	}
	for _, tree := range []CondensedTree{{}, {Clusters: []TreeCluster{{-1, math.Inf(1), 0, 0, 0, -1}}}, many} {
		f, err := tree.Figure()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Encode(&bytes.Buffer{}, "pdf"); err != nil {
			t.Error(err)
		}
	}
	if _, err := (CondensedTree{Clusters: []TreeCluster{{Parent: 0}}}).Figure(); !errors.Is(err, ErrRequest) {
		t.Errorf("a root with a parent: %v", err)
	}
}

// Branches that are merged are neighbours, under a bridge at the distance.
func TestDendrogramBridges(t *testing.T) {
	d := Dendrogram{Style: small, Branches: []Branch{{50, 0}, {9, -1}, {50, 1}, {50, 2}}, Merges: []BranchMerge{{0, 3, 1, -1}, {2, 4, 2, -1}, {1, 5, 3, -1}}}
	p, err := d.panel()
	if err != nil {
		t.Fatal(err)
	}
	img := pixels(t, encode(t, p.figure(), "png"))
	a, b, c := centre(t, img, p, palette[0]), centre(t, img, p, palette[2]), centre(t, img, p, palette[1])
	if !(c.x < a.x && a.x < b.x) {
		t.Errorf("branches at %v, %v, %v: not in the order of the merges", c, a, b)
	}
	for _, merges := range [][]BranchMerge{{{0, 5, 1, -1}}, {{0, 1, 1, -1}, {0, 2, 2, -1}}, {{0, 4, 1, -1}}, {{-1, 0, 1, -1}}} {
		if _, err := (Dendrogram{Branches: d.Branches, Merges: merges}).Figure(); !errors.Is(err, ErrRequest) {
			t.Errorf("%v: %v", merges, err)
		}
	}
	for _, d := range []Dendrogram{{}, {Branches: []Branch{{1, -1}}}, {Branches: []Branch{{3, 0}, {4, 0}}, Merges: []BranchMerge{{0, 1, 0, 0}}}} {
		if _, err := d.Figure(); err != nil {
			t.Error(err)
		}
	}
}
