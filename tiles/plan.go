package tiles

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"skyjoin/internal/healpix"
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

	Radius float64 `json:"radius"` // how far apart rows matter to each other, in the unit of the metric
	DBSCAN *DBSCAN `json:"dbscan,omitempty"`
	Match  *Match  `json:"match,omitempty"`
	Hist   *Hist   `json:"hist,omitempty"`
	Corr   *Corr   `json:"corr,omitempty"`

	Metadata []catalog.KeyValue `json:"metadata"`        // of the files with the answer
	Flags    json.RawMessage    `json:"flags,omitempty"` // what a front end wants to remember

	Staged bool      `json:"staged"`         // whether the rows of tiles are in the folder
	Cuts   []int64   `json:"cuts,omitempty"` // on the sky: tile i has the cells [Cuts[i], Cuts[i+1]) of order 29
	Tree   []BoxNode `json:"tree,omitempty"` // else
	Tiles  []Tile    `json:"-"`
	dir    string
	id     string
	parts  [][]catalog.Part // of each set
	reads  [][][]int        // reads[tile][set] are parts
}

// A Set is a catalog and how it is read.
type Set struct {
	Files   []File               `json:"files"`
	Rows    int64                `json:"rows"`
	Null    []string             `json:"null,omitempty"`
	Define  []catalog.Definition `json:"define,omitempty"`
	Where   string               `json:"where,omitempty"`
	Strict  bool                 `json:"strict,omitempty"`
	Columns []string             `json:"columns"`
	Units   []string             `json:"units"` // of Columns, as points have them
	Sky     bool                 `json:"sky,omitempty"`
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

// A DBSCAN says what clustering is computed.
type DBSCAN struct {
	MinPoints float64 `json:"min_points"`
	Star      bool    `json:"star"`
	Border    string  `json:"border"`
	Counts    bool    `json:"counts"`
}

// A Tile is what a plan expects of a tile.
type Tile struct {
	Rows    int64   // own rows, of all sets
	Halo    int64   // rows of others that it reads
	Memory  int64   // bytes
	Seconds float64 // of one CPU thread
	Read    int64   // rows of the files that it has to decode
}

// version is that of the format of plans and pieces.
const version = 3

// ErrPlan marks folders that are no plan, and plans whose inputs have changed.
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

// Open reads the plan in a folder.
func Open(ctx context.Context, dir string) (*Plan, error) {
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return nil, planf("%s is a file; a plan is a folder, which 'cluster plan' makes", dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, planf("%s holds no %s; 'cluster plan' makes one", dir, planFile)
	}
	if err != nil {
		return nil, err
	}
	p := &Plan{dir: dir}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(p); err != nil {
		return nil, planf("%s: %v", filepath.Join(dir, planFile), err)
	}
	if p.Version != version {
		return nil, planf("%s is of version %d of plans, this program knows %d; make the plan anew", dir, p.Version, version)
	}
	sum := sha256.Sum256(text)
	p.id = hex.EncodeToString(sum[:8])
	if err := p.check(); err != nil {
		return nil, err
	}
	return p, p.readTables(ctx)
}

// check refuses plans that were tampered with, before anything relies on them.
func (p *Plan) check() error {
	bad := planf("%s is damaged; make the plan anew", filepath.Join(p.dir, planFile))
	if c, ok := commands[p.Command]; !ok || !c.fits(p) || !(p.Radius > 0) {
		return bad
	}
	for _, s := range p.Sets {
		if len(s.Columns) == 0 || len(s.Narrow) != len(s.Columns) || len(s.Units) != len(s.Columns) {
			return bad
		}
	}
	if p.Metric.onSky() {
		if len(p.Cuts) < 2 || p.Cuts[0] != 0 || p.Cuts[len(p.Cuts)-1] != healpix.Cells(healpix.MaxOrder) {
			return bad
		}
		for i := range len(p.Cuts) - 1 {
			if p.Cuts[i] > p.Cuts[i+1] {
				return bad
			}
		}
		return nil
	}
	leaves := 0
	for i, n := range p.Tree { // children come after their parents
		switch {
		case n.Axis >= 0 && (n.Left <= i || n.Right <= i || n.Left >= len(p.Tree) || n.Right >= len(p.Tree)):
			return bad
		case n.Axis < 0 && n.Left != leaves:
			return bad
		case n.Axis < 0:
			leaves++
		}
	}
	if leaves == 0 {
		return bad
	}
	return nil
}

// division returns the division of the plan; only is a tile or -1.
func (p *Plan) division(only int) division {
	if !p.Metric.onSky() {
		return newBoxDivision(p.Metric, p.Tree, p.Radius)
	}
	return newSkyDivision(p.Cuts, p.Metric.angle(p.Radius), only)
}

// owner returns a function that tells which tile has a row, without the tree
// that halos are found by.
func (p *Plan) owner(points *neighbors.Points) func(row uint32) int64 {
	if p.Metric.onSky() {
		d := &skyDivision{cuts: p.Cuts}
		return func(row uint32) int64 {
			return int64(d.tile(cellOf(points.Column(0).At(int(row)), points.Column(1).At(int(row)))))
		}
	}
	d, s := newBoxDivision(p.Metric, p.Tree, 0), &scratch{}
	return func(row uint32) int64 {
		o, _ := d.place(points, int(row), s)
		return int64(o)
	}
}

// request is what is read of a set.
func (p *Plan) request(set int) catalog.Request {
	s := &p.Sets[set]
	m := Metric{Kind: p.Metric.Kind, Sides: p.Metric.Sides} // scales do not matter
	return catalog.Request{
		Columns: s.Columns, Metric: m.Metric(), Sky: s.Sky,
		Weights: s.Weights, Where: s.Where, Strict: s.Strict, Empty: true,
	}
}

// files describes the files of a catalog as they are now.
func files(cat *catalog.Catalog) ([]File, error) {
	var out []File
	for _, f := range cat.Files() {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			return nil, err
		}
		d, err := describe(path)
		if err != nil {
			return nil, err
		}
		d.Rows, d.Extension = f.Rows, f.Extension
		out = append(out, d)
	}
	return out, nil
}

