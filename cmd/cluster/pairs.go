package main

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
	needs(fs, []string{"keep", "unit"}, "output")
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
	return d, firstError(d.resolve(&f.geometry, &f.second), d.derive(f.keep...))
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

// stream carries out the plan and writes its lists in the order of rows.
func (d *duo) stream(ctx context.Context, plan *neighbors.Plan, half bool, w *pairWriter) error {
	start := time.Now()
	p := d.rep.phase("neighbours", int64(plan.Len()))
	defer p.end()
	err := neighbors.InOrder(ctx, d.joiner, plan, neighbors.Order{Entries: d.entries(plan), Half: half, Threads: d.run.count(), Progress: p.add},
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
