package main

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

// pairFlags are those that join and knn share.
type pairFlags struct {
	run       runFlags
	read      readFlags
	geometry  geometryFlags
	second    secondFlags
	out       outputFlags
	keep      list
	unit      choice
	algorithm choice
}

func (f *pairFlags) register(cmd *cobra.Command, algorithms ...string) {
	fs := cmd.Flags()
	f.geometry.register(cmd)
	f.second.register(cmd)
	f.read.register(fs)
	f.out.register(fs, "table of row, neighbor and distance")
	fs.Var(&f.keep, "keep", "columns of either catalog to write too, as in source_id,phot_g_mean_mag")
	f.unit = choice{"", angleUnitNames()}
	fs.Var(&f.unit, "unit", "unit of written distances on the sky (default that of --eps, else arcsec)")
	f.algorithm = newChoice(append([]string{"auto"}, algorithms...)...)
	fs.Var(&f.algorithm, "algorithm", "how the CPU finds neighbours, one of "+strings.Join(f.algorithm.values, ", ")+"; the answer is the same")
	f.run.register(cmd)
	completeColumns(cmd, "keep")
	complete(cmd, "unit", f.unit.values)
	complete(cmd, "algorithm", f.algorithm.values)
}

// begin opens the catalogs and checks the request as far as that needs no
// rows. The caller closes the duo, also after an error.
func (f *pairFlags) begin(ctx context.Context, a *app, command string, paths []string) (*duo, error) {
	if err := f.out.check(f.run.json); err != nil {
		return &duo{job: &job{}}, err
	}
	j, err := newJob(a, command, &f.run)
	if err != nil {
		return &duo{job: &job{}}, err
	}
	d := &duo{job: j}
	if err := d.useAlgorithm(f.algorithm.value); err != nil {
		return d, err
	}
	if err := d.open(ctx, paths, &f.read); err != nil {
		return d, err
	}
	if err := d.outputs(&f.out); err != nil {
		return d, err
	}
	if err := d.resolve(&f.geometry, &f.second); err != nil {
		return d, err
	}
	return d, nil
}

// useAlgorithm makes the joiner use the algorithm, which only the CPU can.
func (j *job) useAlgorithm(name string) error {
	a, err := neighbors.ParseAlgorithm(name)
	if err != nil || a == neighbors.Auto {
		return err
	}
	if j.run.device.value != "auto" && j.run.device.value != "cpu" {
		return usagef("--algorithm %s is one of the CPU; use --device cpu", name)
	}
	cpu := j.run.cpu()
	cpu.Algorithm = a
	j.joiner, j.run.device.value = cpu, "cpu"
	return nil
}

// parametersOf writes the parameters of both catalogs.
func (d *duo) parametersOf(g *geometryFlags, r *readFlags, s *secondFlags) *parameters {
	p := d.parameters(g, r)
	if d.b == nil {
		return p
	}
	p.list("columns-b", d.b.geo.given())
	if d.b.geo.detected {
		d.sum.remark("columns_b", "found in the file")
	}
	if d.b.geo.distance {
		p.text("distance-b", d.b.geo.columns[2])
	}
	if s.where != "" {
		p.text("where-b", s.where)
	}
	return p
}

// printed is the unit of angle that distances are printed in, "" if they are
// no angles. fallback is the unit where --unit is not given.
func (g *geometry) printed(unit choice, fallback string) (string, error) {
	switch {
	case g.angle && unit.value == "":
		return fallback, nil
	case !g.angle && unit.value != "":
		return "", usagef("--unit %s: distances are not angles here", unit.value)
	}
	return unit.value, nil
}

// A pairWriter writes pairs of rows as they come, with columns of either side.
type pairWriter struct {
	d     *duo
	w     *table.Writer
	kept  []kept
	fn    func(distance float64) float64 // to the unit that is written
	rows  []int64
	near  []int64
	dists []float64

	written int64         // pairs
	spent   time.Duration // in writing
}

// pairBlock is how many rows are written at once.
const pairBlock = 1 << 16

