package tiles

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"skyjoin/dbscan"
)

// Labels are the labels of consecutive rows of a catalog.
type Labels struct {
	First   int64
	Cluster []int32
	Core    []bool
	Counts  []int64 // nil unless the plan has them
	Used    []bool  // whether the row was usable
	All     bool    // all were
}

// A Reader reads the labels of a merged clustering.
type Reader struct {
	p      *Plan
	pieces []*Piece
	number [][]int32 // of each tile: the numbers of its clusters in the whole answer
	tile   [][]int64 // of each tile: the rows whose cluster is chosen in the merge, ascending
	label  [][]int32
}

// Labels returns a reader of the labels of a merged plan.
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
	if r.p.DBSCAN.Counts {
		l.Counts = make([]int64, n)
	}
	used := int64(0)
	for t, q := range r.pieces {
		if q.Rows[0] == 0 || q.Last[0] < lo || q.First[0] >= hi {
			continue
		}
		got, err := r.tileRows(ctx, t, l)
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

// tileRows reads the labels of a tile.
func (r *Reader) tileRows(ctx context.Context, tile int, l *Labels) (used int64, err error) {
	path := filepath.Join(r.p.piecePath(tile), labelsFile)
	end := l.First + int64(len(l.Cluster))
	err = readBlocks(path, l.First, end, func(n int, b []byte) error {
		in := &blockRow{b: b}
		for range n {
			row, flags, err := in.next(1)
			if err != nil {
				return err
			}
			label, err := in.number()
			if err != nil {
				return err
			}
			count := int64(0)
			if l.Counts != nil {
				if count, err = in.number(); err != nil {
					return err
				}
			}
			if row < l.First || row >= end {
				continue
			}
			if label < 0 || label > int64(len(r.number[tile])) {
				return damage("there is no such cluster")
			}
			k := row - l.First
			l.Cluster[k], l.Core[k], l.Used[k] = dbscan.Noise, flags&coreRow != 0, true
			if label > 0 {
				l.Cluster[k] = r.number[tile][label-1]
			}
			if l.Counts != nil {
				l.Counts[k] = count
			}
			used++
		}
		return ctx.Err()
	})
	if errors.Is(err, errDamaged) {
		return 0, planf("%s is damaged (%w); run tile %d again with --force", path, err, tile)
	}
	return used, err
}
