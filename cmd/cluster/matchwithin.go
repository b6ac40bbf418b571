package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

// within finds groups of rows of one catalog.
func (o *matchOptions) within(cmd *cobra.Command, a *app, paths []string) error {
	err := refuseGiven(cmd.Flags(), "belongs to the match of two catalogs, one is named", "find", "join", "k", "error-b", "epoch-b", "pm-b", "unit")
	if err != nil {
		return err
	}
	if o.radius.text == "" && !o.errors.given() {
		return usagef("--radius is needed, as in --radius 1.5arcsec; or --error-a")
	}
	if len(o.keep) > 0 && o.action.value == "identify" {
		return usagef("--keep %s: --action identify writes all columns", &o.keep)
	}
	ctx := cmd.Context()
	d, err := o.begin(ctx, a, paths)
	defer d.close()
	if err != nil {
		return err
	}
	if err := o.epochs.checkOne(d); err != nil {
		return err
	}
	if err := d.loadBoth(ctx, &o.read, &o.second, o.errors.a, ""); err != nil {
		return err
	}
	p := d.parameters(&o.geometry, &o.read)
	if o.radius.text != "" {
		p.length("radius", o.radius)
	}
	if o.least.text != "" {
		p.length("min-radius", o.least)
	}
	o.errors.describe(p)
	o.epochs.describe(p)
	p.text("action", o.action.value)
	points, err := o.epochs.move(ctx, d)
	if err != nil {
		return err
	}
	own, _, err := o.errors.radii(d, o.radius)
	if err != nil {
		return err
	}
	g, err := d.groups(ctx, points[0], match.Options{Radius: o.searchRadius, Min: o.smallestRadius, ErrorA: own, Threads: d.run.count(), Memory: d.run.memory.bytes})
	if err != nil {
		return err
	}
	if err := o.writeGroups(ctx, d, g, p.metadata); err != nil {
		return err
	}
	r := &d.sum.Result
	r.set("matches", g.pairs)
	r.set("groups", int64(len(g.size)))
	r.set("grouped", g.rows)
	r.set("largest", g.largest)
	return d.finish()
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

// groups finds the groups of points. Those within a radius alone are the
// clusters of a clustering in which every point is core.
func (d *duo) groups(ctx context.Context, points *neighbors.Points, opt match.Options) (*groups, error) {
	defer d.sum.Seconds.lap(&d.sum.Seconds.Join, time.Now())
	if points.Len() == 0 {
		return &groups{}, nil
	}
	find := d.reached
	if opt.Min > 0 || opt.ErrorA != nil {
		find = d.matched
	}
	found, err := find(ctx, points, opt)
	if err != nil {
		return nil, overMemory(err)
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

// matched finds groups by every criterion there is.
func (d *duo) matched(ctx context.Context, points *neighbors.Points, opt match.Options) (found *match.Groups, err error) {
	phase := d.rep.phase("neighbours", int64(points.Len()))
	defer phase.end()
	opt.Progress = phase.add
	return found, d.on(points.Len(), func(joiner neighbors.Joiner) error {
		opt.Joiner = joiner
		return await(ctx, func() (err error) {
			found, err = match.Within(ctx, points, d.metric, opt)
			return err
		})
	})
}

// reached finds groups by a radius.
func (d *duo) reached(ctx context.Context, points *neighbors.Points, opt match.Options) (*match.Groups, error) {
	report, end := d.rep.stages()
	defer end()
	var res *dbscan.Result
	d.eps = opt.Radius
	j := d.job.join(report)
	err := await(ctx, func() error {
		return d.on(points.Len(), func(joiner neighbors.Joiner) (err error) {
			res, err = dbscan.Run(ctx, points, d.metric, opt.Radius, dbscan.Options{
				MinPoints: 1, Joiner: joiner, Threads: j.Threads, Memory: j.Memory, Progress: j.Progress,
			})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
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

func (o *matchOptions) writeGroups(ctx context.Context, d *duo, g *groups, meta []catalog.KeyValue) error {
	if o.out.output == "" {
		return nil
	}
	defer d.sum.Seconds.lap(&d.sum.Seconds.Write, time.Now())
	if o.action.value == "identify" {
		return d.append(ctx, &o.out, g.columns(d.sel), meta)
	}
	return o.writeRest(ctx, d, g, meta)
}

// columns are the groups of the rows that are in one.
func (g *groups) columns(sel *catalog.Selection) []table.Column {
	id := table.Column{Name: "group_id", Int32: []int32{}, Rows: []uint32{}, Description: "number of the group, null for a row alone"}
	size := table.Column{Name: "group_size", Int64: []int64{}, Description: "rows of the group"}
	for i, n := range g.of {
		if n >= 0 {
			id.Rows = append(id.Rows, uint32(catalogRow(sel, uint32(i))))
			id.Int32 = append(id.Int32, n)
			size.Int64 = append(size.Int64, g.size[n])
		}
	}
	size.Rows = id.Rows
	return []table.Column{id, size}
}

// writeRest writes the rows that --action keeps: those in no group, rows
// without a position among them, and with keep1 the first of each group.
func (o *matchOptions) writeRest(ctx context.Context, d *duo, g *groups, meta []catalog.KeyValue) error {
	dropped := make(map[int64]bool, g.rows)
	for i, n := range g.of {
		if n >= 0 && !(o.action.value == "keep1" && g.first[i]) {
			dropped[catalogRow(d.sel, uint32(i))] = true
		}
	}
	var rows []int64
	for row := range passed(d.sel) {
		if !dropped[row] {
			rows = append(rows, row)
		}
	}
	names := []string(o.keep)
	if len(names) == 0 {
		var left []string
		if names, left = everything(d.cat, d.cat); len(left) > 0 {
			d.sum.note("left out", leftOut, strings.Join(left, ", "))
		}
	}
	all, err := keep(names, d.cat, d.cat, nil, false, false)
	if err != nil {
		return err
	}
	var own []kept // a side of its own, under its own name
	for _, k := range all {
		if !k.second {
			k.field.Name = k.name
			own = append(own, k)
		}
	}
	if len(own) == 0 {
		return usagef("no column of %s can be written: all are lists or of unknown type; --action identify keeps them", d.cat.Files()[0].Path)
	}
	p := d.rep.phase("write", int64(len(rows)))
	defer p.end()
	return d.writePicked(ctx, &o.out, len(rows), own, meta, p.add, func(lo, hi int) ([]catalog.Column, [2][]int64) {
		return nil, [2][]int64{rows[lo:hi], nil}
	})
}
