package match

import (
	"context"
	"strings"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

// within finds groups of rows of one catalog.
func (o *Options) within(ctx context.Context, a *job.App, paths []string) error {
	if o.radius.Text == "" && !o.errors.given() {
		return exit.Usagef("--radius is needed, as in --radius 1.5arcsec; or --error-a")
	}
	if len(o.keep) > 0 && o.action.Value == "identify" {
		return exit.Usagef("--keep %s: --action identify writes all columns", &o.keep)
	}
	j, err := o.begin(ctx, a, paths)
	if err != nil {
		return err
	}
	defer j.Close()
	if err := o.epochs.checkOne(j); err != nil {
		return err
	}
	if err := j.Load(ctx, o.errors.a, ""); err != nil {
		return err
	}
	p := j.Parameters()
	p.Length("radius", o.radius)
	p.Length("min-radius", o.least)
	o.errors.describe(p)
	o.epochs.describe(p)
	p.Text("action", o.action.Value)
	points, err := o.epochs.move(ctx, j)
	if err != nil {
		return err
	}
	opt := match.Options{Radius: o.searchRadius, Min: o.smallestRadius, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes}
	if err := o.errors.rule(&opt); err != nil {
		return err
	}
	if opt.ErrorA, _, err = o.errors.radii(j, o.radius); err != nil {
		return err
	}
	g, err := findGroups(ctx, j, points[0], opt)
	if err != nil {
		return err
	}
	if err := o.writeGroups(ctx, j, g); err != nil {
		return err
	}
	j.Sum.Result.Add(Groups{g.pairs, int64(len(g.size)), g.rows, g.largest})
	return j.Finish(ctx)
}

// groups are the rows that are within the radius of each other, directly or
// through others.
type groups struct {
	of      []int32 // group of each point, -1 for none
	size    []int64 // of each group, at least 2
	first   []bool  // whether a point is the first of its group
	rows    int64   // in groups
	largest int64
	pairs   int64
}

// findGroups finds the groups of points. Those within a radius alone are the
// clusters of a clustering in which every point is core.
func findGroups(ctx context.Context, j *job.Job, points *neighbors.Points, opt match.Options) (*groups, error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	if points.Len() == 0 {
		return &groups{}, nil
	}
	find := byRadius
	if opt.Min > 0 || opt.ErrorA != nil {
		find = byMatches
	}
	found, err := find(ctx, j, points, opt)
	if err != nil {
		return nil, err
	}
	g := &groups{of: found.Of, size: found.Sizes, pairs: found.Pairs, first: make([]bool, len(found.Of))}
	for _, n := range g.size {
		g.rows += n
		g.largest = max(g.largest, n)
	}
	seen := make([]bool, len(g.size))
	for i, n := range g.of {
		if n >= 0 && !seen[n] {
			g.first[i], seen[n] = true, true
		}
	}
	return g, nil
}

// byMatches finds groups by all criteria.
func byMatches(ctx context.Context, j *job.Job, points *neighbors.Points, opt match.Options) (*match.Groups, error) {
	phase := j.Rep.Phase("neighbours", int64(points.Len()))
	defer phase.End()
	opt.Progress = phase.Add
	return job.Compute(ctx, j, points.Len(), func(joiner neighbors.Joiner) (*match.Groups, error) {
		opt.Joiner = joiner
		return match.Within(ctx, points, j.Metric, opt)
	})
}

// byRadius finds groups by a radius.
func byRadius(ctx context.Context, j *job.Job, points *neighbors.Points, opt match.Options) (*match.Groups, error) {
	report, end := j.Rep.Stages()
	defer end()
	j.Eps = opt.Radius
	join := j.Join(report)
	res, err := job.Compute(ctx, j, points.Len(), func(joiner neighbors.Joiner) (*dbscan.Result, error) {
		return dbscan.Run(ctx, points, j.Metric, opt.Radius, dbscan.Options{
			MinPoints: 1, Joiner: joiner, Threads: join.Threads, Memory: join.Memory, Progress: join.Progress,
		})
	})
	if err != nil {
		return nil, err
	}
	j.Sum.Algorithm = string(res.Algorithm)
	g := &match.Groups{Pairs: res.Pairs, Of: make([]int32, len(res.Labels))}
	number := make([]int32, len(res.Sizes))
	for c, n := range res.Sizes {
		if number[c] = -1; n > 1 {
			number[c] = int32(len(g.Sizes))
			g.Sizes = append(g.Sizes, n)
		}
	}
	for i, l := range res.Labels {
		g.Of[i] = number[l]
	}
	return g, nil
}

func (o *Options) writeGroups(ctx context.Context, j *job.Job, g *groups) error {
	if o.Out.Output == "" {
		return nil
	}
	defer j.Timed(&j.Sum.Seconds.Write)()
	if o.action.Value == "identify" {
		return j.Append(ctx, g.columns(j.Sel))
	}
	return o.writeRest(ctx, j, g)
}

// columns are the groups of the rows that are in one.
func (g *groups) columns(sel *catalog.Selection) []table.Column {
	id := table.Column{Name: "group_id", Int32: []int32{}, Rows: []uint32{}, Description: "number of the group, null for a row alone"}
	size := table.Column{Name: "group_size", Int64: []int64{}, Description: "rows of the group"}
	for i, n := range g.of {
		if n >= 0 {
			id.Rows = append(id.Rows, uint32(job.CatalogRow(sel, uint32(i))))
			id.Int32 = append(id.Int32, n)
			size.Int64 = append(size.Int64, g.size[n])
		}
	}
	size.Rows = id.Rows
	return []table.Column{id, size}
}

// writeRest writes the rows that --action keeps: those in no group, rows
// without a position among them, and with keep1 the first of each group.
func (o *Options) writeRest(ctx context.Context, j *job.Job, g *groups) error {
	dropped := make(map[int64]bool, g.rows)
	for i, n := range g.of {
		if n >= 0 && !(o.action.Value == "keep1" && g.first[i]) {
			dropped[job.CatalogRow(j.Sel, uint32(i))] = true
		}
	}
	var rows []int64
	for row := range columns.Passed(j.Sel) {
		if !dropped[row] {
			rows = append(rows, row)
		}
	}
	names := []string(o.keep)
	if len(names) == 0 {
		var left []string
		if names, left = columns.Everything(j.Cat, j.Cat); len(left) > 0 {
			j.Sum.Note("left out", leftOut, strings.Join(left, ", "))
		}
	}
	all, err := columns.Keep(names, j.Cat, j.Cat, nil, false, false)
	if err != nil {
		return err
	}
	var own []columns.Kept // a side of its own, under its own name
	for _, k := range all {
		if !k.Second {
			k.Field.Name = k.Name
			own = append(own, k)
		}
	}
	if len(own) == 0 {
		return exit.Usagef("no column of %s can be written: all are lists or of unknown type; --action identify keeps them", j.Cat.Files()[0].Path)
	}
	p := j.Rep.Phase("write", int64(len(rows)))
	defer p.End()
	return writePicked(ctx, j, o.Out.Output, len(rows), own, p.Add, func(lo, hi int) ([]catalog.Column, [2][]int64) {
		return nil, [2][]int64{rows[lo:hi], nil}
	})
}
