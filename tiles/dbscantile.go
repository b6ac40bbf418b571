package tiles

import (
	"context"
	"encoding/binary"
	"path/filepath"

	"skyjoin/dbscan"
	"skyjoin/internal/piece"
	"skyjoin/io/catalog"
)

// The files of a piece of a clustering; see piece.Clusters.
const (
	labelsFile  = "labels.rows"      // of own rows, see writeLabels
	lowestFile  = "clusters.parquet" // lowest, size
	sharedFile  = "shared.parquet"   // row, cluster
	linksFile   = "links.parquet"    // row, tile, cluster
	choicesFile = "choices.parquet"  // row, near, tile, cluster, d2
)

// runDBSCAN clusters the rows of a tile and writes the result to dir.
func (p *Plan) runDBSCAN(ctx context.Context, dir string, sets []*rows, q *Piece, opt *Options) error {
	r := sets[0]
	points, err := r.points()
	if err != nil {
		return err
	}
	border, err := dbscan.ParseBorder(p.DBSCAN.Border)
	if err != nil {
		return err
	}
	o := dbscan.Options{
		MinPoints: p.DBSCAN.MinPoints, Weights: r.weights, Star: p.DBSCAN.Star, Border: border, Counts: p.DBSCAN.Counts,
		Joiner: opt.Joiner, Threads: opt.Threads, Memory: opt.Memory,
	}
	if opt.Progress != nil {
		o.Progress = func(stage dbscan.Stage, done, total int64) { opt.Progress(string(stage), done, total) }
	}
	part := &piece.Local{}
	if points.Len() > 0 {
		if part, err = runPart(ctx, points, r.own, p.metric(), p.Radius, p.Sets[0].Largest, o); err != nil {
			return err
		}
	}
	q.Found = part.Found
	if err := p.writeLabels(dir, r, part, q); err != nil {
		return err
	}
	owner := p.owner(points)
	size := make([]int64, len(part.Lowest))
	for _, label := range part.Labels {
		if label != dbscan.Noise {
			size[label]++
		}
	}
	var lowest, shared, sharedCluster, linkRow, linkTile, linkCluster, row, near, nearTile, cluster []int64
	var d2 []float64
	for _, i := range part.Lowest {
		lowest = append(lowest, r.row[i])
	}
	for _, i := range part.Shared {
		shared, sharedCluster = append(shared, r.row[i]), append(sharedCluster, int64(part.Labels[i]))
	}
	for _, l := range part.Links {
		linkRow, linkTile, linkCluster = append(linkRow, r.row[l.Row]), append(linkTile, owner(l.Row)), append(linkCluster, int64(l.Cluster))
	}
	for _, c := range part.Choices {
		row, near, cluster, d2 = append(row, r.row[c.Row]), append(near, r.row[c.Near]), append(cluster, int64(c.Cluster)), append(d2, c.D2)
		if c.Cluster != dbscan.Noise {
			nearTile = append(nearTile, int64(q.Tile))
		} else {
			nearTile = append(nearTile, owner(c.Near))
		}
	}
	return writeTables(ctx, dir, opt.Threads, map[string][]catalog.Column{
		lowestFile:  {integers("lowest", "lowest core row", lowest), integers("size", "rows", size)},
		sharedFile:  {integers("row", "core row that other tiles ask about", shared), int32s("cluster", "of the tile", sharedCluster)},
		linksFile:   {integers("row", "row of another tile", linkRow), int32s("tile", "that has it", linkTile), int32s("cluster", "of this tile, that it is in if it is core", linkCluster)},
		choicesFile: {integers("row", "row that is not core", row), integers("near", "core row, or row of another tile", near), int32s("tile", "that has it", nearTile), int32s("cluster", "of this tile, or -1", cluster), floats("d2", "", "squared distance", d2)},
	})
}

// labelBlock is the approximate size of a block in a file of labels, in bytes.
const labelBlock = 1 << 20

// coreRow is the flag of a core row in a file of labels.
const coreRow = 1

// writeLabels writes the result for the own rows: whether they are core and, as
// varints, the number of the cluster in the tile plus 1 (0 for noise or undecided
// rows) and, if the plan asks for them, the numbers of neighbours.
func (p *Plan) writeLabels(dir string, r *rows, part *piece.Local, q *Piece) error {
	w := newBlockWriter(filepath.Join(dir, labelsFile), min(labelBlock, 3*len(r.own)), 2*binary.MaxVarintLen64)
	for i, own := range r.own {
		if !own {
			continue
		}
		flags := uint64(0)
		if part.Core[i] {
			flags = coreRow
			q.Core++
		}
		if err := w.begin(r.row[i], flags); err != nil {
			return err
		}
		w.b = binary.AppendUvarint(w.b, uint64(part.Labels[i]+1))
		if p.DBSCAN.Counts {
			w.b = binary.AppendUvarint(w.b, uint64(part.Counts[i]))
		}
	}
	return w.end()
}
