package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// geometryFlags say which columns are coordinates and how far apart rows are.
type geometryFlags struct {
	columns  list
	metric   choice
	distance string
	box      box
	scale    scale
	cosmology
}

func (f *geometryFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.metric = metricChoice()
	fs.VarP(&f.columns, "columns", "c", "coordinate columns in order, as in ra,dec; pos[0] is an element of a list column (default: RA and Dec, where the file tells)")
	fs.Var(&f.metric, "metric", "how distances are measured (default: sky when the columns are RA and Dec, else euclidean)")
	fs.StringVar(&f.distance, "distance", "", "`column` of distances that makes 3-D positions of RA and Dec; parallax:COL for pc of a parallax, redshift:COL for comoving Mpc")
	f.cosmology.register(fs)
	fs.Var(&f.box, "box", "sides of the periodic box, 0 for an open axis")
	fs.Var(&f.scale, "scale", "divide every coordinate by its scale, so that --eps is a pure number: none, standard (deviation), minmax, or one for each; on the sky RA and Dec share one, an angle, as in 0.5deg,0.4,0.4")
	completeColumns(cmd, "columns")
	completeColumns(cmd, "distance")
	complete(cmd, "metric", f.metric.values)
	complete(cmd, "scale", []string{"none", scaleStandard, scaleMinMax})
}

// metricChoice is --metric before it is given: the default depends on the
// columns.
func metricChoice() choice { return choice{"", []string{"euclidean", "sky", "periodic"}} }

// A geometry is the flags applied to a catalog.
type geometry struct {
	columns  []string // coordinates in order, the distance column third
	names    []string // of the scaled coordinates: RA and Dec are one
	detected bool     // the columns were found and not given
	sky      bool
	distance bool // the third column is a distance
	angle    bool // distances are angles
	pure     bool // distances are pure numbers
	sides    []float64
	items    []scaleItem // one for each of names, nil without scales
	unit     string      // of distances that are neither
}

