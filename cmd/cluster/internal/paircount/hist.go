// Package paircount is what hist, rdf and corr share: their flags, and counts of pairs in
// bins, in one run or in tiles.
package paircount

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

// Flags are those that the commands about pair counts share.
type Flags struct {
	Run       flags.Run
	Read      flags.Read
	Geometry  geometry.Flags
	Second    geometry.SecondFlags
	Out       flags.Output
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
	fs.BoolVar(&f.Means, "mean-separation", false, "also the mean distance of the pairs in each bin, not weighted")
	f.Read.Register(fs)
	flags.CompleteColumns(cmd, "weights")
}

// pairGPURows is how many rows a CPU thread does while a GPU starts: 3 s of all
// pairs, or 0.1 s of short ones.
const pairGPURows = 100_000

// Begin opens the catalogs, the second of which may be none, and checks the
// request as far as that needs no rows. The caller closes the duo, also after
// an error.
func (f *Flags) Begin(ctx context.Context, a *job.App, command string, paths, with []string, more ...string) (*job.Duo, error) {
	none := &job.Duo{Job: &job.Job{}}
	if f.Bins.Text == "" {
		return none, exit.Usagef("--bins is needed: %s", flags.BinsHelp)
	}
	if err := f.Out.Check(f.Run.JSON, more...); err != nil {
		return none, err
	}
	j, err := job.New(a, command, &f.Run)
	if err != nil {
		return none, err
	}
	d := &job.Duo{Job: j}
	if err := j.Open(ctx, paths, &f.Read); err != nil {
		return d, err
	}
	if len(with) > 0 {
		if err := d.OpenSecond(ctx, with, &f.Read); err != nil {
			return d, err
		}
	} else if f.weightsB != "" {
		return d, exit.Usagef("--weights-b %s: there is no second catalog", f.weightsB)
	}
	if err := exit.First(d.Reads(f.Bins.File()), d.Outputs(&f.Out)); err != nil {
		return d, err
	}
	return d, exit.First(d.Resolve(&f.Geometry, &f.Second), d.Derive(human.FirstOf(f.weightsB, f.Weights)))
}

// WeightsOfB is the column of weights of the second catalog: --weights stands
// for it where the catalog has that column.
func (f *Flags) WeightsOfB(d *job.Duo) string {
	if f.weightsB == "" && f.Weights != "" && d.B != nil && geometry.HasColumns(d.B.Cat, []string{f.Weights}) {
		return f.Weights
	}
	return f.weightsB
}

// Parameters writes the parameters of all.
func (f *Flags) Parameters(d *job.Duo, unit string) *report.Parameters {
	p := d.ParametersOf(&f.Geometry, &f.Read, &f.Second)
	p.Text("bins", f.Bins.Text)
	if unit != "" {
		p.Text("unit", unit)
	}
	if f.Weights != "" {
		p.Text("weights", f.Weights)
	}
	if w := f.WeightsOfB(d); w != "" {
		p.Text("weights-b", w)
	}
	p.Flag("mean-separation", f.Means)
	return p
}

// Samples are what is counted.
func Samples(d *job.Duo) (a, b *stats2b.Sample) {
	a = &stats2b.Sample{Points: d.Sel.Points, Weights: d.Sel.Weights}
	if d.B != nil {
		b = &stats2b.Sample{Points: d.B.Sel.Points, Weights: d.B.Sel.Weights}
	}
	return a, b
}

// Tally counts pairs where --device says.
func Tally(ctx context.Context, d *job.Duo, what string, a, b *stats2b.Sample, binning stats2b.Binning, patches int) (t *stats2b.Tally, err error) {
	defer d.Sum.Seconds.Lap(&d.Sum.Seconds.Join, time.Now())
	rows := a.Points.Len()
	if b != nil {
		rows = max(rows, b.Points.Len())
	}
	on := d.On
	if !stats2b.ByDistance(a, b, binning, patches) {
		if d.Run.Device.Value == "gpu" {
			return nil, job.NoDevice("gpu", fmt.Errorf("%w: pairs with weights, patches, mean separations or bins of π or μ are counted on the CPU", errors.ErrUnsupported))
		}
		on = func(_ int, work func(neighbors.Joiner) error) error { return work(d.Joiner) }
	}
	err = on(rows, func(joiner neighbors.Joiner) error {
		report, end := d.Rep.Stages()
		defer end()
		return exit.Await(ctx, func() (err error) {
			t, err = stats2b.CountPatches(ctx, a, b, d.Metric, binning, patches, stats2b.Options{
				Joiner: joiner, Threads: d.Run.Count(), Memory: d.Run.Memory.Bytes,
				Progress: func(done, total int64) { report(what, done, total) },
			})
			return err
		})
	})
	return t, exit.OverMemory(err)
}

// Counted reads the rows and counts their pairs.
func (f *Flags) Counted(ctx context.Context, d *job.Duo, bins stats2b.Bins, unit string) (*stats2b.Counts, *report.Parameters, error) {
	if err := d.LoadBoth(ctx, &f.Read, &f.Second, f.Weights, f.WeightsOfB(d)); err != nil {
		return nil, nil, err
	}
	p := f.Parameters(d, unit)
	x, y := Samples(d)
	t, err := Tally(ctx, d, "pairs", x, y, stats2b.Binning{Bins: bins, Means: f.Means}, 0)
	if err != nil {
		return nil, nil, err
	}
	return t.Counts(), p, nil
}

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
func (f *Flags) Write(ctx context.Context, j *job.Job, t *report.BinTable, meta []catalog.KeyValue, d job.Drawing) error {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Write, time.Now())
	if f.Out.Output != "" {
		if err := j.Table(ctx, f.Out.Output, f.Out.Force, t.Columns, meta); err != nil {
			return err
		}
	}
	return j.Plot(ctx, &f.Out, d)
}

// Values64 is what is drawn of counts.
func Values64(c *stats2b.Counts) []float64 {
	v := make([]float64, len(c.Pairs))
	for i := range v {
		v[i] = c.Value(i)
	}
	return v
}

// ReportCounts says how many pairs there are in and out of the bins.
func ReportCounts(r *report.Object, c *stats2b.Counts) {
	r.Set("pairs", int64(c.Total))
	r.Set("under", int64(c.Under))
	r.Set("over", int64(c.Over))
	if c.Weights != nil {
		r.Set("total_weight", c.TotalWeight)
	}
}
