package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
	"skyjoin/stats2b"
)

const histLong = `Counts all pairs of rows by distance: the unordered pairs of one catalog, or
with --with those of a row of IN with a row of the other. Counts are exact.
Bins are half open; pairs below the first and beyond the last edge are counted
too.`

const histExample = `  # all pairs of a simulation, in 100 bins
  cluster hist points.parquet -c x,y,z --bins lin:0:173.3:100 -o hist.csv -p hist.png

  # pairs of galaxies by angle, weighted
  cluster hist galaxies.csv -c RA,Dec --bins log:0.01deg:10deg:20 --weights w`

// statFlags are those that the commands about pair counts share.
type statFlags struct {
	run       runFlags
	read      readFlags
	geometry  geometryFlags
	second    secondFlags
	out       outputFlags
	bins      binSpec
	weights   string
	weightsB  string
	means     bool
	secondOne string // what the second catalog is called in help
}

func (f *statFlags) register(cmd *cobra.Command, table, plot string) {
	f.registerPairs(cmd)
	f.out.register(cmd.Flags(), table)
	f.out.registerPlot(cmd.Flags(), plot)
	f.run.register(cmd)
	f.run.gpu.registerPairs(cmd, pairGPURows)
}

// registerPairs registers the flags that say what is counted.
func (f *statFlags) registerPairs(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(&f.bins, "bins", binsHelp)
	f.geometry.register(cmd)
	fs.StringVar(&f.weights, "weights", "", "`column` of weights: a pair counts the product of those of its rows")
	f.second.register(cmd)
	fs.StringVar(&f.weightsB, "weights-b", "", "`column` of weights of "+f.secondOne)
	fs.BoolVar(&f.means, "mean-separation", false, "also the mean distance of the pairs in each bin, not weighted")
	f.read.register(fs)
	completeColumns(cmd, "weights")
}

// pairGPURows is how many rows a CPU thread does while a GPU starts: 3 s of all
// pairs, or 0.1 s of short ones.
const pairGPURows = 100_000

// begin opens the catalogs, the second of which may be none, and checks the
// request as far as that needs no rows. The caller closes the duo, also after
// an error.
func (f *statFlags) begin(ctx context.Context, a *app, command string, paths, with []string, more ...string) (*duo, error) {
	none := &duo{job: &job{}}
	if f.bins.text == "" {
		return none, usagef("--bins is needed: %s", binsHelp)
	}
	if err := f.out.check(f.run.json, more...); err != nil {
		return none, err
	}
	j, err := newJob(a, command, &f.run)
	if err != nil {
		return none, err
	}
	d := &duo{job: j}
	if err := j.open(ctx, paths, &f.read); err != nil {
		return d, err
	}
	if len(with) > 0 {
		if err := d.openSecond(ctx, with, &f.read); err != nil {
			return d, err
		}
	} else if f.weightsB != "" {
		return d, usagef("--weights-b %s: there is no second catalog", f.weightsB)
	}
	if err := d.outputs(&f.out); err != nil {
		return d, err
	}
	return d, firstError(d.resolve(&f.geometry, &f.second), d.derive(firstOf(f.weightsB, f.weights)))
}

// weightsOfB is the column of weights of the second catalog: --weights stands
// for it where the catalog has that column.
func (f *statFlags) weightsOfB(d *duo) string {
	if f.weightsB == "" && f.weights != "" && d.b != nil && hasColumns(d.b.cat, []string{f.weights}) {
		return f.weights
	}
	return f.weightsB
}

// parameters writes the parameters of all.
func (f *statFlags) parameters(d *duo, unit string) *parameters {
	p := d.parametersOf(&f.geometry, &f.read, &f.second)
	p.text("bins", f.bins.text)
	if unit != "" {
		p.text("unit", unit)
	}
	if f.weights != "" {
		p.text("weights", f.weights)
	}
	if w := f.weightsOfB(d); w != "" {
		p.text("weights-b", w)
	}
	p.flag("mean-separation", f.means)
	return p
}

// samples are what is counted.
func (d *duo) samples() (a, b *stats2b.Sample) {
	a = &stats2b.Sample{Points: d.sel.Points, Weights: d.sel.Weights}
	if d.b != nil {
		b = &stats2b.Sample{Points: d.b.sel.Points, Weights: d.b.sel.Weights}
	}
	return a, b
}