// hashed is how much of the beginning and of the end of a file is hashed: the
// footer of a Parquet file tells of every change that a writer makes.
const hashed = 64 << 10

func describe(path string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return File{}, err
	}
	h := sha256.New()
	_, err = io.Copy(h, io.NewSectionReader(f, 0, min(hashed, st.Size())))
	if err == nil {
		_, err = io.Copy(h, io.NewSectionReader(f, max(0, st.Size()-hashed), hashed))
	}
	if err != nil {
		return File{}, err
	}
	return File{
		Path: path, Bytes: st.Size(), Modified: st.ModTime().UTC().Format("2006-01-02T15:04:05.999999999Z07:00"),
		Hash: hex.EncodeToString(h.Sum(nil)[:16]),
	}, nil
}

// open opens a file of a set as the plan read it.
func (s *Set) open(ctx context.Context, file, threads int) (*catalog.Catalog, error) {
	return catalog.Open(ctx, []string{s.Files[file].name()}, s.Options(threads))
}

// Options are those that the catalog was opened with.
func (s *Set) Options(threads int) catalog.Options {
	return catalog.Options{Null: s.Null, Define: s.Define, Threads: threads}
}

// Names returns what catalog.Open is told to open the set.
func (s *Set) Names() []string {
	var names []string
	for i := range s.Files {
		names = append(names, s.Files[i].name())
	}
	return names
}

func (f *File) name() string { return catalog.File{Path: f.Path, Extension: f.Extension}.Name() }

// Unchanged reports whether the inputs of a set are what they were when the
// plan was made.
func (s *Set) Unchanged() error {
	for i := range s.Files {
		if err := s.Files[i].unchanged(); err != nil {
			return err
		}
	}
	return nil
}

// unchanged reports whether an input is what it was when the plan was made.
func (f *File) unchanged() error {
	now, err := describe(f.Path)
	if err != nil {
		return err
	}
	switch {
	case now.Bytes != f.Bytes:
		return planf("%s has %d bytes, it had %d when the plan was made; make the plan anew", f.Path, now.Bytes, f.Bytes)
	case now.Hash != f.Hash || now.Modified != f.Modified:
		return planf("%s was changed at %s, after the plan was made; make the plan anew", f.Path, now.Modified)
	}
	return nil
}
