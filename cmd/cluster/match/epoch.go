package match

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

// epochFlags give the epoch of the positions of each catalog, and their motions.
type epochFlags struct {
	a, b epoch
	to   flags.Number
	pmA  flags.List
	pmB  flags.List

	motion [2]flags.List // the columns of the sides that move
	target float64
}

// An epoch is a time in years, the same for all rows or a column.
type epoch struct {
	year   flags.Number
	column string
}

func (e *epoch) String() string { return e.year.String() + e.column }

func (e *epoch) Type() string { return "year|column" }

func (e *epoch) Set(s string) error {
	if _, ok := flags.ParseFloat(s); !ok {
		*e = epoch{column: s}
		return nil
	}
	return e.year.Set(s)
}

func (e *epoch) given() bool { return e.year.Given || e.column != "" }

func (f *epochFlags) given() bool {
	return f.a.given() || f.b.given() || f.to.Given || len(f.pmA) > 0 || len(f.pmB) > 0
}

func (f *epochFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(&f.a, "epoch-a", "Julian year of the positions of A, as in 2016, or the column that has it")
	fs.Var(&f.b, "epoch-b", "Julian year of the positions of B")
	fs.Var(&f.to, "epoch", "year to bring positions to (default that of the catalog that does not move)")
	fs.Var(&f.pmA, "pm-a", "proper motions of A in RA (with cos Dec) and Dec, in mas/yr unless the columns have a unit (default pmra,pmdec)")
	fs.Var(&f.pmB, "pm-b", "proper motions of B")
}

func (f *epochFlags) describe(p *report.Parameters) {
	if !f.a.given() {
		return
	}
	p.Text("epoch-a", f.a.String())
	p.Text("epoch-b", f.b.String())
	p.Number("epoch", f.target)
	p.List("pm-a", f.motion[0])
	p.List("pm-b", f.motion[1])
}

// check decides which sides move, and to when, before rows are read.
func (f *epochFlags) check(j *job.Job) error {
	switch {
	case f.a.given() != f.b.given():
		return exit.Usagef("--epoch-a and --epoch-b go together: the years of the positions of A and of B")
	case !f.a.given():
		if f.to.Given || len(f.pmA) > 0 || len(f.pmB) > 0 {
			return exit.Usagef("--epoch, --pm-a and --pm-b need --epoch-a and --epoch-b: the years of the positions of A and of B")
		}
		return nil
	case !j.Geo.Sky:
		return exit.Usagef("--epoch-a: proper motions are of positions on the sky, the metric is %s", j.Geo.MetricName())
	case j.Geometry.Frame.Value != "" || j.Second.Frame.Value != "":
		return exit.Usagef("--epoch-a: proper motions are in RA and Dec of ICRS, and are not converted; leave --frame and --frame-b out")
	}
	f.motion = [2]flags.List{motionColumns(j.Cat, f.pmA), motionColumns(j.B.Cat, f.pmB)}
	switch {
	case f.to.Given:
		f.target = f.to.Value
	case f.motion[0] != nil && f.b.year.Given:
		f.target = f.b.year.Value
	case f.motion[1] != nil && f.a.year.Given:
		f.target = f.a.year.Value
	case f.motion[0] == nil && f.motion[1] == nil:
		return exit.Usagef("neither catalog has columns pmra and pmdec; --pm-a or --pm-b names the proper motions")
	default:
		return exit.Usagef("--epoch is needed where the epochs are columns: the year to bring positions to")
	}
	for i, e := range []epoch{f.a, f.b} {
		side := []string{"a", "b"}[i]
		still := e.year.Given && e.year.Value == f.target
		if m := f.motion[i]; !still && len(m) != 2 {
			return exit.Usagef("positions of epoch %s are to be brought to %s: --pm-%s names the columns of proper motion, in RA and Dec", &e, human.FloatText(f.target), side)
		}
		if given := []flags.List{f.pmA, f.pmB}[i]; still && len(given) > 0 {
			return exit.Usagef("--pm-%s %s: positions of %s, the year of that catalog, do not move; leave it out, or bring both catalogs to another --epoch", side, given.String(), human.FloatText(f.target))
		}
		if still {
			f.motion[i] = nil
		}
	}
	return nil
}

