package job

import (
	"context"
	"time"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// PerEdge is how many of the distances of the metric an edge of 1 is.
func (d *Duo) PerEdge(unit string) float64 {
	if d.Geo.Angle {
		return flags.Radians(unit)
	}
	return 1
}

// A Second is the catalog that the first is joined with.
type Second struct {
	Cat *catalog.Catalog
	let []string // definitions of columns that it may lack
	Geo *geometry.Geometry
	Sel *catalog.Selection
}

// A Duo is a job over two catalogs, or over one that is joined with itself.
type Duo struct {
	*Job
	B *Second // nil in a self-join
}

// Open opens the one or two catalogs. The caller closes them, also after an
// error.
func (d *Duo) Open(ctx context.Context, paths []string, f *flags.Read) error {
	if err := d.Job.Open(ctx, paths[:1], f); err != nil || len(paths) == 1 {
		return err
	}
	return d.OpenSecond(ctx, paths[1:], f)
}

// OpenSecond opens the second catalog.
func (d *Duo) OpenSecond(ctx context.Context, paths []string, f *flags.Read) error {
	defer d.Sum.Seconds.Lap(&d.Sum.Seconds.Read, time.Now())
	return exit.Await(ctx, func() error {
		cat, err := catalog.Open(ctx, paths, catalog.Options{Null: f.Null, Threads: d.Run.Count()})
		if err != nil {
			return err
		}
		d.B = &Second{Cat: cat, let: f.Let}
		return d.Reads(filesOf(cat)...)
	})
}

func (d *Duo) Close() {
	if d.Cat != nil {
		d.Cat.Close()
	}
	if d.B != nil {
		d.B.Cat.Close()
	}
}

// Resolve applies the flags to both catalogs.
func (d *Duo) Resolve(f *geometry.Flags, s *geometry.SecondFlags) (err error) {
	if d.B == nil {
		if err := s.None(); err != nil {
			return err
		}
	}
	if d.Geo, err = f.Resolve(d.Cat); err != nil || d.B == nil {
		return err
	}
	if err := d.Derive(append(append([]string{human.FirstOf(s.Distance, f.Distance)}, f.Columns...), s.Columns...)...); err != nil {
		return err
	}
	if d.B.Geo, err = s.Geometry(f, d.Geo, d.B.Cat).Resolve(d.B.Cat); err != nil {
		return inSecond(d, err)
	}
	if a, b := len(d.Geo.Columns), len(d.B.Geo.Columns); a != b {
		return exit.Usagef("%d coordinate columns of the second catalog (%s), the first has %d (%s)", b, flags.JoinList(d.B.Geo.Columns), a, flags.JoinList(d.Geo.Columns))
	}
	return nil
}

// Derive defines, of columns that the second catalog lacks, those that --let
// derives for the first.
func (d *Duo) Derive(names ...string) error {
	if d.B == nil {
		return nil
	}
	return d.B.Cat.Complete(d.B.let, names)
}

// inSecond says that an error is about the second catalog.
func inSecond(d *Duo, err error) error {
	return exit.Usagef("%s: %s; --columns-b names its coordinates", d.B.Cat.Files()[0].Path, exit.Message(err))
}

// LoadBoth reads the coordinates of both catalogs, and a further column of
// numbers of each where one is named.
func (d *Duo) LoadBoth(ctx context.Context, f *flags.Read, s *geometry.SecondFlags, moreA, moreB string) error {
	if err := d.Job.Load(ctx, f, moreA); err != nil || d.B == nil {
		return err
	}
	defer d.Sum.Seconds.Lap(&d.Sum.Seconds.Read, time.Now())
	p := d.Rep.Phase("read", d.B.Cat.Rows())
	defer p.End()
	only := &flags.Read{Where: s.Where, Strict: f.Strict}
	err := exit.Await(ctx, func() (err error) {
		req := d.B.Geo.Request(only, moreB, p.Add)
		req.Empty = d.Empty
		d.B.Sel, err = d.B.Cat.Select(ctx, req)
		return err
	})
	if err != nil {
		return err
	}
	in := report.NewInput()
	in.Took(d.B.Cat.Files(), d.B.Sel)
	d.Sum.InputB = &in
	return geometry.SameUnits(d.Sel.Fields, d.B.Sel.Fields)
}

// input is the join, whose data are nil where a catalog is joined with itself.
func (d *Duo) input() neighbors.Input {
	in := neighbors.Input{Query: d.Sel.Points, Metric: d.Metric, Threads: d.Run.Count(), Memory: d.Run.Memory.Bytes}
	if d.B != nil {
		in.Data = d.B.Sel.Points
	}
	return in
}

// Data returns the catalog that neighbours are rows of, and its selection.
func (d *Duo) Data() (*catalog.Catalog, *catalog.Selection) {
	if d.B == nil {
		return d.Cat, d.Sel
	}
	return d.B.Cat, d.B.Sel
}

// Prepare makes the plan.
func (d *Duo) Prepare(ctx context.Context, q neighbors.Query) (plan *neighbors.Plan, err error) {
	defer d.Sum.Seconds.Lap(&d.Sum.Seconds.Index, time.Now())
	err = exit.Await(ctx, func() (err error) {
		if plan, err = neighbors.Prepare(ctx, d.input(), q); err == nil {
			err = neighbors.Index(ctx, d.Joiner, plan)
		}
		return err
	})
	return plan, exit.OverMemory(err)
}

// CatalogRow is the row of the catalog that a point comes from.
func CatalogRow(sel *catalog.Selection, point uint32) int64 {
	if sel.Rows != nil {
		return int64(sel.Rows[point])
	}
	return int64(point)
}
