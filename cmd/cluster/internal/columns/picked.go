package columns

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"skyjoin/io/catalog"
)

// Picked are rows of a catalog in any order, some of them more than once or -1, and the
// order in which a scan meets them.
type Picked struct {
	rows  []int64
	order []int32 // places in rows by ascending row, without those that are -1
}

// Places returns the order of rows, of which there are less than 2³¹.
func Places(rows []int64) *Picked {
	p := &Picked{rows, make([]int32, 0, len(rows))}
	sorted := true
	for i, r := range rows {
		if r < 0 {
			continue
		}
		if n := len(p.order); n > 0 && rows[p.order[n-1]] > r {
			sorted = false
		}
		p.order = append(p.order, int32(i))
	}
	if !sorted {
		slices.SortFunc(p.order, func(a, b int32) int { return cmp.Compare(rows[a], rows[b]) })
	}
	return p
}

// Read returns the values of columns in the rows, -1 giving null. It scans the catalog,
// so that no more is in memory than the values and some blocks.
func (p *Picked) Read(ctx context.Context, cat *catalog.Catalog, some []*Kept) ([]catalog.Column, error) {
	out := make([]catalog.Column, len(some))
	for i, k := range some {
		out[i] = Pick(&catalog.Column{Field: k.Field}, k.Field, p.rows)
	}
	if len(p.order) == 0 {
		return out, nil
	}
	scan := catalog.Scan{Columns: Names(some), Skip: func(first, n int64) bool { lo, hi := p.between(first, first+n); return lo == hi }}
	for b, err := range cat.Scan(ctx, scan) {
		if err != nil {
			return nil, err
		}
		lo, hi := p.between(b.First, b.First+b.Rows)
		for i := range out {
			p.take(&out[i], &b.Columns[i], p.order[lo:hi], b.First)
		}
		if hi == len(p.order) {
			break
		}
	}
	return out, nil
}

// between returns which places of the order have rows from first up to end.
func (p *Picked) between(first, end int64) (lo, hi int) {
	at := func(row int64) int {
		return sort.Search(len(p.order), func(i int) bool { return p.rows[p.order[i]] >= row })
	}
	return at(first), at(end)
}

// take copies the values of rows of a block, which begins with row first.
func (p *Picked) take(to, from *catalog.Column, places []int32, first int64) {
	for _, i := range places {
		r := p.rows[i] - first
		switch {
		case to.Float32 != nil:
			to.Float32[i] = from.Float32[r]
		case to.Bool != nil:
			to.Bool[i] = from.Bool[r]
		case to.String != nil:
			to.String[i] = strings.Clone(from.String[r]) // which shares the memory of its block
		case to.Uint64 != nil:
			to.Uint64[i] = from.Uint64[r]
		case to.Int64 != nil:
			to.Int64[i] = from.Int64[r]
		default:
			to.Float64[i] = from.Float64[r]
		}
	}
	if from.Null == nil {
		return
	}
	if to.Null == nil {
		to.Null = make([]bool, len(p.rows))
	}
	for _, i := range places {
		to.Null[i] = from.Null[p.rows[i]-first]
	}
}
