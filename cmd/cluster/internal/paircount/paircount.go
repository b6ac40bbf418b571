// Package paircount is what hist, rdf and corr share: their flags, and counts of pairs in
// bins, in one run or in tiles.
package paircount

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/each"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

// Flags are those that the commands about pair counts share.
type Flags struct {
	job.Flags
	Bins      flags.Bins
	Weights   string
	weightsB  string
	Means     bool
	SecondOne string // what the second catalog is called in help
}

func (f *Flags) Register(cmd *cobra.Command, table, plot string) {
	f.RegisterPairs(cmd)
	f.Out.Register(cmd.Flags(), table)
	f.Out.RegisterPlot(cmd.Flags(), plot)
	f.Run.Register(cmd)
	f.Run.GPU.RegisterPairs(cmd, pairGPURows)
}

// RegisterPairs registers the flags that say what is counted.
func (f *Flags) RegisterPairs(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(&f.Bins, "bins", flags.BinsHelp)
	f.Geometry.Register(cmd)
	fs.StringVar(&f.Weights, "weights", "", "`column` of weights: a pair counts the product of those of its rows")
	f.Second.Register(cmd)
	fs.StringVar(&f.weightsB, "weights-b", "", "`column` of weights of "+f.SecondOne)
	flags.ForCatalogs(fs, 2, 2, ": there is no second catalog", "weights-b")
	fs.BoolVar(&f.Means, "mean-separation", false, "also the mean distance of the pairs in each bin, not weighted")
	f.Read.Register(fs)
	flags.CompleteColumns(cmd, "weights")
}

// pairGPURows is how many rows a CPU thread does while a GPU starts: 3 s of all
// pairs, or 0.1 s of short ones.
const pairGPURows = 100_000

// Begin opens the catalogs, the second of which may be none, and checks the
// request as far as that needs no rows.
func (f *Flags) Begin(ctx context.Context, a *job.App, command string, in job.Inputs) (*job.Job, error) {
	if f.Bins.Text == "" {
		return nil, exit.Usagef("--bins is needed: %s", flags.BinsHelp)
	}
	in.Also = append(in.Also, f.Bins.File())
	return f.Locate(ctx, a, command, in, cmp.Or(f.weightsB, f.Weights))
}

// WeightsOfB is the column of weights of the second catalog: --weights stands
// for it where the catalog has that column.
func (f *Flags) WeightsOfB(d *job.Job) string {
	if f.weightsB == "" && f.Weights != "" && d.B != nil && geometry.HasColumns(d.B.Cat, []string{f.Weights}) {
		return f.Weights
	}
	return f.weightsB
}

// Parameters writes the parameters of all.
func (f *Flags) Parameters(j *job.Job, unit string) {
	p := j.Parameters()
	p.Text("bins", f.Bins.Text)
	p.Text("unit", unit)
	p.Text("weights", f.Weights)
	p.Text("weights-b", f.WeightsOfB(j))
	p.Flag("mean-separation", f.Means)
}

// Samples returns the points and weights to count.
func Samples(j *job.Job) (a, b *stats2b.Sample) {
	a = &stats2b.Sample{Points: j.Sel.Points, Weights: j.Sel.Weights}
	if j.B != nil {
		b = &stats2b.Sample{Points: j.B.Sel.Points, Weights: j.B.Sel.Weights}
	}
	return a, b
}

// Tally counts pairs where --device says.
func Tally(ctx context.Context, j *job.Job, what string, a, b *stats2b.Sample, binning stats2b.Binning, patches int) (*stats2b.Tally, error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	rows := a.Points.Len()
	if b != nil {
		rows = max(rows, b.Points.Len())
	}
	count := func(joiner neighbors.Joiner) (*stats2b.Tally, error) {
		report, end := j.Rep.Stages()
		defer end()
		return stats2b.CountPatches(ctx, a, b, j.Metric, binning, patches, stats2b.Options{
			Joiner: joiner, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes,
			Progress: func(done, total int64) { report(what, done, total) },
		})
	}
	if stats2b.ByDistance(a, b, binning, patches) {
		return job.Compute(ctx, j, rows, count)
	}
	if j.Run.Device.Value == "gpu" {
		return nil, job.NoDevice("gpu", fmt.Errorf("%w: pairs with weights, patches, mean separations or bins of π or μ are counted on the CPU", errors.ErrUnsupported))
	}
	t, err := exit.Await(ctx, func() (*stats2b.Tally, error) { return count(j.Joiner) })
	return t, exit.OverMemory(err)
}

// Counted reads the rows and counts their pairs.
func (f *Flags) Counted(ctx context.Context, j *job.Job, bins stats2b.Bins, unit string) (*stats2b.Counts, error) {
	if err := j.Load(ctx, f.Weights, f.WeightsOfB(j)); err != nil {
		return nil, err
	}
	f.Parameters(j, unit)
	a, b := Samples(j)
	t, err := Tally(ctx, j, "pairs", a, b, stats2b.Binning{Bins: bins, Means: f.Means}, 0)
	if err != nil {
		return nil, err
	}
	return t.Counts(), nil
}

// HistTable is the table of the counts of bins.
func HistTable(bins stats2b.Bins, unit string, c *stats2b.Counts) *report.BinTable {
	t := &report.BinTable{}
	t.Edges(bins, unit)
	t.Counts("count", "pairs in the bin", c.Pairs)
	if c.Weights != nil {
		t.Float("weight", "", "sum of the products of the weights of the pairs", c.Weights)
	}
	t.Separations(c, bins.Len(), unit)
	return t
}

// Write writes the table and draws the figure.
func Write(ctx context.Context, j *job.Job, t *report.BinTable, d job.Drawing) error {
	defer j.Timed(&j.Sum.Seconds.Write)()
	if err := j.Table(ctx, j.Out.Output, t.Columns); err != nil {
		return err
	}
	return j.Plot(ctx, j.Out.Plots, d)
}

// Values64 returns the counts as a figure draws them.
func Values64(c *stats2b.Counts) []float64 {
	return each.To(len(c.Pairs), c.Value)
}

// Found are the pairs of a histogram.
type Found struct {
	Pairs  int64         `json:"pairs" jsonschema:"all pairs that were compared: unordered ones of one catalog, ordered ones of two"`
	Under  int64         `json:"under" jsonschema:"pairs below the first bin"`
	Over   int64         `json:"over" jsonschema:"pairs beyond the last bin"`
	Weight *report.Float `json:"total_weight,omitempty" jsonschema:"sum of the products of the weights of all pairs, with --weights"`
}

// Result is that of hist.
type Result struct {
	Found
	report.Bins
}

// ReportCounts says how many pairs there are in and out of the bins.
func ReportCounts(r *report.Object, c *stats2b.Counts) {
	found := Found{Pairs: int64(c.Total), Under: int64(c.Under), Over: int64(c.Over)}
	if c.Weights != nil {
		found.Weight = new(report.Float(c.TotalWeight))
	}
	r.Add(found)
}
