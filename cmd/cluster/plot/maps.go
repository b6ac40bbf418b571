package plot

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pages"
	"skyjoin/dbscan"
	"skyjoin/internal/page"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

// drawMap draws the clusters of a catalog by position, or by --x and --y.
func (d *drawing) drawMap(ctx context.Context) error {
	labels, err := d.load(ctx)
	if err != nil {
		return err
	}
	if err := d.writeRegions(ctx, labels); err != nil {
		return err
	}
	m := d.job.ClusterMap(labels)
	if d.invertY {
		if m.Sky {
			return exit.Usagef("--invert-y: %s and %s are RA and Dec, which have a direction on the sky", d.x, d.y)
		}
		m.FlipY = true
	}
	if err := d.show(ctx, m); err != nil {
		return err
	}
	_, files := page.Split(d.Out.Plots)
	return pages.Map(ctx, d.job, files, labels, pages.Label{Column: d.labels, InCatalog: d.has(d.labels)}, &d.panels.Usual)
}

// drawPanels draws the panels in which clusters of stars are judged.
func (d *drawing) drawPanels(ctx context.Context) error {
	labels, err := d.load(ctx)
	if err != nil {
		return err
	}
	if err := d.panels.Find(d.job.Cat); err != nil {
		return err
	}
	return d.panels.Draw(ctx, d.job, d.Out.Plots, labels)
}

// load reads the positions and labels of the catalog, all files of which are one.
func (d *drawing) load(ctx context.Context) ([]int32, error) {
	j := d.job
	if len(d.paths) > 1 {
		j.Cat.Close()
		if err := j.Open(ctx, d.paths, nil); err != nil {
			return nil, err
		}
	}
	if err := d.locate(); err != nil {
		return nil, err
	}
	if err := j.Resolve(); err != nil {
		return nil, err
	}
	if err := j.CanMap(&d.Out); err != nil {
		return nil, err
	}
	if err := j.LoadFirst(ctx, ""); err != nil {
		return nil, err
	}
	j.Params.List("columns", j.Geo.Columns)
	d.rows = int64(j.Sel.Points.Len())
	labels, err := d.labelsOf(ctx, &table{cat: j.Cat, sel: j.Sel})
	if err != nil || !slices.Contains(labels, unused) {
		return labels, err
	}
	return d.used(labels), nil
}

// used leaves out the rows that the run left out, which have no label.
func (d *drawing) used(labels []int32) (kept []int32) {
	s := d.job.Sel
	var points, rows []uint32
	for i, l := range labels {
		if l != unused {
			kept, points, rows = append(kept, l), append(points, uint32(i)), append(rows, uint32(job.CatalogRow(s, uint32(i))))
		}
	}
	s.Points, s.Rows = s.Points.Subset(points), rows
	d.job.Sum.Note("labels", "%s without one are left out", human.Plural(int64(len(labels)-len(kept)), "row", "rows"))
	d.rows = int64(len(kept))
	return kept
}

// unused is the label of rows that have none.
const unused = dbscan.Noise - 1

// locate takes as coordinates --x and --y, or else the first two of the run that made
// the table, as that run took them.
func (d *drawing) locate() error {
	g := &d.Geometry
	if d.x != "" {
		g.Columns = flags.List{d.x, d.y}
		return nil
	}
	names := parameterList(d.parameter("columns"))
	if len(names) < 2 || slices.ContainsFunc(names[:2], func(name string) bool { return !d.has(name) }) {
		return nil // as any catalog: RA and Dec
	}
	g.Columns = flags.List(names[:2])
	g.Frame.Value, g.RAHours = d.parameter("frame"), d.parameter("ra-hours") == "true"
	switch metric := d.parameter("metric"); metric {
	case "periodic":
		sides := strings.Split(d.parameter("box"), ",")
		g.Metric.Value = metric
		return g.Box.Set(strings.Join(sides[:min(2, len(sides))], ","))
	case "euclidean":
		g.Metric.Value = metric
	}
	return nil
}

// parameterList are the items of a list as a table records it.
func parameterList(text string) []string {
	var l flags.List
	if text == "" || l.Set(text) != nil {
		return nil
	}
	return l
}

// labelsOf reads the cluster numbers of the rows, nil if there are none.
func (d *drawing) labelsOf(ctx context.Context, t *table) ([]int32, error) {
	if !t.has(d.labels) {
		if d.labels != "cluster" {
			_, err := t.cat.Field(d.labels)
			return nil, err
		}
		return nil, nil
	}
	cols, err := job.ReadColumns(ctx, t.cat, d.labels)
	if err != nil {
		return nil, err
	}
	v, err := columns.NumbersOf(&cols[0], t.sel)
	if err != nil {
		return nil, exit.Usagef("--labels %s: %s", d.labels, exit.Message(err))
	}
	labels := make([]int32, len(v))
	for i, x := range v {
		switch {
		case math.IsNaN(x):
			labels[i] = unused
		case x < 0:
			labels[i] = dbscan.Noise
		case x != math.Trunc(x) || x > math.MaxInt32:
			return nil, exit.Usagef("--labels %s: %v is no cluster number", d.labels, x)
		default:
			labels[i] = int32(x)
		}
	}
	return labels, nil
}

