package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"skyjoin/internal/column"
	"skyjoin/internal/squares"
	"skyjoin/neighbors"
)

// Options say where a tile is computed.
type Options struct {
	Joiner  neighbors.Joiner // nil: the CPU
	Threads int
	Memory  int64
	Again   bool // compute it also if its piece is there
	// Progress, if set, is called with the number of rows done in a stage; calls may overlap.
	Progress func(stage string, done, total int64)
}

// A Piece is what is known of a tile that is done.
type Piece struct {
	Plan    string  `json:"plan"` // of which plan it is
	Tile    int     `json:"tile"`
	Rows    []int64 `json:"rows"`  // own rows that can be used, of each set
	Halo    []int64 `json:"halo"`  // rows of other tiles
	First   []int64 `json:"first"` // lowest and highest own row, of each set
	Last    []int64 `json:"last"`
	Core    int64   `json:"core,omitempty"`
	Found   int64   `json:"found,omitempty"` // dbscan: neighbours of own rows; match: candidates; hist and corr: pairs in bins, of one catalog from both rows
	Seconds float64 `json:"seconds"`         // wall time

	Read map[string]string `json:"read,omitempty"` // hashes of the parts that were read, by set/part

	AmbiguousA int64 `json:"ambiguous_a,omitempty"`
	AmbiguousB int64 `json:"ambiguous_b,omitempty"`

	Warning string `json:"warning,omitempty"` // coordinates whose squared distances are of no use
}

// piecePath is the folder of the piece of a tile.
func (p *Plan) piecePath(tile int) string {
	return filepath.Join(p.dir, tilesDir, fmt.Sprintf("%05d", tile))
}

func (p *Plan) failedPath(tile int) string { return p.piecePath(tile) + ".failed" }

const pieceFile = "tile.json"

// piece returns the piece of a tile, nil if it is not done.
func (p *Plan) piece(tile int) (*Piece, error) {
	var q Piece
	err := readJSON(filepath.Join(p.piecePath(tile), pieceFile), &q)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case q.Plan != p.id || q.Tile != tile || len(q.Rows) != len(p.Sets) || len(q.Halo) != len(p.Sets) || len(q.First) != len(p.Sets) || len(q.Last) != len(p.Sets):
		return nil, planf("%s is of another plan; remove it, or run the tile with --force", p.piecePath(tile))
	}
	return &q, nil
}

// Note records why a tile has failed, for Status. It returns no error, because a
// failure to record the reason must not hide it.
func (p *Plan) Note(tile int, err error) {
	text := strings.TrimPrefix(err.Error(), ErrPlan.Error()+": ")
	_ = writeFile(p.failedPath(tile), []byte(text+"\n"))
}

// warn notes coordinates whose squared distances are of no use.
func (q *Piece) warn(p *Plan, sets []*rows, threads int) {
	q.Warning = squares.BadOf(threads, p.metric(), p.Sets[0].Columns, func(j int) (sides []column.Column) {
		for _, r := range sets {
			sides = append(sides, column.Column(r.cols[j]))
		}
		return sides
	})
}

// Warnings returns what the finished tiles warn of, each warning once.
func (p *Plan) Warnings() (texts []string) {
	for i := range p.Tiles {
		if q, err := p.piece(i); err == nil && q != nil && q.Warning != "" && !slices.Contains(texts, q.Warning) {
			texts = append(texts, q.Warning)
		}
	}
	return texts
}

// note counts the rows of a set.
func (q *Piece) note(r *rows) {
	own, first, last := int64(0), int64(-1), int64(-1)
	for i, o := range r.own {
		if !o {
			continue
		}
		if own++; first < 0 {
			first = r.row[i]
		}
		last = r.row[i]
	}
	q.Rows, q.Halo = append(q.Rows, own), append(q.Halo, int64(len(r.own))-own)
	q.First, q.Last = append(q.First, first), append(q.Last, last)
}
