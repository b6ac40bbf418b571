// Package pairs is what join and knn share: their flags, and the table of pairs.
package pairs

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/neighbors"
)

// Flags are those that join and knn share.
type Flags struct {
	Run       flags.Run
	Read      flags.Read
	Geometry  geometry.Flags
	Second    geometry.SecondFlags
	Out       flags.Output
	keep      flags.List
	Unit      flags.Choice
	algorithm flags.Choice
}

func (f *Flags) Register(cmd *cobra.Command, algorithms ...string) {
	fs := cmd.Flags()
	f.Geometry.Register(cmd)
	f.Second.Register(cmd)
	f.Read.Register(fs)
	f.Out.Register(fs, "table of row, neighbor and distance")
	fs.Var(&f.keep, "keep", "columns of either catalog to write too, as in source_id,phot_g_mean_mag")
	f.Unit = flags.Choice{Value: "", Values: flags.AngleUnitNames()}
	fs.Var(&f.Unit, "unit", "unit of written distances on the sky (default that of --eps, else arcsec)")
	f.algorithm = flags.NewChoice(append([]string{"auto"}, algorithms...)...)
	fs.Var(&f.algorithm, "algorithm", "how the CPU finds neighbours, one of "+strings.Join(f.algorithm.Values, ", ")+"; the answer is the same")
	f.Run.Register(cmd)
	flags.Needs(fs, []string{"keep", "unit"}, "output")
	flags.CompleteColumns(cmd, "keep")
	flags.Complete(cmd, "unit", f.Unit.Values)
	flags.Complete(cmd, "algorithm", f.algorithm.Values)
}

// Begin opens the catalogs and checks the request as far as that needs no
// rows. The caller closes the duo, also after an error.
func (f *Flags) Begin(ctx context.Context, a *job.App, command string, paths []string) (*job.Duo, error) {
	if err := f.Out.Check(f.Run.JSON); err != nil {
		return &job.Duo{Job: &job.Job{}}, err
	}
	j, err := job.New(a, command, &f.Run)
	if err != nil {
		return &job.Duo{Job: &job.Job{}}, err
	}
	d := &job.Duo{Job: j}
	if err := useAlgorithm(d.Job, f.algorithm.Value); err != nil {
		return d, err
	}
	if err := d.Open(ctx, paths, &f.Read); err != nil {
		return d, err
	}
	if err := d.Outputs(&f.Out); err != nil {
		return d, err
	}
	return d, exit.First(d.Resolve(&f.Geometry, &f.Second), d.Derive(f.keep...))
}

// useAlgorithm makes the joiner use the algorithm, which only the CPU can.
func useAlgorithm(j *job.Job, name string) error {
	a, err := neighbors.ParseAlgorithm(name)
	if err != nil || a == neighbors.Auto {
		return err
	}
	if j.Run.Device.Value != "auto" && j.Run.Device.Value != "cpu" {
		return exit.Usagef("--algorithm %s is one of the CPU; use --device cpu", name)
	}
	cpu := job.Cpu(j.Run)
	cpu.Algorithm = a
	j.Joiner, j.Run.Device.Value = cpu, "cpu"
	return nil
}

// Stream carries out the plan and writes its lists in the order of rows.
func Stream(ctx context.Context, d *job.Duo, plan *neighbors.Plan, half bool, w *PairWriter) error {
	start := time.Now()
	p := d.Rep.Phase("neighbours", int64(plan.Len()))
	defer p.End()
	err := neighbors.InOrder(ctx, d.Joiner, plan, neighbors.Order{Entries: entries(d, plan), Half: half, Threads: d.Run.Count(), Progress: p.Add},
		func(b *neighbors.Batch) error { return w.Batch(ctx, b) })
	if err == nil {
		err = w.finish(ctx)
	}
	d.Sum.Seconds.Write += w.spent.Seconds()
	d.Sum.Seconds.Join += (time.Since(start) - w.spent).Seconds()
	return exit.OverMemory(err)
}

// entries is how many neighbours may be held at once: what --memory leaves
// beside the index and the batches of the joiner.
func entries(d *job.Duo, plan *neighbors.Plan) int64 {
	if d.Run.Memory.Bytes == 0 {
		return 0
	}
	const neighbor, least = 12, 1 << 16 // bytes; the joiner refuses what is less
	const batch = 2 << 20               // bytes of a batch in flight
	left := d.Run.Memory.Bytes - plan.Memory() - int64(d.Run.Count())*batch - int64(plan.Len())*8
	return max(left/neighbor, least)
}
