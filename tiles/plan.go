package tiles

import (
	"encoding/json"
	"errors"
	"fmt"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A Plan says how an answer is computed in tiles. It is kept in a folder as
// plan.json, tiles.parquet, parts.parquet and reads.parquet.
type Plan struct {
	Version int    `json:"version"`
	Command string `json:"command"` // dbscan, match, hist or corr
	Sets    []Set  `json:"sets"`    // the catalogs: one, or two, as a match has
	Metric  Metric `json:"metric"`

	Radius float64 `json:"radius"` // how far apart two rows can be and affect each other, in the unit of the metric
	DBSCAN *DBSCAN `json:"dbscan,omitempty"`
	Match  *Match  `json:"match,omitempty"`
	Hist   *Hist   `json:"hist,omitempty"`
	Corr   *Corr   `json:"corr,omitempty"`

	Metadata []catalog.KeyValue `json:"metadata"`        // of the files that the answer is written to
	Flags    json.RawMessage    `json:"flags,omitempty"` // what a front end wants to keep

	Staged bool   `json:"staged"` // whether the folder has copies of the rows of the tiles
	Tiles  []Tile `json:"-"`

	dir string
	id  string
	// cuts are where tiles begin on the sky: tile i has the cells
	// [cuts[i], cuts[i+1]) of order 29. Elsewhere tiles are the leaves of tree.
	cuts  []int64
	tree  []boxNode
	parts [][]catalog.Part // of each set
	reads [][][]int        // reads[tile][set] are parts
}

// A storedPlan is plan.json.
type storedPlan struct {
	*Plan
	Cuts []int64   `json:"cuts,omitempty"`
	Tree []boxNode `json:"tree,omitempty"`
}

// A Set is a catalog and how it is read.
type Set struct {
	Files   []File               `json:"files"`
	Rows    int64                `json:"rows"`
	Format  string               `json:"format,omitempty"`
	Labels  []string             `json:"names,omitempty"` // of columns of text without
	Null    []string             `json:"null,omitempty"`
	Define  []catalog.Definition `json:"define,omitempty"`
	Where   string               `json:"where,omitempty"`
	Strict  bool                 `json:"strict,omitempty"`
	Empty   bool                 `json:"empty,omitempty"` // whether it may be without a usable row
	Columns []string             `json:"columns"`
	Units   []string             `json:"units"` // of Columns, as points have them
	Sky     bool                 `json:"sky,omitempty"`
	Assumed []string             `json:"assumed_units,omitempty"` // of RA and Dec, where the files do not say
	Frame   string               `json:"frame,omitempty"`
	Narrow  []bool               `json:"narrow"` // which of Columns are float32
	Weights string               `json:"weights,omitempty"`
	Largest float64              `json:"largest_weight,omitempty"`
}

// A File is an input as it was when the plan was made.
type File struct {
	Path      string `json:"path"`
	Extension string `json:"extension,omitempty"` // of a FITS file
	Rows      int64  `json:"rows"`
	Bytes     int64  `json:"bytes"`
	Modified  string `json:"modified"` // time, RFC 3339 with nanoseconds
	Hash      string `json:"hash"`     // SHA-256 of the first and the last 64 KiB
}

// A Tile is what a plan expects of a tile.
type Tile struct {
	Rows    int64   // own rows, of all sets
	Halo    int64   // rows of other tiles that it reads
	Memory  int64   // bytes
	Seconds float64 // of one CPU thread
	Read    int64   // rows of the files that it has to decode
}

// version is the version of the format of plans and pieces.
const version = 4

// ErrPlan marks folders that hold no plan, and plans whose inputs have changed.
var ErrPlan = errors.New("unusable plan")

func planf(format string, a ...any) error {
	return fmt.Errorf("%w: %w", ErrPlan, fmt.Errorf(format, a...))
}

// Dir returns the folder of the plan.
func (p *Plan) Dir() string { return p.dir }

// Rows returns the rows of all sets.
func (p *Plan) Rows() (rows int64) {
	for _, s := range p.Sets {
		rows += s.Rows
	}
	return rows
}

// division returns the division of the plan; only is a tile or -1.
func (p *Plan) division(only int) division {
	if !p.Metric.onSky() {
		return newBoxDivision(p.Metric, p.tree, p.Radius)
	}
	return newSkyDivision(p.cuts, p.Metric.angle(p.Radius), only)
}

// owner returns a function that tells which tile owns a row. It needs no tree,
// because it does not find halos.
func (p *Plan) owner(points *neighbors.Points) func(row uint32) int64 {
	if p.Metric.onSky() {
		d := &skyDivision{cuts: p.cuts}
		return func(row uint32) int64 {
			return int64(d.tile(cellOf(points.Column(0).At(int(row)), points.Column(1).At(int(row)))))
		}
	}
	d, s := newBoxDivision(p.Metric, p.tree, 0), &scratch{}
	return func(row uint32) int64 {
		o, _ := d.place(points, int(row), s)
		return int64(o)
	}
}

// request returns what is read of a set.
func (p *Plan) request(set int) catalog.Request {
	s := &p.Sets[set]
	m := Metric{Kind: p.Metric.Kind, Sides: p.Metric.Sides} // scales do not matter
	return catalog.Request{
		Columns: s.Columns, Metric: m.Metric(), Sky: s.Sky, Units: s.Assumed, Frame: s.Frame,
		Weights: s.Weights, Where: s.Where, Strict: s.Strict, Empty: true,
	}
}

// metric returns the metric of the plan.
func (p *Plan) metric() neighbors.Metric { return p.Metric.Metric() }
