package plot

import (
	"context"
	"slices"
	"strings"
)

// A kind is a kind of figure.
type kind struct {
	name    string
	command string   // whose tables are of this kind, or "" if the columns tell
	named   []string // columns that tables of this kind have; nil: it is always asked for
	flags   string   // that it heeds, beside those that all do
	draw    func(d *drawing, ctx context.Context) error
}

// kinds are all of them; of those that a table can be, the first is drawn.
var kinds []kind

func init() { // kinds draw, and what is drawn looks at the kinds
	kinds = []kind{
		{"correlation", "", []string{"lo", "hi", "xi"}, "series plot-y", (*drawing).correlations},
		{"histogram", "hist", []string{"lo", "hi", "count"}, "series", (*drawing).histograms},
		{"matrix", "", nil, "plot-matrix", (*drawing).covariance},
		{"kdist", "", []string{"row", "kdist"}, "", (*drawing).kDistance},
		{"scan", "", []string{"eps", "min_points", "clusters", "stability"}, "", (*drawing).scan},
		{"tree", "", []string{"parent", "child", "row", "height", "min_cluster_size"}, "", (*drawing).tree},
		{"dendrogram", "", []string{"a", "b", "height", "size"}, "", (*drawing).dendrogram},
		{"reachability", "", []string{"order", "reachability"}, "labels", (*drawing).reachability},
		{"trace", "", []string{"device", "worker", "start", "end"}, "", (*drawing).trace},
		{"offsets", "match", []string{"row", "neighbor", "distance"}, "", (*drawing).offsets},
		{"separations", "match", []string{"row", "neighbor", "distance"}, "", (*drawing).separations},
		{"confusion", "", nil, "x y files", (*drawing).confusion},
		{"panels", "", nil, "labels projection centre-ra files", (*drawing).drawPanels},
		{"map", "", nil, "x y labels projection centre-ra files regions", (*drawing).drawMap},
	}
	rdf := kinds[0]
	rdf.command, rdf.named = "rdf", []string{"lo", "hi", "g"}
	kinds = slices.Insert(kinds, 1, rdf)
}

// kindNamed is the kind of a name.
func kindNamed(name string) kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })]
}

// takers are the kinds that heed a flag.
func takers(flag string) (names []string) {
	for _, k := range kinds {
		if slices.Contains(strings.Fields(k.flags), flag) && !slices.Contains(names, k.name) {
			names = append(names, k.name)
		}
	}
	return names
}