// offsets draws where the matched row is, as seen from the first.
func (d *drawing) offsets(ctx context.Context) error {
	sides := [2]*catalog.Selection{}
	for i, suffix := range []string{"", "-b"} {
		names := parameterList(d.parameter("columns" + suffix))
		if len(names) < 2 {
			names = []string{"ra", "dec"}
		}
		for k, name := range names[:2] {
			if numbered := fmt.Sprintf("%s_%d", name, i+1); d.has(numbered) {
				names[k] = numbered
			}
		}
		units, _, err := d.job.Cat.Units(names[0], names[1], d.parameter("ra-hours"+suffix) == "true")
		if err != nil {
			return exit.Usagef("%s: no offsets can be drawn: %s", d.paths[0], exit.Message(err))
		}
		r := &d.Read
		sides[i], err = d.job.Select(ctx, d.job.Cat, catalog.Request{Columns: names[:2], Metric: neighbors.Sky(), Sky: true, Units: units, Frame: d.parameter("frame" + suffix), Where: r.Where, Strict: r.Strict, Empty: r.Empty})
		if err != nil {
			return err
		}
	}
	d.job.Sum.Input.Took(d.job.Cat.Files(), sides[0])
	unit := d.parameter("unit")
	if unit == "" {
		unit = "arcsec"
	}
	per := flags.Radians(unit) * 180 / math.Pi
	var x, y []float64
	a, b := sides[0].Points, sides[1].Points
	for i, k := 0, 0; i < a.Len() && k < b.Len(); {
		switch from, to := job.CatalogRow(sides[0], uint32(i)), job.CatalogRow(sides[1], uint32(k)); {
		case from < to:
			i++
		case from > to:
			k++
		default:
			ra := math.Remainder(b.Column(0).At(k)-a.Column(0).At(i), 360)
			x = append(x, ra*math.Cos(a.Column(1).At(i)*math.Pi/180)/per)
			y = append(y, (b.Column(1).At(k)-a.Column(1).At(i))/per)
			i, k = i+1, k+1
		}
	}
	d.rows = int64(len(x))
	return d.show(ctx, figure.ClusterMap{
		X: neighbors.Float64s(x), Y: neighbors.Float64s(y), Style: d.Out.Of(),
		XAxis: figure.Axis{Name: "Δα∗", Unit: unit}, YAxis: figure.Axis{Name: "Δδ", Unit: unit},
	})
}

// confusion draws how classes were predicted, of --label of classify or of --x and --y.
func (d *drawing) confusion(ctx context.Context) error {
	truth, predicted := d.x, d.y
	if truth == "" {
		truth, predicted = d.parameter("label"), "predicted"
	}
	if truth == "" || !d.has(truth) || !d.has(predicted) {
		return exit.Usagef("%s: name the columns of true and of predicted classes by --x and --y", d.paths[0])
	}
	cols, err := job.ReadColumns(ctx, d.job.Cat, truth, predicted)
	if err != nil {
		return err
	}
	var passed []bool
	if d.Read.Where != "" {
		passed, err = d.passed(ctx)
		if err != nil {
			return err
		}
	}
	counts := map[[2]string]int64{}
	var classes []string
	for i := range cols[0].Len() {
		if passed != nil && !passed[i] || cols[0].IsNull(i) {
			continue
		}
		key := [2]string{columns.Text(&cols[0], i), ""}
		if !slices.Contains(classes, key[0]) {
			classes = append(classes, key[0])
		}
		if !cols[1].IsNull(i) {
			key[1] = columns.Text(&cols[1], i)
		}
		counts[key]++
		d.rows++
	}
	return d.show(ctx, confusionOf(classes, counts, d.Out.Of()))
}

// confusionOf is the matrix; what is predicted to be of no true class is in a column of
// its own.
func confusionOf(classes []string, counts map[[2]string]int64, style figure.Style) figure.ConfusionMatrix {
	slices.SortFunc(classes, func(a, b string) int {
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		if errX == nil && errY == nil && x != y {
			return int(math.Copysign(1, x-y))
		}
		return strings.Compare(a, b)
	})
	m := figure.ConfusionMatrix{Classes: classes, Style: style}
	other := int64(0)
	for key, n := range counts {
		if !slices.Contains(classes, key[1]) {
			other += n
		}
	}
	if other > 0 {
		m.Outside = "(none)"
	}
	for _, a := range classes {
		var row []int64
		rest := int64(0)
		for key, n := range counts {
			if key[0] == a && !slices.Contains(classes, key[1]) {
				rest += n
			}
		}
		for _, b := range classes {
			row = append(row, counts[[2]string{a, b}])
		}
		if other > 0 {
			row = append(row, rest)
		}
		m.Count = append(m.Count, row)
	}
	return m
}

// passed are the rows that --where keeps.
func (d *drawing) passed(ctx context.Context) ([]bool, error) {
	for _, f := range d.job.Cat.Fields() {
		if f.Type.IsNumber() {
			sel, err := d.job.Select(ctx, d.job.Cat, catalog.Request{Columns: []string{f.Name}, Metric: neighbors.Euclidean(), Where: d.Read.Where, Empty: true})
			if err != nil {
				return nil, err
			}
			return sel.Passed, nil
		}
	}
	return nil, exit.Usagef("--where %s: no column of %s has numbers", d.Read.Where, d.paths[0])
}
