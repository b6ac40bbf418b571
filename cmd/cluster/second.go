package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// secondFlags say how the second catalog of a join is read where that differs
// from the first.
type secondFlags struct {
	columns  list
	distance string
	where    string
}

func (f *secondFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(&f.columns, "columns-b", "coordinate columns of the second catalog, where its names differ")
	fs.StringVar(&f.distance, "distance-b", "", "distance `column` of the second catalog, where its name differs")
	fs.StringVar(&f.where, "where-b", "", "row filter of the second catalog: an `expression`")
	needs(fs, []string{"distance-b"}, "distance", "redshift")
}

// geometry returns the flags of the second catalog: those of the first, but
// for the names of its columns. Columns that the first was given stand for
// those of the second only where it has them.
func (f *secondFlags) geometry(of *geometryFlags, g *geometry, cat *catalog.Catalog) *geometryFlags {
	s := *of
	s.metric.value = g.metricName() // not chosen anew
	if f.distance != "" {
		s.distance = f.distance
	}
	switch {
	case len(f.columns) > 0:
		s.columns = f.columns
	case g.sky && len(of.columns) == 2 && !hasColumns(cat, of.columns):
		s.columns = nil // to be found
	}
	return &s
}

// none refuses the flags where there is no second catalog.
func (f *secondFlags) none() error {
	for _, g := range []struct{ flag, value string }{{"columns-b", f.columns.String()}, {"distance-b", f.distance}, {"where-b", f.where}} {
		if g.value != "" {
			return usagef("--%s %s: there is no second catalog", g.flag, g.value)
		}
	}
	return nil
}

func hasColumns(cat *catalog.Catalog, names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { _, err := cat.Field(n); return err != nil })
}

// A second is the catalog that the first is joined with.
type second struct {
	cat *catalog.Catalog
	let []string // definitions of columns that it may lack
	geo *geometry
	sel *catalog.Selection
}

// A duo is a job over two catalogs, or over one that is joined with itself.
type duo struct {
	*job
	b *second // nil in a self-join
}

// open opens the one or two catalogs. The caller closes them, also after an
// error.
func (d *duo) open(ctx context.Context, paths []string, f *readFlags) error {
	if err := d.job.open(ctx, paths[:1], f); err != nil || len(paths) == 1 {
		return err
	}
	return d.openSecond(ctx, paths[1:], f)
}

// openSecond opens the second catalog.
func (d *duo) openSecond(ctx context.Context, paths []string, f *readFlags) error {
	defer d.sum.Seconds.lap(&d.sum.Seconds.Read, time.Now())
	return await(ctx, func() error {
		cat, err := catalog.Open(ctx, paths, catalog.Options{Null: f.null, Threads: d.run.count()})
		if err != nil {
			return err
		}
		d.b = &second{cat: cat, let: f.let}
		for _, file := range cat.Files() {
			d.also = append(d.also, file.Path)
		}
		return nil
	})
}

func (d *duo) close() {
	if d.cat != nil {
		d.cat.Close()
	}
	if d.b != nil {
		d.b.cat.Close()
	}
}

// resolve applies the flags to both catalogs.
func (d *duo) resolve(f *geometryFlags, s *secondFlags) (err error) {
	if d.b == nil {
		if err := s.none(); err != nil {
			return err
		}
	}
	if d.geo, err = f.resolve(d.cat); err != nil || d.b == nil {
		return err
	}
	if err := d.derive(append(append([]string{firstOf(s.distance, f.distance)}, f.columns...), s.columns...)...); err != nil {
		return err
	}
	if d.b.geo, err = s.geometry(f, d.geo, d.b.cat).resolve(d.b.cat); err != nil {
		return inSecond(d, err)
	}
	if a, b := len(d.geo.columns), len(d.b.geo.columns); a != b {
		return usagef("%d coordinate columns of the second catalog (%s), the first has %d (%s)", b, joinList(d.b.geo.columns), a, joinList(d.geo.columns))
	}
	return nil
}

// derive defines, of columns that the second catalog lacks, those that --let
// derives for the first.
func (d *duo) derive(names ...string) error {
	if d.b == nil {
		return nil
	}
	return d.b.cat.Complete(d.b.let, names)
}

// inSecond says that an error is about the second catalog.
func inSecond(d *duo, err error) error {
	return usagef("%s: %s; --columns-b names its coordinates", d.b.cat.Files()[0].Path, message(err))
}

// loadBoth reads the coordinates of both catalogs, and a further column of
// numbers of each where one is named.
func (d *duo) loadBoth(ctx context.Context, f *readFlags, s *secondFlags, moreA, moreB string) error {
	if err := d.job.load(ctx, f, moreA); err != nil || d.b == nil {
		return err
	}
	defer d.sum.Seconds.lap(&d.sum.Seconds.Read, time.Now())
	p := d.rep.phase("read", d.b.cat.Rows())
	defer p.end()
	only := &readFlags{where: s.where, strict: f.strict}
	err := await(ctx, func() (err error) {
		req := d.b.geo.request(only, moreB, p.add)
		req.Empty = d.empty
		d.b.sel, err = d.b.cat.Select(ctx, req)
		return err
	})
	if err != nil {
		return err
	}
	in := newInput()
	in.took(d.b.cat.Files(), d.b.sel)
	d.sum.InputB = &in
	return sameUnits(d.sel.Fields, d.b.sel.Fields)
}

// sameUnits refuses coordinates in different units. RA and Dec are in degrees
// by now.
func sameUnits(a, b []catalog.Field) error {
	for i := range a {
		if a[i].Unit != "" && b[i].Unit != "" && a[i].Unit != b[i].Unit {
			return usagef("column %s of the first catalog is in %s, %s of the second in %s; the units must be the same", a[i].Name, a[i].Unit, b[i].Name, b[i].Unit)
		}
	}
	return nil
}

// input is the join, whose data are nil where a catalog is joined with itself.
func (d *duo) input() neighbors.Input {
	in := neighbors.Input{Query: d.sel.Points, Metric: d.metric, Threads: d.run.count(), Memory: d.run.memory.bytes}
	if d.b != nil {
		in.Data = d.b.sel.Points
	}
	return in
}

// data returns the catalog that neighbours are rows of, and its selection.
func (d *duo) data() (*catalog.Catalog, *catalog.Selection) {
	if d.b == nil {
		return d.cat, d.sel
	}
	return d.b.cat, d.b.sel
}

// prepare makes the plan.
func (d *duo) prepare(ctx context.Context, q neighbors.Query) (plan *neighbors.Plan, err error) {
	defer d.sum.Seconds.lap(&d.sum.Seconds.Index, time.Now())
	err = await(ctx, func() (err error) {
		if plan, err = neighbors.Prepare(ctx, d.input(), q); err == nil {
			err = neighbors.Index(ctx, d.joiner, plan)
		}
		return err
	})
	return plan, overMemory(err)
}

// catalogRow is the row of the catalog that a point comes from.
func catalogRow(sel *catalog.Selection, point uint32) int64 {
	if sel.Rows != nil {
		return int64(sel.Rows[point])
	}
	return int64(point)
}

// needOneOrTwo refuses a command line without one or two catalogs.
func needOneOrTwo(cmd *cobra.Command, args []string) error {
	if err := needFiles(cmd, args); err != nil {
		return err
	}
	if len(args) > 2 {
		return usagef("%d catalogs are named, one or two can be; several files of one catalog are a folder or a quoted pattern, as in 'part-*.parquet'", len(args))
	}
	return nil
}
