package main

import (
	"context"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

// epochFlags say at what time the positions of each catalog are, and how they
// move.
type epochFlags struct {
	a, b epoch
	to   number
	pmA  list
	pmB  list

	motion [2]list // the columns of the sides that move
	target float64
}

// An epoch is a time in years, the same for all rows or a column.
type epoch struct {
	year   number
	column string
}

func (e *epoch) String() string { return e.year.String() + e.column }
func (e *epoch) Type() string   { return "year|column" }

func (e *epoch) Set(s string) error {
	if _, ok := parseFloat(s); !ok {
		*e = epoch{column: s}
		return nil
	}
	return e.year.Set(s)
}

func (e *epoch) given() bool { return e.year.set || e.column != "" }

func (f *epochFlags) given() bool {
	return f.a.given() || f.b.given() || f.to.set || len(f.pmA) > 0 || len(f.pmB) > 0
}

func (f *epochFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(&f.a, "epoch-a", "Julian year of the positions of A, as in 2016, or the column that has it")
	fs.Var(&f.b, "epoch-b", "Julian year of the positions of B")
	fs.Var(&f.to, "epoch", "year to bring positions to (default that of the catalog that does not move)")
	fs.Var(&f.pmA, "pm-a", "proper motions of A in RA (with cos Dec) and Dec, in mas/yr unless the columns have a unit (default pmra,pmdec)")
	fs.Var(&f.pmB, "pm-b", "proper motions of B")
}

func (f *epochFlags) describe(p *parameters) {
	if !f.a.given() {
		return
	}
	p.text("epoch-a", f.a.String())
	if f.b.given() {
		p.text("epoch-b", f.b.String())
	}
	p.add("epoch", f.target, floatText(f.target))
	for i, name := range []string{"pm-a", "pm-b"} {
		if f.motion[i] != nil {
			p.list(name, f.motion[i])
		}
	}
}

// check decides which sides move, and to when, before rows are read.
func (f *epochFlags) check(d *duo) error {
	switch {
	case f.a.given() != f.b.given():
		return usagef("--epoch-a and --epoch-b go together: the years of the positions of A and of B")
	case !f.a.given():
		if f.to.set || len(f.pmA) > 0 || len(f.pmB) > 0 {
			return usagef("--epoch, --pm-a and --pm-b need --epoch-a and --epoch-b: the years of the positions of A and of B")
		}
		return nil
	case !d.geo.sky:
		return usagef("--epoch-a: proper motions are of positions on the sky, the metric is %s", d.geo.metricName())
	}
	f.motion = [2]list{motionColumns(d.cat, f.pmA), motionColumns(d.b.cat, f.pmB)}
	switch {
	case f.to.set:
		f.target = f.to.value
	case f.motion[0] != nil && f.b.year.set:
		f.target = f.b.year.value
	case f.motion[1] != nil && f.a.year.set:
		f.target = f.a.year.value
	case f.motion[0] == nil && f.motion[1] == nil:
		return usagef("neither catalog has columns pmra and pmdec; --pm-a or --pm-b names the proper motions")
	default:
		return usagef("--epoch is needed where the epochs are columns: the year to bring positions to")
	}
	for i, e := range []epoch{f.a, f.b} {
		side := []string{"a", "b"}[i]
		still := e.year.set && e.year.value == f.target
		if m := f.motion[i]; !still && len(m) != 2 {
			return usagef("positions of epoch %s are to be brought to %s: --pm-%s names the columns of proper motion, in RA and Dec", &e, floatText(f.target), side)
		}
		if given := []list{f.pmA, f.pmB}[i]; still && len(given) > 0 {
			return usagef("--pm-%s %s: positions of %s, the year of that catalog, do not move; leave it out, or bring both catalogs to another --epoch", side, given.String(), floatText(f.target))
		}
		if still {
			f.motion[i] = nil
		}
	}
	return nil
}

// checkOne is check for groups within one catalog, whose rows are of several
// epochs.
func (f *epochFlags) checkOne(d *duo) error {
	switch {
	case !f.a.given() && !f.to.set && len(f.pmA) == 0:
		return nil
	case !f.a.given() || !f.to.set:
		return usagef("--epoch-a and --epoch go together: the column with the year of each position, and the year to bring positions to")
	case !d.geo.sky:
		return usagef("--epoch-a: proper motions are of positions on the sky, the metric is %s", d.geo.metricName())
	}
	f.target = f.to.value
	f.motion = [2]list{motionColumns(d.cat, f.pmA)}
	if len(f.motion[0]) != 2 {
		return usagef("positions of epoch %s are to be brought to %s: --pm-a names the columns of proper motion, in RA and Dec", &f.a, floatText(f.target))
	}
	return nil
}

// motionColumns returns the columns of proper motion: those given, or the
// usual ones if they are there.
func motionColumns(cat *catalog.Catalog, given list) list {
	if len(given) > 0 {
		return given
	}
	for _, usual := range []list{{"pmra", "pmdec"}, {"pmRA", "pmDE"}, {"PMRA", "PMDEC"}, {"pm_ra", "pm_dec"}} {
		if hasColumns(cat, usual) {
			return usual
		}
	}
	return nil
}

// move returns the points of both catalogs at one epoch.
func (f *epochFlags) move(ctx context.Context, d *duo) (points [2]*neighbors.Points, err error) {
	type side struct {
		cat   *catalog.Catalog
		sel   *catalog.Selection
		epoch epoch
	}
	sides := []side{{d.cat, d.sel, f.a}}
	if d.b != nil {
		sides = append(sides, side{d.b.cat, d.b.sel, f.b})
	}
	for i, s := range sides {
		points[i] = s.sel.Points
		if f.motion[i] == nil || s.sel.Points.Len() == 0 {
			continue
		}
		var moved int64
		if points[i], moved, err = f.moveSide(ctx, s.cat, s.sel, f.motion[i], s.epoch); err != nil {
			return points, err
		}
		name := []string{"A", "B"}[i]
		d.sum.note("moved", "%s of %s to epoch %s, %s without a proper motion or already there", plural(moved, "row", "rows"), name,
			floatText(f.target), commas(int64(points[i].Len())-moved))
	}
	return points, nil
}

// moveSide returns the points of one catalog with RA and Dec moved.
func (f *epochFlags) moveSide(ctx context.Context, cat *catalog.Catalog, sel *catalog.Selection, motion list, e epoch) (*neighbors.Points, int64, error) {
	names := motion[:2:2]
	if e.column != "" {
		names = append(names, e.column)
	}
	var cols []catalog.Column
	err := await(ctx, func() (err error) {
		cols, err = cat.Read(ctx, names, nil)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	var values [3][]float64
	for i := range cols {
		if values[i], err = numbersOf(&cols[i], sel); err != nil {
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
	n := sel.Points.Len()
	years := values[2]
	if e.column == "" {
		years = make([]float64, n)
		for i := range years {
			years[i] = e.year.value
		}
	}
	for i := range years {
		years[i] = f.target - years[i]
	}
	p := sel.Points
	ra, dec, moved, err := match.Propagate(floats(p.Column(0)), floats(p.Column(1)), values[0], values[1], years)
	if err != nil {
		return nil, 0, err
	}
	columns := []neighbors.Column{neighbors.Float64s(ra), neighbors.Float64s(dec)}
	for i := 2; i < p.Dim(); i++ {
		columns = append(columns, p.Column(i))
	}
	points, err := neighbors.NewPoints(columns...)
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
	return 0, usagef("column %s is in %s; proper motions are in mas/yr or another angle per year", f.Name, f.Unit)
}

// numbersOf returns the values of a column at the points of a selection, null
// ones NaN.
func numbersOf(c *catalog.Column, sel *catalog.Selection) ([]float64, error) {
	if !c.Field.Type.IsNumber() {
		return nil, usagef("column %s is %s; numbers are needed", c.Field.Name, c.Field.Text)
	}
	out := make([]float64, sel.Points.Len())
	for i := range out {
		row := int(catalogRow(sel, uint32(i)))
		switch {
		case c.IsNull(row):
			out[i] = math.NaN()
		case c.Float32 != nil:
			out[i] = float64(c.Float32[row])
		case c.Int64 != nil:
			out[i] = float64(c.Int64[row])
		case c.Uint64 != nil:
			out[i] = float64(c.Uint64[row])
		default:
			out[i] = c.Float64[row]
		}
	}
	return out, nil
}

// floats returns a coordinate as float64.
func floats(c neighbors.Column) []float64 {
	if c.Float64 != nil {
		return c.Float64
	}
	out := make([]float64, c.Len())
	for i := range out {
		out[i] = c.At(i)
	}
	return out
}
