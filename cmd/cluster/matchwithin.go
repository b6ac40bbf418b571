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
)

// within finds groups of rows of one catalog.
func (o *matchOptions) within(cmd *cobra.Command, a *app, paths []string) error {
	for _, name := range []string{"find", "join", "k", "min-radius", "error-a", "error-b", "error-unit", "epoch", "epoch-a", "epoch-b", "pm-a", "pm-b", "unit"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s belongs to the match of two catalogs, one is named", name)
		}
	}
	if o.radius.text == "" {
		return usagef("--radius is needed, as in --radius 1.5arcsec")
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
	if err := d.loadBoth(ctx, &o.read, &o.second, "", ""); err != nil {
		return err
	}
	p := d.parameters(&o.geometry, &o.read)
	p.length("radius", o.radius)
	p.text("action", o.action.value)
	g, err := d.groups(ctx, o.searchRadius)
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

// groups are the clusters of a clustering in which every point is core,
// numbered by their first rows.
func (d *duo) groups(ctx context.Context, radius float64) (*groups, error) {
	defer d.sum.Seconds.lap(&d.sum.Seconds.Join, time.Now())
	g := &groups{}
	if d.sel.Points.Len() == 0 {
		return g, nil
	}
	report, end := d.rep.stages()
	defer end()
	var res *dbscan.Result
	err := await(ctx, func() (err error) {
		j := d.job.join(report)
		d.eps = radius
		return d.on(d.sel.Points.Len(), func(joiner neighbors.Joiner) (err error) {
			res, err = dbscan.Run(ctx, d.sel.Points, d.metric, radius, dbscan.Options{
				MinPoints: 1, Joiner: joiner, Threads: j.Threads, Memory: j.Memory, Progress: j.Progress,
			})
			return err
		})
	})
	if err != nil {
		return nil, overMemory(err)
	}
	number := make([]int32, len(res.Sizes))
	for c, n := range res.Sizes {
		if number[c] = -1; n > 1 {
			number[c] = int32(len(g.size))
			g.size = append(g.size, n)
			g.rows += n
			g.largest = max(g.largest, n)
		}
	}
	g.pairs = res.Pairs
	g.of, g.first = make([]int32, len(res.Labels)), make([]bool, len(res.Labels))
	seen := make([]bool, len(g.size))
	for i, l := range res.Labels {
		g.of[i] = number[l]
		if n := g.of[i]; n >= 0 && !seen[n] {
			g.first[i], seen[n] = true, true
		}
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
			d.sum.note("left out", "columns that are lists or of unknown type: %s", strings.Join(left, ", "))
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
	picked, err := d.pickAll(ctx, own, [2][]int64{rows, nil})
	if err != nil {
		return err
	}
	return d.table(ctx, o.out.output, o.out.force, picked, meta)
}
