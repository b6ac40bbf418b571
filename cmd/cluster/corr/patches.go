package corr

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/each"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

// A patching is a --patches flag.
type patching struct {
	kind   string // "" none
	n      int
	column string
}

// patchesFlag is the text of a --patches flag.
type patchesFlag string

func (f *patchesFlag) String() string { return string(*f) }

func (f *patchesFlag) Type() string { return "string" }

func (f *patchesFlag) Set(s string) error { *f = patchesFlag(s); return nil }

// Kind is that of the patches; K, with or without kmeans, is one.
func (f *patchesFlag) Kind() string {
	p, _ := parsePatching(string(*f)) // errors are reported elsewhere
	if p.kind == "kmeans" {
		return "K"
	}
	return p.kind
}

// parsePatching reads K, kmeans:K, healpix:NSIDE, cells:N or column:NAME.
func parsePatching(text string) (patching, error) {
	if text == "" {
		return patching{}, nil
	}
	kind, rest, ok := strings.Cut(text, ":")
	if !ok {
		kind, rest = "kmeans", text
	}
	p := patching{kind: kind}
	switch kind {
	case "column":
		p.column = rest
		return p, nil
	case "kmeans", "healpix", "cells":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			return p, exit.Usagef("--patches %s: %q is not a whole number of at least 1", text, rest)
		}
		if kind == "kmeans" && n < 2 {
			return p, exit.Usagef("--patches %s: at least 2 patches are needed", text)
		}
		p.n = n
		return p, nil
	}
	return p, exit.Usagef("--patches %s: it is K or kmeans:K, healpix:NSIDE, cells:N, or column:NAME", text)
}

// assign gives every row of both samples its patch and returns how many there
// are, 0 without patches.
func (p patching) assign(ctx context.Context, j *job.Job, data, random *stats2b.Sample, seed uint64) (int, error) {
	switch p.kind {
	case "":
		return 0, nil
	case "column":
		return p.fromColumns(ctx, j, data, random)
	}
	return exit.Await(ctx, func() (int, error) {
		made, err := p.patches(j.Metric, data.Points, random.Points, seed)
		if err != nil {
			return 0, err
		}
		for _, s := range []*stats2b.Sample{data, random} {
			if s.Patch, err = made.Assign(s.Points, j.Run.Count()); err != nil {
				return 0, err
			}
		}
		return made.Len(), nil
	})
}

// patches makes patches of positions. The k-means centres are those of the randoms,
// which are more numerous and even.
func (p patching) patches(m neighbors.Metric, data, random *neighbors.Points, seed uint64) (*stats2b.Patching, error) {
	switch p.kind {
	case "kmeans":
		return stats2b.KMeansPatches(p.n, m, random, seed)
	case "healpix":
		return stats2b.PixelPatches(p.n, m, data, random)
	}
	return stats2b.CellPatches(p.n, m, data, random)
}

// fromColumns takes patches from a column of whole numbers, numbered in the
// order of these.
func (p patching) fromColumns(ctx context.Context, j *job.Job, data, random *stats2b.Sample) (int, error) {
	seen := map[int64]int32{}
	var values [2][]int64
	for i, side := range j.Sides() {
		v, err := wholeNumbers(ctx, side, p.column)
		if err != nil {
			return 0, err
		}
		values[i] = v
		for _, x := range v {
			seen[x] = 0
		}
	}
	for i, x := range slices.Sorted(maps.Keys(seen)) {
		seen[x] = int32(i)
	}
	for i, s := range []*stats2b.Sample{data, random} {
		s.Patch = each.Of(values[i], func(x int64) int32 { return seen[x] })
	}
	if len(seen) < 2 {
		return 0, exit.Usagef("--patches column:%s: resampling needs at least 2 patches; the column has %d", p.column, len(seen))
	}
	return len(seen), nil
}

// wholeNumbers reads a column of the selected rows.
func wholeNumbers(ctx context.Context, s *job.Side, name string) ([]int64, error) {
	f, err := s.Cat.Field(name)
	if err != nil {
		return nil, err
	}
	if !f.Type.IsNumber() {
		return nil, exit.Usagef("--patches column:%s: the column is %s, patches are whole numbers", name, f.Text)
	}
	cols, err := job.ReadColumns(ctx, s.Cat, name)
	if err != nil {
		return nil, err
	}
	col, err := columns.Integers(&cols[0], s.Sel)
	if err != nil {
		return nil, exit.Usagef("--patches column:%s: %s", name, exit.Message(err))
	}
	out := make([]int64, s.Sel.Points.Len())
	for i := range out {
		row := job.CatalogRow(s.Sel, uint32(i))
		switch {
		case col.IsNull(int(row)):
			return nil, exit.Usagef("--patches column:%s: row %d is null", name, row)
		case col.Int64 != nil:
			out[i] = col.Int64[row]
		default:
			out[i] = int64(col.Uint64[row])
		}
	}
	return out, nil
}