// checkOne is check for groups within one catalog, whose rows are of several
// epochs.
func (f *epochFlags) checkOne(j *job.Job) error {
	switch {
	case !f.a.given() && !f.to.Given && len(f.pmA) == 0:
		return nil
	case !f.a.given() || !f.to.Given:
		return exit.Usagef("--epoch-a and --epoch go together: the column with the year of each position, and the year to bring positions to")
	case !j.Geo.Sky:
		return exit.Usagef("--epoch-a: proper motions are of positions on the sky, the metric is %s", j.Geo.MetricName())
	case j.Geometry.Frame.Value != "" || j.Second.Frame.Value != "":
		return exit.Usagef("--epoch-a: proper motions are in RA and Dec of ICRS, and are not converted; leave --frame and --frame-b out")
	}
	f.target = f.to.Value
	f.motion = [2]flags.List{motionColumns(j.Cat, f.pmA)}
	if len(f.motion[0]) != 2 {
		return exit.Usagef("positions of epoch %s are to be brought to %s: --pm-a names the columns of proper motion, in RA and Dec", &f.a, human.FloatText(f.target))
	}
	return nil
}

// motionColumns returns the columns of proper motion: those given, or the
// usual ones if they are there.
func motionColumns(cat *catalog.Catalog, given flags.List) flags.List {
	if len(given) > 0 {
		return given
	}
	for _, usual := range []flags.List{{"pmra", "pmdec"}, {"pmRA", "pmDE"}, {"PMRA", "PMDEC"}, {"pm_ra", "pm_dec"}} {
		if geometry.HasColumns(cat, usual) {
			return usual
		}
	}
	return nil
}

// move returns the points of both catalogs at one epoch.
func (f *epochFlags) move(ctx context.Context, j *job.Job) (points [2]*neighbors.Points, err error) {
	for i, s := range j.Sides() {
		points[i] = s.Sel.Points
		if f.motion[i] == nil || s.Sel.Points.Len() == 0 {
			continue
		}
		var moved int64
		if points[i], moved, err = f.moveSide(ctx, s, f.motion[i], []epoch{f.a, f.b}[i]); err != nil {
			return points, err
		}
		name := []string{"A", "B"}[i]
		j.Sum.Note("moved", "%s of %s to epoch %s, %s without a proper motion or already there", human.Plural(moved, "row", "rows"), name,
			human.FloatText(f.target), human.Commas(int64(points[i].Len())-moved))
	}
	return points, nil
}

// moveSide returns the points of one catalog with RA and Dec moved.
func (f *epochFlags) moveSide(ctx context.Context, s *job.Side, motion flags.List, e epoch) (*neighbors.Points, int64, error) {
	names := motion[:2:2]
	if e.column != "" {
		names = append(names, e.column)
	}
	cols, err := job.ReadColumns(ctx, s.Cat, names...)
	if err != nil {
		return nil, 0, err
	}
	values := make([][]float64, 3)
	for i := range cols {
		if values[i], err = columns.NumbersOf(&cols[i], s.Sel); err != nil {
			return nil, 0, err
		}
	}
	for i := range motion {
		per, err := motionUnit(cols[i].Field)
		if err != nil {
			return nil, 0, err
		}
		for k := range values[i] {
			values[i][k] *= per
		}
	}
	p := s.Sel.Points
	years := values[2]
	if e.column == "" {
		years = slices.Repeat([]float64{e.year.Value}, p.Len())
	}
	for i := range years {
		years[i] = f.target - years[i]
	}
	ra, dec, moved, err := match.Propagate(columns.Floats(p.Column(0)), columns.Floats(p.Column(1)), values[0], values[1], years)
	if err != nil {
		return nil, 0, err
	}
	all := []neighbors.Column{neighbors.Float64s(ra), neighbors.Float64s(dec)}
	for i := 2; i < p.Dim(); i++ {
		all = append(all, p.Column(i))
	}
	points, err := neighbors.NewPoints(all...)
	return points, moved, err
}

// motionUnit is how many mas per year the unit of a column is.
func motionUnit(f catalog.Field) (float64, error) {
	if f.Unit == "" {
		return 1, nil
	}
	unit := strings.ToLower(strings.NewReplacer(" ", "", ".", "", "**-1", "-1", "^-1", "-1", "year", "yr").Replace(f.Unit))
	for _, per := range []string{"/yr", "yr-1", "/a", "a-1"} {
		if angle, ok := strings.CutSuffix(unit, per); ok && smallAngles[angle] > 0 {
			return math.Round(smallAngles[angle]/smallAngles["mas"]*1e6) / 1e6, nil
		}
	}
	return 0, exit.Usagef("column %s is in %s; proper motions are in mas/yr or another angle per year", f.Name, f.Unit)
}
