package hdbscan

import (
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
)

// Result is that of the command.
type Result struct {
	Found
	*merges
	*job.Lengths
	*inverseLengths
	selected
	*bySize
	*report.Wrapping
	*job.Panels
}

// Found is what a --min-cluster-size finds.
type Found struct {
	Clusters int64 `json:"clusters" jsonschema:"clusters that were selected"`
	Noise    int64 `json:"noise" jsonschema:"rows in none"`
	Largest  int64 `json:"largest" jsonschema:"rows of the largest cluster"`
	Nodes    int64 `json:"nodes" jsonschema:"nodes of the condensed tree"`
	Splits   int64 `json:"splits" jsonschema:"nodes that split"`
	Infinite int64 `json:"infinite" jsonschema:"clusters whose stability is infinite, as that of duplicates"`

	DBCV *report.Float `json:"dbcv,omitempty" jsonschema:"density-based validity of the clustering, with --validity; null without clusters"`
}

type merges struct {
	Merges   int64 `json:"merges" jsonschema:"nodes of the tree of all rows"`
	Multiway int64 `json:"multiway_nodes" jsonschema:"nodes of it that join more than two"`
}

type inverseLengths struct {
	Unit string `json:"stability_unit" jsonschema:"unit of stability, that of inverse lengths"`
}

type selected struct {
	Selected []Selected `json:"selected" jsonschema:"the clusters"`
}

// A Selected is a cluster.
type Selected struct {
	Label       int64        `json:"label" jsonschema:"its label"`
	Node        int64        `json:"node" jsonschema:"its node of the condensed tree"`
	Size        int64        `json:"size" jsonschema:"rows"`
	Stability   report.Float `json:"stability" jsonschema:"sum over its rows of how long they stay, in inverse lengths"`
	Birth       report.Float `json:"birth" jsonschema:"height at which it splits off"`
	Death       report.Float `json:"death" jsonschema:"height at which it ends"`
	Persistence report.Float `json:"persistence" jsonschema:"share of its height that it lasts"`
}

type bySize struct {
	Sizes []Sized `json:"sizes" jsonschema:"what each of several --min-cluster-size finds"`
}

// A Sized is what one of several --min-cluster-size finds.
type Sized struct {
	Size float64 `json:"min_cluster_size" jsonschema:"the size"`
	Found
}
