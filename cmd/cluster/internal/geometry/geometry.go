// Package geometry turns flags into what distances are: columns of coordinates, metric,
// box, scales and units.
package geometry

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

// A Geometry is the flags applied to a catalog.
type Geometry struct {
	Columns  []string // coordinates in order, the distance column third
	names    []string // of the scaled coordinates: RA and Dec are one
	Detected bool     // the columns were found and not given
	Frame    string   // of the first two, which are converted to ICRS; "" for none
	units    []string // of RA and Dec, where the file does not say
	Notes    []string // on how coordinates are taken
	Sky      bool
	Distance bool // the third column is a distance
	Angle    bool // distances are angles
	Pure     bool // distances are pure numbers
	Sides    []float64
	metric   neighbors.Metric // without scales
	items    []scaleItem      // one for each of names, nil without scales
	Unit     string           // of distances that are neither
}

// Lowered returns how many coordinates a row has in plain space: on the sky a vector.
func (g *Geometry) Lowered() int {
	if g.Sky && !g.Distance {
		return len(g.Columns) + 1
	}
	return len(g.Columns)
}

// Resolve applies the flags to the catalog. It reads no rows.
func (f *Flags) Resolve(cat *catalog.Catalog) (*Geometry, error) {
	g := &Geometry{Columns: f.Columns}
	if err := f.checkCosmology(); err != nil {
		return nil, err
	}
	if len(g.Columns) == 0 {
		ra, dec, err := cat.DetectIn(f.Frame.Value)
		if err != nil {
			return nil, nameColumns(err, cat, ra, dec)
		}
		g.Columns, g.Detected = []string{ra, dec}, true
	}
	for i, name := range g.Columns {
		if _, err := cat.Field(name); err != nil {
			return nil, err // before what the other flags mean for other columns
		}
		for _, other := range g.Columns[:i] {
			if name == other {
				return nil, exit.Usagef("--columns %s: %s is listed twice", &f.Columns, name)
			}
		}
	}
	kind, err := f.chosen(cat, g.Columns)
	if err != nil {
		return nil, err
	}
	g.Sky = kind.Position > 0
	if g.Sky && len(g.Columns) < 2 {
		return nil, exit.Usagef("--columns %s: the %s metric needs two columns at least, RA and Dec", &f.Columns, kind.Name)
	}
	if !g.Sky && (f.Frame.Value != "" || f.RAHours) {
		return nil, exit.Usagef("--frame and --ra-hours are for positions on the sky, not for --metric %s", kind.Name)
	}
	if g.Frame = f.Frame.Value; g.Sky {
		if g.units, g.Notes, err = cat.Units(g.Columns[0], g.Columns[1], f.RAHours); err != nil {
			return nil, err
		}
	}
	g.Distance = f.Distance != ""
	if g.Distance {
		column, err := f.distanceColumn(cat)
		if err != nil {
			return nil, err
		}
		g.Columns = append(append(append([]string(nil), g.Columns[:2]...), column), g.Columns[2:]...)
	}
	if kind.Box {
		if g.Sides, err = f.Box.Sides(len(g.Columns)); err != nil {
			return nil, err
		}
	}
	if g.Distance {
		kind, _ = withDistance(kind)
	}
	if g.metric, err = neighbors.NewMetric(kind.Name, g.Sides...); err != nil {
		return nil, err
	}
	g.names = g.Columns
	if position := g.position(); position > 0 {
		g.names = append([]string{strings.Join(g.Columns[:position-1], ", ") + " and " + g.Columns[position-1]}, g.Columns[position:]...)
	}
	g.Angle = kind.Angle && !f.Scale.given()
	g.Pure = f.Scale.given()
	switch {
	case f.Scale.given():
		g.items, err = f.Scale.perCoordinate(g.names, g.shared())
	case kind.Position > 0 && len(g.names) > 1:
		err = exit.Usagef("--metric %s with further columns (%s) needs scales, as in --scale %s: ε is then a pure number", g.MetricName(),
			strings.Join(g.names[1:], ", "), exampleScale(len(g.names), g.shared()))
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// coordinateNames are pairs of names of columns that are coordinates in any catalog.
var coordinateNames = [][2]string{{"x", "y"}, {"lon", "lat"}, {"longitude", "latitude"}, {"glon", "glat"}, {"elon", "elat"}, {"l", "b"}}

// mostNamed is how many columns a message names.
const mostNamed = 8

// nameColumns adds, to an error about columns that were not found, an example of how to
// name them: the candidates ra and dec, or columns with common names of coordinates.
// Otherwise it lists the columns, since a guess would be taken for advice.
func nameColumns(err error, cat *catalog.Catalog, ra, dec string) error {
	var numbers []string
	byName := map[string]string{}
	for _, f := range cat.Fields() {
		if f.Type.IsNumber() {
			numbers = append(numbers, f.Name)
			byName[strings.ToLower(f.Name)] = f.Name
		}
	}
	pair := []string{ra, dec}
	for _, names := range coordinateNames {
		if pair[0] == "" || pair[1] == "" {
			pair = []string{byName[names[0]], byName[names[1]]}
		}
	}
	if z := byName["z"]; z != "" && pair[0] == byName["x"] && pair[1] == byName["y"] {
		pair = append(pair, z) // and else it would be taken for a plane
	}
	switch {
	case pair[0] != "" && pair[1] != "":
		return fmt.Errorf("%w, as in --columns %s", err, flags.JoinList(pair))
	case len(numbers) == 0:
		return err
	case len(numbers) > mostNamed:
		numbers = append(numbers[:mostNamed], "…")
	}
	return fmt.Errorf("%w with --columns; columns of numbers are %s", err, strings.Join(numbers, ", "))
}

// chosen returns the metric by --metric, by --box, or by what the columns are,
// and refuses flags that belong to another one.
func (f *Flags) chosen(cat *catalog.Catalog, columns []string) (neighbors.MetricKind, error) {
	fits := anyMetric
	switch {
	case f.Metric.Value != "":
		fits = func(k neighbors.MetricKind) bool { return k.Name == f.Metric.Value }
	case len(f.Box) > 0:
		fits = hasBox
	case f.Distance != "" || f.Frame.Value != "" || f.RAHours || cat.IsSky(columns):
		fits = onSky
	}
	metric := metrics(fits)[0]
	belong := func(pass func(neighbors.MetricKind) bool) string { return strings.Join(names(metrics(pass)), " or ") }
	switch {
	case len(f.Box) > 0 && !metric.Box:
		return metric, exit.Usagef("--box %s belongs to --metric %s, not to %s", &f.Box, belong(hasBox), metric.Name)
	case len(f.Box) == 0 && metric.Box:
		return metric, exit.Usagef("--metric %s needs --box L, or one side for each column, as in --box 100,100,0", metric.Name)
	case f.Distance != "" && !takesDistance(metric):
		return metric, exit.Usagef("--distance %s belongs to --metric %s, not to %s", f.Distance, belong(takesDistance), metric.Name)
	}
	return metric, nil
}

// position is the number of columns that are a position on or with the sky.
func (g *Geometry) position() int { return g.metric.PositionColumns() }

// shared says what the first scale is for.
func (g *Geometry) shared() sharedScale {
	return map[int]sharedScale{2: sharedAngle, 3: sharedLength}[g.position()]
}

// MetricName is the metric as --metric names it.
func (g *Geometry) MetricName() string {
	return cmp.Or(g.metric.Kind().WithoutDistance, g.metric.String())
}

// WhyMetric says why a metric was chosen that was not given.
func (g *Geometry) WhyMetric() string {
	switch kind := g.metric.Kind(); {
	case kind.Box:
		return "by --box"
	case onSky(kind):
		return "the columns are RA and Dec"
	}
	return "the default"
}

// Unscaled is the metric without scales, which says what rows are usable.
func (g *Geometry) Unscaled() neighbors.Metric { return g.metric }

// Radius turns a length given by a flag into the radius of the metric.
func (g *Geometry) Radius(flag string, l flags.Length) (float64, error) {
	r, err := g.radius(flag, l)
	if err != nil {
		return 0, err
	}
	return notTooSmall(flag, l, r)
}

func (g *Geometry) radius(flag string, l flags.Length) (float64, error) {
	switch {
	case l.Value == 0 && l.Unit != "" && !g.Angle:
		return l.Number(flag, "the unit is that of the columns")
	case l.Value == 0 && l.Text != "":
		return flags.Duplicates, nil
	case g.Angle:
		return l.Angle(flag)
	case g.Pure:
		return l.Number(flag, "with --scale distances have no unit")
	}
	for i, side := range g.Sides {
		if side > 0 && l.Value > side/2 && !g.Pure {
			return 0, exit.Usagef("%s %s: it is more than half of the side %v of the box along %s", flag, l.Text, side, g.Columns[i])
		}
	}
	return l.Number(flag, "the unit is that of the columns")
}

// Request is what to read for the geometry.
func (g *Geometry) Request(f *flags.Read, weights string) catalog.Request {
	return catalog.Request{
		Columns: g.Columns,
		Metric:  g.Unscaled(),
		Sky:     g.Sky,
		Units:   g.units,
		Frame:   g.Frame,
		Weights: weights,
		Where:   f.Where,
		Strict:  f.Strict,
		Empty:   f.Empty,
	}
}

// Took notes the units of the coordinates.
func (g *Geometry) Took(fields []catalog.Field) {
	if g.Angle || g.Pure {
		return
	}
	first := 0
	if g.Distance {
		first = 2
	}
	g.Unit = fields[first].Unit
	for _, f := range fields[first:] {
		if f.Unit != g.Unit {
			g.Unit = "" // mixed units are no unit
		}
	}
}

// Printed is the unit of angle that distances are printed in, "" if they are
// no angles. fallback is the unit where --unit is not given.
func (g *Geometry) Printed(unit flags.Choice, fallback string) (string, error) {
	switch {
	case g.Angle && unit.Value == "":
		return fallback, nil
	case !g.Angle && unit.Value != "":
		return "", exit.Usagef("--unit %s: distances are not angles here", unit.Value)
	}
	return unit.Value, nil
}

// Given returns the columns as --columns names them: without the distance.
func (g *Geometry) Given() []string {
	if !g.Distance {
		return g.Columns
	}
	return slices.Delete(slices.Clone(g.Columns), 2, 3)
}

func HasColumns(cat *catalog.Catalog, names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { _, err := cat.Field(n); return err != nil })
}

// Border is --border.
func Border() flags.Choice {
	return flags.NewChoice(dbscan.BorderFirst.String(), dbscan.BorderNearest.String())
}

// Bins reads --bins of distances of the geometry, which in a periodic box are at
// most half of a side.
func (g *Geometry) Bins(b *flags.Bins) (bins stats2b.Bins, unit string, err error) {
	if bins, unit, err = b.Parse("--bins", g.Angle); err == nil {
		err = g.InHalf("--bins "+b.Text, bins, func(int) bool { return true })
	}
	return bins, unit, err
}

// InHalf refuses bins beyond half of the sides of a periodic box along some of
// its axes; flag is what gives them.
func (g *Geometry) InHalf(flag string, bins stats2b.Bins, along func(axis int) bool) error {
	if err := edgesNotTooSmall(flag, bins); err != nil || g.Pure {
		return err
	}
	last := bins.Edge(bins.Len())
	for i, side := range g.Sides {
		if along(i) && side > 0 && last > side/2 {
			return exit.Usagef("%s: the last edge %v is more than half of the side %v of the box along %s", flag, last, side, g.Columns[i])
		}
	}
	return nil
}
