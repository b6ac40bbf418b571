package page

import (
	"compress/flate"
	"io"
	"math"
)

// A Head is what all pages of one chart begin with.
type Head struct {
	Title string `json:"title"`
	About string `json:"about"` // a line below it
	File  string `json:"file"`  // name of the page
	Unit  string `json:"unit"`  // of distances in flags, "" for none
	Label string `json:"label"` // of distances on axes

	Record string `json:"-"` // what the file says about itself, as XMP

	// Command is the arguments to which those of what is chosen are added.
	Command []string `json:"command"`
}

// A Scan is a page of what DBSCAN finds over radii, of which one can be chosen.
type Scan struct {
	Head
	Steps  []ScanStep `json:"steps"` // ascending
	Found  bool       `json:"found"` // there is a plateau
	First  int        `json:"first"` // step of it
	Last   int        `json:"last"`
	Chosen int        `json:"chosen"`
}

// A ScanStep is what is found at one radius, in shares of all rows.
type ScanStep struct {
	Epsilon   float64  `json:"eps"`
	Text      string   `json:"text"` // as a flag has it
	Clusters  int      `json:"clusters"`
	Clustered float64  `json:"clustered"`
	Largest   float64  `json:"largest"`
	Stability *float64 `json:"stability"` // nil: none
}

// Write writes the page.
func (s *Scan) Write(w io.Writer) error {
	return write(w, s.Title, s.Record, nil, struct {
		Kind string `json:"kind"`
		*Scan
	}{"scan", s})
}

// A Reachability is a page of the reachability of rows in the order of OPTICS, cut at a
// distance that can be chosen.
type Reachability struct {
	Head
	Reachability []float64 // in the order
	Core         []float64 // core distances, in the order
	Labels       []int32   // in the order, negative for noise; nil: none
}

// Write writes the page. Distances are embedded as float32.
func (r *Reachability) Write(w io.Writer) error {
	rows := len(r.Reachability)
	floats := func(name string, values []float64) block {
		return block{name, flate.HuffmanOnly, func(w io.Writer) error {
			return writePlanes(w, rows, 4, func(i int) uint32 { return math.Float32bits(float32(values[i])) })
		}}
	}
	blocks := []block{floats("reach", r.Reachability), floats("core", r.Core)}
	if r.Labels != nil {
		blocks = append(blocks, labelBlock(r.Labels, rows))
	}
	return write(w, r.Title, r.Record, blocks, struct {
		Kind string `json:"kind"`
		Head
		Rows     int  `json:"rows"`
		Labelled bool `json:"labelled"`
	}{"reachability", r.Head, rows, r.Labels != nil})
}

// A Tree is a page of a condensed tree, of which a cluster or a distance can be chosen.
type Tree struct {
	Head
	Clusters []TreeCluster `json:"clusters"` // parents before their children, the root first
	Labels   Label         `json:"labels"`   // column of the selected clusters
}

// A TreeCluster is a cluster of a condensed tree.
type TreeCluster struct {
	Parent   int32    `json:"parent"`
	Birth    *float64 `json:"birth"` // distance; nil for the root
	Death    float64  `json:"death"`
	Rows     int64    `json:"rows"`  // at its birth
	Left     int64    `json:"left"`  // at its death
	Selected int32    `json:"label"` // label of a selected cluster, else negative
}

// Write writes the page.
func (t *Tree) Write(w io.Writer) error {
	return write(w, t.Title, t.Record, nil, struct {
		Kind string `json:"kind"`
		*Tree
	}{"tree", t})
}
