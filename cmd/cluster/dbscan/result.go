package dbscan

import (
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/dbscan"
	"skyjoin/internal/each"
)

// Result is that of the command.
type Result struct {
	tiled.Clustering
	*tiled.Halos // of a run in tiles
	*job.Lengths
	*described
	*report.Wrapping
	*job.Panels
}

type described struct {
	Largest []Cluster `json:"largest_clusters" jsonschema:"the largest clusters, 100 at most; --clusters writes all"`
}

// A Cluster is what a summary says of a cluster.
type Cluster struct {
	Cluster    int64                   `json:"cluster" jsonschema:"its label"`
	Size       int64                   `json:"size" jsonschema:"rows"`
	Core       int64                   `json:"core" jsonschema:"core rows"`
	Center     map[string]report.Float `json:"center" jsonschema:"mean of each coordinate; null of a cluster that goes round a periodic box"`
	Std        map[string]report.Float `json:"std" jsonschema:"standard deviation of each coordinate about the center"`
	Extent     report.Float            `json:"extent" jsonschema:"largest distance of a row from the center"`
	Nearest    *int64                  `json:"nearest" jsonschema:"label of the cluster with the nearest center"`
	Separation report.Float            `json:"separation" jsonschema:"distance to its center"`
}

// mostListed is how many clusters JSON lists.
const mostListed = 100

// largest lists the largest clusters.
func (d *description) largest() []Cluster {
	return each.Of(d.bySize(mostListed), func(c dbscan.Cluster) Cluster {
		is := Cluster{Cluster: int64(c.Label), Size: c.Size, Core: c.Core, Center: map[string]report.Float{}, Std: map[string]report.Float{}, Extent: report.Float(c.Extent), Separation: report.Float(c.Separation)}
		for i, f := range d.fields {
			is.Center[f.Name], is.Std[f.Name] = report.Float(c.Centre[i]), report.Float(c.Deviation[i])
		}
		if c.Nearest != dbscan.Noise {
			is.Nearest = new(int64(c.Nearest))
		}
		return is
	})
}
