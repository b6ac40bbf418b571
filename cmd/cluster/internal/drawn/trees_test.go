package drawn

import (
	"slices"
	"testing"

	"skyjoin/hdbscan"
	"skyjoin/io/figure"
)

// Of the dendrogram the merges of large parts are drawn, whatever drops out between them.
func TestTopOfTheDendrogram(t *testing.T) {
	// Rows 0, 1, 2 and 3, 4, 5 and 6, 7 are together; 8 is noise.
	d := top{labels: []int32{0, 0, 0, 1, 1, 1, -1, -1, -1}, merges: []hdbscan.Merge{
		{A: 0, B: 1, Height: 1, Rows: 2}, {A: 3, B: 4, Height: 1, Rows: 2}, {A: 6, B: 7, Height: 1, Rows: 2}, {A: 2, B: 9, Height: 2, Rows: 3},
		{A: 5, B: 10, Height: 2, Rows: 3}, {A: 11, B: 13, Height: 3, Rows: 5}, {A: 8, B: 14, Height: 4, Rows: 6}, {A: 12, B: 15, Height: 5, Rows: 9},
	}}
	d.draw(2, 49)
	branches := []figure.Branch{{Rows: 2, Label: -1}, {Rows: 3, Label: 1}, {Rows: 3, Label: 0}}
	merges := []figure.BranchMerge{{A: 0, B: 1, Distance: 3, Label: 1}, {A: 2, B: 3, Distance: 5, Label: several}}
	if !slices.Equal(d.figure.Branches, branches) || !slices.Equal(d.figure.Merges, merges) {
		t.Errorf("%+v, want %+v, %+v", d.figure, branches, merges)
	}
	d.figure = figure.Dendrogram{}
	d.draw(2, 1)
	if want := []figure.Branch{{Rows: 3, Label: 0}, {Rows: 6, Label: 1}}; !slices.Equal(d.figure.Branches, want) || len(d.figure.Merges) != 1 {
		t.Errorf("the last merge: %+v, want %+v", d.figure, want)
	}
}
