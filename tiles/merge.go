package tiles

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"skyjoin/dbscan"
	"skyjoin/internal/each"
	"skyjoin/internal/file"
	"skyjoin/internal/piece"
	"skyjoin/io/catalog"
)

// ErrUnfinished marks a plan some of whose tiles are not done.
var ErrUnfinished = errors.New("unfinished plan")

// An Answer is the merged answer of a clustering; see dbscan.Result.
type Answer struct {
	Plan     string `json:"plan"`
	Rows     int64  `json:"rows"`
	Used     int64  `json:"used"`
	Halo     int64  `json:"halo"` // rows that tiles have read besides their own
	Clusters int64  `json:"clusters"`
	Noise    int64  `json:"noise"`
	Core     int64  `json:"core"`
	Border   int64  `json:"border"`
	Pairs    int64  `json:"pairs"`
	Largest  int64  `json:"largest"`
}

// The files of a merged clustering.
const (
	answerFile  = "answer.json"
	numbersFile = "numbers.parquet" // tile, cluster: of each cluster of each tile, in their order
	bordersFile = "borders.parquet" // tile, row, cluster: of the rows that choose among several
	sizesFile   = "clusters.parquet"
)

// pieces returns the pieces of all tiles, or an error that names the missing ones.
func (p *Plan) pieces() ([]*Piece, error) {
	all := make([]*Piece, len(p.Tiles))
	var missing []string
	why := ""
	for i := range all {
		var err error
		if all[i], err = p.piece(i); err != nil {
			return nil, err
		}
		if all[i] != nil {
			continue
		}
		missing = append(missing, fmt.Sprint(i))
		if text, err := os.ReadFile(p.failedPath(i)); err == nil && why == "" {
			why = fmt.Sprintf("; tile %d failed: %s", i, strings.TrimSpace(string(text)))
		}
	}
	if n := len(missing); n > 0 {
		if n > 20 {
			missing = append(missing[:20], "…")
		}
		return nil, fmt.Errorf("%w: %d of %d tiles are not done: %s%s", ErrUnfinished, n, len(p.Tiles), strings.Join(missing, ", "), why)
	}
	return all, p.agree(all)
}

// Merge puts the pieces of a clustering together. The answer is kept in the folder,
// so that the work is done only once.
func (p *Plan) Merge(ctx context.Context) (*Answer, error) {
	dir := filepath.Join(p.dir, mergedDir)
	var a Answer
	if err := readJSON(filepath.Join(dir, answerFile), &a); err == nil && a.Plan == p.id {
		return &a, nil
	}
	pieces, err := p.pieces()
	if err != nil {
		return nil, err
	}
	border, err := dbscan.ParseBorder(p.DBSCAN.Border)
	if err != nil {
		return nil, err
	}
	a = Answer{Plan: p.id, Rows: p.Rows()}
	in := make([]*piece.Clusters, len(pieces))
	for i, q := range pieces {
		if in[i], err = p.readPiece(ctx, i); err != nil {
			return nil, err
		}
		a.Used += q.Rows[0]
		a.Halo += q.Halo[0]
		a.Core += q.Core
		a.Pairs += q.Found
	}
	if a.Used == 0 && !p.Sets[0].Empty {
		return nil, fmt.Errorf("none of the %d rows can be used", a.Rows)
	}
	a.Pairs /= 2 // each is found from both ends
	m, err := piece.Merge(in, asked{ctx, p}, border == dbscan.BorderNearest)
	if err != nil {
		return nil, err
	}
	a.Clusters = int64(len(m.Sizes))
	members := int64(0)
	for _, n := range m.Sizes {
		members += n
		a.Largest = max(a.Largest, n)
	}
	a.Border, a.Noise = members-a.Core, a.Used-members
	return &a, file.Folder(dir, ofMerged.MatchString, func(tmp string) error {
		var tile, number, borderTile, borderRow, borderCluster []int64
		for i := range in {
			for _, n := range m.Number[i] {
				tile, number = append(tile, int64(i)), append(number, int64(n))
			}
			for k, row := range m.Rows[i] {
				borderTile, borderRow, borderCluster = append(borderTile, int64(i)), append(borderRow, row), append(borderCluster, int64(m.Labels[i][k]))
			}
		}
		if err := writeTables(ctx, tmp, 1, map[string][]catalog.Column{
			numbersFile: {int32s("tile", "", tile), int32s("cluster", "number of the cluster", number)},
			bordersFile: {int32s("tile", "", borderTile), integers("row", "row of the catalog", borderRow), int32s("cluster", "number of the cluster", borderCluster)},
			sizesFile:   {integers("size", "rows of the cluster", m.Sizes)},
		}); err != nil {
			return err
		}
		return writeJSON(filepath.Join(tmp, answerFile), &a)
	})
}

// readPiece reads the clusters of a tile, which piece.Merge needs of all tiles at once.
func (p *Plan) readPiece(ctx context.Context, tile int) (*piece.Clusters, error) {
	c, err := p.readPart(ctx, tile, lowestFile, "lowest", "size")
	if err != nil {
		return nil, err
	}
	q := &piece.Clusters{Lowest: c[0].Int64, Sizes: c[1].Int64}
	if c, err = p.readPart(ctx, tile, sharedFile, "row", "cluster"); err != nil {
		return nil, err
	}
	q.Shared, q.Cluster = c[0].Int64, each.Of(c[1].Int64, func(v int64) int32 { return int32(v) })
	return q, nil
}

// readPart reads a table of the piece of a tile.
func (p *Plan) readPart(ctx context.Context, tile int, name string, columns ...string) ([]catalog.Column, error) {
	return readTable(ctx, filepath.Join(p.piecePath(tile), name), columns...)
}

// asked reads what the tiles of a plan ask of others.
type asked struct {
	ctx context.Context
	p   *Plan
}

func (a asked) Links(tile int) ([]piece.Link, error) {
	c, err := a.p.readPart(a.ctx, tile, linksFile, "row", "tile", "cluster")
	if err != nil {
		return nil, err
	}
	return each.To(len(c[0].Int64), func(i int) piece.Link {
		return piece.Link{Row: c[0].Int64[i], Tile: int32(c[1].Int64[i]), Cluster: int32(c[2].Int64[i])}
	}), nil
}

func (a asked) Choices(tile int) ([]piece.Choice, error) {
	c, err := a.p.readPart(a.ctx, tile, choicesFile, "row", "near", "tile", "cluster", "d2")
	if err != nil {
		return nil, err
	}
	return each.To(len(c[0].Int64), func(i int) piece.Choice {
		return piece.Choice{Row: c[0].Int64[i], Near: c[1].Int64[i], Tile: int32(c[2].Int64[i]), Cluster: int32(c[3].Int64[i]), D2: c[4].Float64[i]}
	}), nil
}