// resolve applies the flags to the catalog. It reads no rows.
func (f *geometryFlags) resolve(cat *catalog.Catalog) (*geometry, error) {
	g := &geometry{columns: f.columns}
	if err := f.checkCosmology(); err != nil {
		return nil, err
	}
	if len(g.columns) == 0 {
		ra, dec, err := cat.Detect()
		if err != nil {
			return nil, nameColumns(err, cat, ra, dec)
		}
		g.columns, g.detected = []string{ra, dec}, true
	}
	for i, name := range g.columns {
		if _, err := cat.Field(name); err != nil {
			return nil, err // before what the other flags mean for other columns
		}
		for _, other := range g.columns[:i] {
			if name == other {
				return nil, usagef("--columns %s: %s is there twice", &f.columns, name)
			}
		}
	}
	metric, err := f.chosen(cat, g.columns)
	if err != nil {
		return nil, err
	}
	g.sky = metric == "sky"
	if g.sky && len(g.columns) < 2 {
		return nil, usagef("--columns %s: the sky metric needs two columns at least, RA and Dec", &f.columns)
	}
	g.distance = f.distance != ""
	if g.distance {
		column, err := f.distanceColumn(cat)
		if err != nil {
			return nil, err
		}
		g.columns = append(append(append([]string(nil), g.columns[:2]...), column), g.columns[2:]...)
	}
	if metric == "periodic" {
		if g.sides, err = f.box.sides(len(g.columns)); err != nil {
			return nil, err
		}
	}
	g.names = g.columns
	if position := g.position(); position > 0 {
		g.names = append([]string{strings.Join(g.columns[:position-1], ", ") + " and " + g.columns[position-1]}, g.columns[position:]...)
	}
	g.angle = g.sky && !g.distance && !f.scale.given()
	g.pure = f.scale.given()
	switch {
	case f.scale.given():
		g.items, err = f.scale.perCoordinate(g.names, g.shared())
	case g.sky && len(g.names) > 1:
		err = usagef("--metric sky with further columns (%s) needs scales, as in --scale %s: ε is then a pure number",
			strings.Join(g.names[1:], ", "), exampleScale(len(g.names), g.shared()))
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// nameColumns adds to an error about columns that were not found how they are
// named, by the candidates ra and dec or else the first two that could be.
func nameColumns(err error, cat *catalog.Catalog, ra, dec string) error {
	var numbers []string
	if ra != "" && dec != "" {
		numbers = []string{ra, dec}
	}
	for _, f := range cat.Fields() {
		if f.Type.IsNumber() && len(numbers) < 2 {
			numbers = append(numbers, f.Name)
		}
	}
	if len(numbers) == 0 {
		return err
	}
	return fmt.Errorf("%w, as in --columns %s", err, joinList(numbers))
}

// chosen returns the metric by --metric, by --box, or by what the columns are,
// and refuses flags that belong to another one.
func (f *geometryFlags) chosen(cat *catalog.Catalog, columns []string) (string, error) {
	metric := f.metric.value
	switch {
	case metric != "":
	case len(f.box) > 0:
		metric = "periodic"
	case f.distance != "" || cat.IsSky(columns):
		metric = "sky"
	default:
		metric = "euclidean"
	}
	switch {
	case len(f.box) > 0 && metric != "periodic":
		return "", usagef("--box %s belongs to --metric periodic, not to %s", &f.box, metric)
	case len(f.box) == 0 && metric == "periodic":
		return "", usagef("--metric periodic needs --box L, or one side for each column, as in --box 100,100,0")
	case f.distance != "" && metric != "sky":
		return "", usagef("--distance %s belongs to --metric sky, not to %s", f.distance, metric)
	}
	return metric, nil
}

// position is the number of columns that are a position on or with the sky.
func (g *geometry) position() int {
	switch {
	case g.distance:
		return 3
	case g.sky:
		return 2
	}
	return 0
}

// shared says what the first scale is for.
func (g *geometry) shared() sharedScale {
	return map[int]sharedScale{2: sharedAngle, 3: sharedLength}[g.position()]
}

// metricName is the metric as --metric names it.
func (g *geometry) metricName() string {
	switch {
	case g.sky:
		return "sky"
	case g.sides != nil:
		return "periodic"
	}
	return "euclidean"
}

// unscaled is the metric without scales, which says what rows are usable.
func (g *geometry) unscaled() neighbors.Metric {
	switch {
	case g.distance:
		return neighbors.SkyDistance()
	case g.sky:
		return neighbors.Sky()
	case g.sides != nil:
		return neighbors.Periodic(g.sides...)
	}
	return neighbors.Euclidean()
}

// radius turns a length given by a flag into the radius of the metric.
func (g *geometry) radius(flag string, l length) (float64, error) {
	switch {
	case g.angle:
		return l.angle(flag)
	case g.pure:
		return l.number(flag, "with --scale distances have no unit")
	}
	for i, side := range g.sides {
		if side > 0 && l.value > side/2 && !g.pure {
			return 0, usagef("%s %s: it is more than half of the side %v of the box along %s", flag, l.text, side, g.columns[i])
		}
	}
	return l.number(flag, "the unit is that of the columns")
}

// request is what to read for the geometry.
func (g *geometry) request(f *readFlags, weights string, progress func(int64)) catalog.Request {
	return catalog.Request{
		Columns:  g.columns,
		Metric:   g.unscaled(),
		Sky:      g.sky,
		Weights:  weights,
		Where:    f.where,
		Strict:   f.strict,
		Progress: progress,
	}
}

// took notes the units of the coordinates.
func (g *geometry) took(fields []catalog.Field) {
	if g.angle || g.pure {
		return
	}
	first := 0
	if g.distance {
		first = 2
	}
	g.unit = fields[first].Unit
	for _, f := range fields[first:] {
		if f.Unit != g.unit {
			g.unit = "" // mixed units are no unit
		}
	}
}
