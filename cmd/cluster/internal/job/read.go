package job

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// Open opens the one or two catalogs. Columns of --let belong to the first; the
// second is given those that it lacks if they are needed, see Derive. The choice of
// a table of FITS files applies to both, as far as they are FITS, unless --hdu-b
// chooses that of the second.
func (j *Job) Open(ctx context.Context, paths, second []string) (err error) {
	defer j.Timed(&j.Sum.Seconds.Read)()
	j.finish(slices.Concat(paths, second))
	readA, readB := j.Read, *j.ReadB()
	if j.Read.HDU != "" && j.Second.HDU == "" && len(paths) > 0 && len(second) > 0 {
		fitsA, errA := hasFITS(ctx, paths, readA.File)
		fitsB, errB := hasFITS(ctx, second, readB.File)
		switch {
		case errA != nil || errB != nil:
			return exit.First(errA, errB)
		case !fitsA && fitsB:
			readA.HDU = ""
		case !fitsB:
			readB.HDU = ""
		}
	}
	if len(paths) > 0 {
		if j.Cat, err = j.openSide(ctx, paths, &readA); err != nil {
			return err
		}
	}
	if len(second) > 0 {
		j.B = &Side{}
		if j.B.Cat, err = j.openSide(ctx, second, &readB); err != nil {
			j.B = nil
		}
	}
	return err
}

// openSide opens a catalog and declares its files as read.
func (j *Job) openSide(ctx context.Context, paths []string, f *flags.Read) (*catalog.Catalog, error) {
	cat, err := flags.OpenCatalog(ctx, paths, f.Options(j.Run.Count()))
	if err != nil {
		return nil, err
	}
	if err := j.Reads(append(filesOf(cat), besideCatalog(paths)...)...); err != nil {
		cat.Close()
		return nil, err
	}
	for _, f := range cat.Files() {
		if err := j.Reads(f.Beside); err != nil {
			cat.Close()
			return nil, err
		}
	}
	j.noteOwn(cat, paths)
	j.warnOfRepeats(cat)
	j.warnOfDigits(cat)
	j.warnOfOverflow(cat)
	j.noteForms(cat)
	return cat, nil
}

// noteForms notes how files are read if that had to be inferred, once for all files
// that are read alike.
func (j *Job) noteForms(cat *catalog.Catalog) {
	files := map[string]int{}
	var notes []string
	first := map[string]string{}
	for _, f := range cat.Files() {
		for _, n := range f.Notes {
			if files[n]++; files[n] == 1 {
				notes, first[n] = append(notes, n), f.Path
			}
		}
	}
	for _, n := range notes {
		more := ""
		if files[n] > 1 {
			more = fmt.Sprintf(" and %s", human.Plural(int64(files[n]-1), "more file", "more files"))
		}
		j.Sum.Note("format", "%s%s: %s", first[n], more, n)
	}
}

// hasFITS reports whether files of a catalog have tables to choose from.
func hasFITS(ctx context.Context, paths []string, f flags.File) (bool, error) {
	f.HDU = ""
	cat, err := flags.OpenCatalog(ctx, paths, (&flags.Read{File: f}).Options(1))
	if err != nil {
		return false, err
	}
	defer cat.Close()
	return slices.ContainsFunc(cat.Files(), func(f catalog.File) bool { return f.Format == "fits" }), nil
}

// Resolve finds the coordinates of both catalogs.
func (j *Job) Resolve() (err error) {
	f, s := &j.Geometry, &j.Second
	j.Geo, err = f.Resolve(j.Cat)
	if err == nil {
		j.noteCoordinates(j.Geo)
	}
	if err != nil || j.B == nil {
		return err
	}
	if err := j.Derive(append(append([]string{s.Distance, f.Distance}, f.Columns...), s.Columns...)...); err != nil {
		return err
	}
	if j.B.Geo, err = s.Geometry(f, j.Geo, j.B.Cat).Resolve(j.B.Cat); err != nil {
		return exit.Usagef("%s: %s; --columns-b names its coordinates", j.B.Cat.Files()[0].Path, exit.Message(err))
	}
	j.noteCoordinates(j.B.Geo)
	if a, b := len(j.Geo.Columns), len(j.B.Geo.Columns); a != b {
		return exit.Usagef("%d coordinate columns of the second catalog (%s), the first has %d (%s)", b, flags.JoinList(j.B.Geo.Columns), a, flags.JoinList(j.Geo.Columns))
	}
	return nil
}

// noteCoordinates notes how coordinates are interpreted.
func (j *Job) noteCoordinates(g *geometry.Geometry) {
	for _, n := range g.Notes {
		j.Sum.Note("coordinates", "%s", n)
	}
}

// Derive defines, of columns that the second catalog lacks, those that --let
// derives for the first.
func (j *Job) Derive(names ...string) error {
	if j.B == nil {
		return nil
	}
	return j.B.Cat.Complete(j.Read.Let, names)
}

// Load reads the rows of the catalogs, unless the run would take more than --memory.
func (j *Job) Load(ctx context.Context, moreA, moreB string) error {
	return j.LoadBeside(ctx, moreA, moreB, 0)
}