// tally counts pairs where --device says.
func (d *duo) tally(ctx context.Context, what string, a, b *stats2b.Sample, binning stats2b.Binning, patches int) (t *stats2b.Tally, err error) {
	defer d.sum.Seconds.lap(&d.sum.Seconds.Join, time.Now())
	rows := a.Points.Len()
	if b != nil {
		rows = max(rows, b.Points.Len())
	}
	on := d.on
	if !stats2b.ByDistance(a, b, binning, patches) {
		if d.run.device.value == "gpu" {
			return nil, noDevice("gpu", fmt.Errorf("%w: pairs with weights, patches, mean separations or bins of π or μ are counted on the CPU", errors.ErrUnsupported))
		}
		on = func(_ int, work func(neighbors.Joiner) error) error { return work(d.joiner) }
	}
	err = on(rows, func(joiner neighbors.Joiner) error {
		report, end := d.rep.stages()
		defer end()
		return await(ctx, func() (err error) {
			t, err = stats2b.CountPatches(ctx, a, b, d.metric, binning, patches, stats2b.Options{
				Joiner: joiner, Threads: d.run.count(), Memory: d.run.memory.bytes,
				Progress: func(done, total int64) { report(what, done, total) },
			})
			return err
		})
	})
	return t, overMemory(err)
}

type histOptions struct {
	statFlags
	with []string
}

func newHist(a *app) *cobra.Command {
	o := &histOptions{statFlags: statFlags{secondOne: "the catalog --with"}}
	cmd := &cobra.Command{
		Use:     "hist IN… --bins SPEC",
		Short:   "histogram of the distances of all pairs",
		Long:    histLong,
		Example: histExample,
		Args:    needFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	o.register(cmd, "table of lo, hi and count", "the histogram")
	o.registerWith(cmd)
	return cmd
}

func (o *histOptions) registerWith(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&o.with, "with", nil, "a second catalog, a `file`: pairs are of a row of IN with a row of it")
}

func (o *histOptions) execute(ctx context.Context, a *app, paths []string) error {
	d, err := o.begin(ctx, a, "hist", paths, o.with)
	defer d.close()
	if err != nil {
		return err
	}
	bins, unit, err := d.geo.bins(&o.bins)
	if err != nil {
		return err
	}
	c, p, err := o.counted(ctx, d, bins, unit)
	if err != nil {
		return err
	}
	unit = firstOf(unit, d.geo.unit)
	table := histTable(bins, unit, c)
	if err := o.write(ctx, d.job, table, p.metadata, figure.Histogram{Bins: bins, Values: values64(c), Unit: unit, Weighted: c.Weights != nil, Style: o.out.of()}); err != nil {
		return err
	}
	reportCounts(&d.sum.Result, c)
	d.sum.showBins(table)
	return d.finish()
}

// counted reads the rows and counts their pairs.
func (f *statFlags) counted(ctx context.Context, d *duo, bins stats2b.Bins, unit string) (*stats2b.Counts, *parameters, error) {
	if err := d.loadBoth(ctx, &f.read, &f.second, f.weights, f.weightsOfB(d)); err != nil {
		return nil, nil, err
	}
	p := f.parameters(d, unit)
	x, y := d.samples()
	t, err := d.tally(ctx, "pairs", x, y, stats2b.Binning{Bins: bins, Means: f.means}, 0)
	if err != nil {
		return nil, nil, err
	}
	return t.Counts(), p, nil
}

func histTable(bins stats2b.Bins, unit string, c *stats2b.Counts) *binTable {
	t := &binTable{}
	t.edges(bins, unit)
	t.counts("count", "pairs in the bin", c.Pairs)
	if c.Weights != nil {
		t.float("weight", "", "sum of the products of the weights of the pairs", c.Weights)
	}
	t.separations(c, bins.Len(), unit)
	return t
}

// write writes the table and draws the figure.
func (f *statFlags) write(ctx context.Context, j *job, t *binTable, meta []catalog.KeyValue, d drawing) error {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	if f.out.output != "" {
		if err := j.table(ctx, f.out.output, f.out.force, t.columns, meta); err != nil {
			return err
		}
	}
	return j.plot(ctx, &f.out, d)
}

// values64 is what is drawn of counts.
func values64(c *stats2b.Counts) []float64 {
	v := make([]float64, len(c.Pairs))
	for i := range v {
		v[i] = c.Value(i)
	}
	return v
}

// reportCounts says how many pairs there are in and out of the bins.
func reportCounts(r *object, c *stats2b.Counts) {
	r.set("pairs", int64(c.Total))
	r.set("under", int64(c.Under))
	r.set("over", int64(c.Over))
	if c.Weights != nil {
		r.set("total_weight", c.TotalWeight)
	}
}
