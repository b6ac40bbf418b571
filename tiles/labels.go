package tiles

import (
	"context"
	"path/filepath"
	"slices"

	"skyjoin/dbscan"
	"skyjoin/io/catalog"
)

// Labels are the labels of consecutive rows of a catalog.
type Labels struct {
	First   int64
	Cluster []int32
	Core    []bool
	Counts  []int64 // nil unless the plan has them
	Used    []bool  // whether the row could be used
	All     bool    // all could
}

// A Reader reads the labels of a merged clustering.
type Reader struct {
	p      *Plan
	pieces []*Piece
	number [][]int32 // of the clusters of each tile
	tile   [][]int64 // of each tile, the rows that choose, ascending
	label  [][]int32
}

// Labels returns a reader of the labels of a plan that is merged.
func (p *Plan) Labels(ctx context.Context) (*Reader, error) {
	r := &Reader{p: p, number: make([][]int32, len(p.Tiles)), tile: make([][]int64, len(p.Tiles)), label: make([][]int32, len(p.Tiles))}
	var err error
	if r.pieces, err = p.pieces(); err != nil {
		return nil, err
	}
	dir := filepath.Join(p.dir, mergedDir)
	c, err := readTable(ctx, filepath.Join(dir, numbersFile), "tile", "cluster")
	if err != nil {
		return nil, err
	}
	bad := planf("%s is damaged; remove it and merge again", dir)
	for i, t := range c[0].Int64 {
		if t < 0 || t >= int64(len(p.Tiles)) {
			return nil, bad
		}
		r.number[t] = append(r.number[t], int32(c[1].Int64[i]))
	}
	if c, err = readTable(ctx, filepath.Join(dir, bordersFile), "tile", "row", "cluster"); err != nil {
		return nil, err
	}
	for i, t := range c[0].Int64 {
		if t < 0 || t >= int64(len(p.Tiles)) {
			return nil, bad
		}
		r.tile[t], r.label[t] = append(r.tile[t], c[1].Int64[i]), append(r.label[t], int32(c[2].Int64[i]))
	}
	return r, nil
}

// Read returns the labels of the rows [lo, hi) of the catalog.
func (r *Reader) Read(ctx context.Context, lo, hi int64) (*Labels, error) {
	n := hi - lo
	l := &Labels{First: lo, Cluster: make([]int32, n), Core: make([]bool, n), Used: make([]bool, n)}
	names := []string{"row", "cluster", "core"}
	if r.p.DBSCAN.Counts {
		l.Counts = make([]int64, n)
		names = append(names, "neighbors")
	}
	used := int64(0)
	for t, q := range r.pieces {
		if q.Rows[0] == 0 || q.Last[0] < lo || q.First[0] >= hi {
			continue
		}
		got, err := r.tileRows(ctx, t, names, l)
		if err != nil {
			return nil, err
		}
		used += got
		i, _ := slices.BinarySearch(r.tile[t], lo)
		for ; i < len(r.tile[t]) && r.tile[t][i] < hi; i++ {
			l.Cluster[r.tile[t][i]-lo] = r.label[t][i]
		}
	}
	l.All = used == n
	return l, nil
}

// tileRows takes the labels of a tile.
func (r *Reader) tileRows(ctx context.Context, tile int, names []string, l *Labels) (used int64, err error) {
	path := filepath.Join(r.p.piecePath(tile), labelsFile)
	cat, err := catalog.Open(ctx, []string{path}, catalog.Options{Threads: 1})
	if err != nil {
		return 0, err
	}
	defer cat.Close()
	req := catalog.Request{Columns: []string{"row"}}
	last := l.First + int64(len(l.Cluster)) - 1
	for _, part := range cat.Parts(1) {
		b := cat.Bounds(part, req)[0]
		if b.Hi < float64(l.First) || b.Lo > float64(last) { // rows are below 2^53 by far
			continue
		}
		c, err := cat.Part(part).Read(ctx, names, nil)
		if err != nil {
			return 0, err
		}
		for i, row := range c[0].Int64 {
			if row < l.First || row > last {
				continue
			}
			k := row - l.First
			label := int32(c[1].Int64[i])
			if label != dbscan.Noise {
				if label < 0 || int(label) >= len(r.number[tile]) {
					return 0, planf("%s is damaged; run tile %d again with --force", path, tile)
				}
				label = r.number[tile][label]
			}
			l.Cluster[k], l.Core[k], l.Used[k] = label, c[2].Bool[i], true
			if l.Counts != nil {
				l.Counts[k] = c[3].Int64[i]
			}
			used++
		}
	}
	return used, nil
}