// LoadBeside is Load of a run that takes more bytes besides.
func (j *Job) LoadBeside(ctx context.Context, moreA, moreB string, more int64) error {
	if err := j.Fits(ctx, Demand{More: more}); err != nil {
		return err
	}
	return j.LoadSides(ctx, moreA, moreB)
}

// LoadSides reads the coordinates of the usable rows of the catalogs, with one more
// numeric column of each if it is named, and takes scales from the first.
func (j *Job) LoadSides(ctx context.Context, moreA, moreB string) error {
	if err := j.LoadFirst(ctx, moreA); err != nil || j.B == nil {
		return err
	}
	defer j.Timed(&j.Sum.Seconds.Read)()
	j.Sum.InputB = report.NewInput("--where-b")
	if err := j.read(ctx, j.B, j.Sum.InputB, j.B.Geo.Request(j.ReadB(), moreB)); err != nil {
		return err
	}
	j.hintOfItself()
	j.WarnOfSquares(j.Metric, j.Geo.Columns, j.Sel.Points, j.B.Sel.Points)
	return geometry.SameUnits(j.Sel.Fields, j.B.Sel.Fields)
}

// LoadFirst is LoadSides for the first catalog alone.
func (j *Job) LoadFirst(ctx context.Context, more string) (err error) {
	defer j.Timed(&j.Sum.Seconds.Read)()
	if err := j.read(ctx, &j.Side, j.Sum.Input, j.Geo.Request(&j.Read, more)); err != nil {
		return err
	}
	j.Geo.Took(j.Sel.Fields)
	j.Metric, j.Scale, err = j.Geo.Scaled(j.Sel.Points)
	if large := (*geometry.ScaleOverflow)(nil); errors.As(err, &large) {
		return exit.Usagef("%s", large.At(CatalogRow(j.Sel, large.Point)))
	}
	if err == nil && j.B == nil {
		j.WarnOfSquares(j.Metric, j.Geo.Columns, j.Sel.Points)
	}
	return err
}

// ReadB says how rows of the second catalog are read.
func (j *Job) ReadB() *flags.Read { return j.Second.Read(&j.Read) }

// read reads the usable rows of one side.
func (j *Job) read(ctx context.Context, s *Side, in *report.Input, req catalog.Request) (err error) {
	if s.Sel, err = j.Select(ctx, s.Cat, req); err == nil {
		in.Took(s.Cat.Files(), s.Sel)
	}
	return err
}

// Select reads rows of a catalog and shows the progress.
func (j *Job) Select(ctx context.Context, cat *catalog.Catalog, req catalog.Request) (*catalog.Selection, error) {
	p := j.Rep.Phase("read", cat.Rows())
	defer p.End()
	req.Progress = p.Add
	return exit.Await(ctx, func() (*catalog.Selection, error) { return cat.Select(ctx, req) })
}

// ReadColumns reads columns of all rows of a catalog.
func ReadColumns(ctx context.Context, cat *catalog.Catalog, names ...string) ([]catalog.Column, error) {
	return exit.Await(ctx, func() ([]catalog.Column, error) { return cat.Read(ctx, names, nil) })
}

// Data returns the side that neighbours belong to.
func (j *Job) Data() *Side {
	if j.B == nil {
		return &j.Side
	}
	return j.B
}

// Sides returns the catalogs, one or two.
func (j *Job) Sides() []*Side {
	if j.B == nil {
		return []*Side{&j.Side}
	}
	return []*Side{&j.Side, j.B}
}

// Prepare makes the plan of a join, whose data are the second catalog if there is
// one.
func (j *Job) Prepare(ctx context.Context, q neighbors.Query) (*neighbors.Plan, error) {
	defer j.Timed(&j.Sum.Seconds.Index)()
	in := neighbors.Input{Query: j.Sel.Points, Metric: j.Metric, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes}
	if j.B != nil {
		in.Data = j.B.Sel.Points
	}
	plan, err := exit.Await(ctx, func() (*neighbors.Plan, error) {
		plan, err := neighbors.Prepare(ctx, in, q)
		if err == nil {
			err = neighbors.Index(ctx, j.Joiner, plan)
		}
		return plan, err
	})
	return plan, exit.OverMemory(err)
}

// PerEdge returns how many distances of the metric make a length of 1 in the unit.
func (j *Job) PerEdge(unit string) float64 {
	if j.Geo.Angle {
		return flags.Radians(unit)
	}
	return 1
}

// InUnit returns a radius of the metric in the unit in which it is printed.
func (j *Job) InUnit(radius float64, unit string) float64 {
	if j.Geo.Angle {
		return flags.InUnit(radius, unit)
	}
	return radius
}

// Rows returns the row of the catalog of each point.
func (j *Job) Rows() []int64 {
	return each.To(j.Sel.Points.Len(), func(i int) int64 { return CatalogRow(j.Sel, uint32(i)) })
}

// CatalogRow is the row of the catalog that a point comes from.
func CatalogRow(sel *catalog.Selection, point uint32) int64 {
	if sel.Rows != nil {
		return int64(sel.Rows[point])
	}
	return int64(point)
}