// pairFields are the columns of every table of pairs.
func pairFields(unit string) []catalog.Field {
	return []catalog.Field{
		{Name: "row", Type: catalog.Int64, Description: "row of the first catalog, from 0"},
		{Name: "neighbor", Type: catalog.Int64, Description: "row of the catalog of the neighbours, from 0"},
		{Name: "distance", Type: catalog.Float64, Unit: unit, Description: "distance of the two rows"},
	}
}

// newPairWriter starts the table -o.
func (d *duo) newPairWriter(ctx context.Context, f *pairFlags, unit string, pad bool, meta []catalog.KeyValue) (*pairWriter, error) {
	w := &pairWriter{d: d, fn: func(x float64) float64 { return x }}
	written := unit
	if d.geo.angle {
		per := radians(unit)
		w.fn = func(x float64) float64 { return x / per }
	} else if !d.geo.pure {
		written = d.geo.unit
	}
	fields := pairFields(written)
	reserved := []string{"row", "neighbor", "distance"}
	data, _ := d.data()
	var err error
	if w.kept, err = keep(f.keep, d.cat, data, reserved, false, pad); err != nil {
		return nil, err
	}
	for _, k := range w.kept {
		fields = append(fields, k.field)
	}
	if err := readKept(ctx, d.cat, side(w.kept, false)); err != nil {
		return nil, err
	}
	if err := readKept(ctx, data, side(w.kept, true)); err != nil {
		return nil, err
	}
	w.w, err = table.NewWriter(f.out.output, fields, table.Options{Force: f.out.force, Metadata: meta, Threads: d.run.count()})
	return w, err
}

// batch writes the lists of a batch.
func (w *pairWriter) batch(ctx context.Context, b *neighbors.Batch) error {
	_, data := w.d.data()
	for i, r := range b.Rows {
		row := catalogRow(w.d.sel, r)
		dist := b.Dists(i)
		for k, q := range b.List(i) {
			near := int64(-1)
			if q != neighbors.None {
				near = catalogRow(data, q)
			}
			w.rows, w.near, w.dists = append(w.rows, row), append(w.near, near), append(w.dists, w.fn(dist[k]))
			if len(w.rows) == pairBlock {
				if err := w.flush(ctx); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (w *pairWriter) flush(ctx context.Context) error {
	defer func(start time.Time) { w.spent += time.Since(start) }(time.Now())
	columns := []catalog.Column{{Int64: w.rows}, {Int64: w.near}, {Float64: w.dists}}
	for _, k := range w.kept {
		rows := w.rows
		if k.second {
			rows = w.near
		}
		columns = append(columns, pick(&k.values, k.field, rows))
	}
	err := w.w.WriteRows(ctx, columns)
	w.written += int64(len(w.rows))
	w.rows, w.near, w.dists = w.rows[:0], w.near[:0], w.dists[:0]
	return err
}

// finish writes what is left and gives the table its name.
func (w *pairWriter) finish(ctx context.Context) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	defer func(start time.Time) { w.spent += time.Since(start) }(time.Now())
	return w.w.Commit(ctx)
}

// stream carries out the plan and writes its lists in the order of rows.
func (d *duo) stream(ctx context.Context, plan *neighbors.Plan, half bool, w *pairWriter) error {
	start := time.Now()
	p := d.rep.phase("neighbours", int64(plan.Len()))
	defer p.end()
	err := neighbors.InOrder(ctx, d.joiner, plan, neighbors.Order{Entries: d.entries(plan), Half: half, Progress: p.add},
		func(b *neighbors.Batch) error { return w.batch(ctx, b) })
	if err == nil {
		err = w.finish(ctx)
	}
	d.sum.Seconds.Write += w.spent.Seconds()
	d.sum.Seconds.Join += (time.Since(start) - w.spent).Seconds()
	return overMemory(err)
}

// entries is how many neighbours may be held at once: what --memory leaves
// beside the index and the batches of the joiner.
func (d *duo) entries(plan *neighbors.Plan) int64 {
	if d.run.memory.bytes == 0 {
		return 0
	}
	const neighbor, least = 12, 1 << 16 // bytes; the joiner refuses what is less
	const batch = 2 << 20               // bytes of a batch in flight
	left := d.run.memory.bytes - plan.Memory() - int64(d.run.count())*batch - int64(plan.Len())*8
	return max(left/neighbor, least)
}

// ratio is a/b, NaN, which summaries write as null, for b = 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
