// Package optics is 'cluster optics', which orders rows by reachability.
package optics

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pages"
	"skyjoin/hdbscan/optics"
	"skyjoin/internal/each"
	"skyjoin/internal/page"
	"skyjoin/io/figure"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

const doc = `optics IN… --min-samples M -o OUT
order of rows by reachability (OPTICS)

Orders rows by reachability: OPTICS. The next row is the one that is nearest to
those before it, measured by the larger of the distance and the distance of the
earlier row to its --min-samples-th nearest, itself included; ties go to the lowest
row. Clusters are valleys of reachability in that order, which depends on the order
of the input; 'cluster hdbscan' finds clusters of every density that do not.

The output has all columns and rows of the input, in their order, and the columns
order (position, from 0), reachability and core_distance (inf where there is none)
and predecessor (row of the input, -1 for none), and with --extract cluster.

Examples:
  # the plot of a field, and the clusters in it
  cluster optics galaxies.csv -c RA,Dec --min-samples 10 --max-eps 1deg --extract xi:0.05 -o ordered.csv

  # clusters at a radius
  cluster optics galaxies.csv -c RA,Dec --min-samples 10 --extract dbscan:0.15deg -o ordered.csv`

// Options are the flags of the command.
type Options struct {
	job.Flags

	samples flags.Number
	weights string
	maxEps  flags.Length
	extract extraction
	size    flags.Integer
	unit    flags.Choice
	curve   string // figure
	usual   pages.Usual
}

// New returns the command.
func New(a *job.App) *cobra.Command {
	o := &Options{size: flags.Integer{Least: 1}, unit: flags.Choice{Value: "", Values: flags.AngleUnitNames()}}
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	fs.Var(&o.samples, "min-samples", "density is measured by the distance to the nearest row of this number, the row itself included; with --weights, the number is a sum of weights")
	fs.Var(&o.maxEps, "max-eps", "distance beyond which rows do not reach each other (default none)")
	o.Geometry.Register(cmd)
	fs.StringVar(&o.weights, "weights", "", "`column` of weights")
	fs.Var(&o.extract, "extract", "clusters: dbscan:E at a radius, or xi:X by slopes of the plot, as in xi:0.05")
	fs.Var(&o.size, "min-cluster-size", "rows of a cluster of --extract xi (default --min-samples)")
	o.Read.Register(fs)
	o.Out.Register(fs, "ordered table")
	fs.Var(&o.unit, "unit", "unit of distances on the sky that are written (default arcsec)")
	o.Out.RegisterPlot(fs, "map of the clusters")
	fs.StringVar(&o.curve, "plot-reachability", "", "reachability in the order: a .png, .svg or .pdf `file`")
	o.Out.RegisterMap(cmd)
	o.Out.RegisterPages(cmd)
	o.Out.PlotsPages(fs, "plot-reachability")
	o.usual.Register(cmd, "plot="+flags.PageFile)
	o.Run.Register(cmd)
	o.Run.GPU.Register(cmd, flags.NearestRows)
	flags.CompleteColumns(cmd, "weights")
	flags.Needs(fs, []string{"min-cluster-size", "plot"}, "extract")
	flags.Needs(fs, []string{"unit"}, "output", "plot-reachability")
	return cmd
}

// check refuses requests that are wrong for any catalog.
func (o *Options) check() error {
	m := o.samples.Value
	switch {
	case !o.samples.Given:
		return exit.Usagef("--min-samples is needed: the distance to the M-th nearest row measures the density, as in --min-samples 10")
	case o.weights == "" && (m < 1 || m != math.Trunc(m)):
		return exit.Usagef("--min-samples %v: it must be a whole number of at least 1; a row counts itself", m)
	case m <= 0:
		return exit.Usagef("--min-samples %v: a sum of weights must be positive", m)
	case o.size.Value > 0 && o.extract.xi == 0:
		return exit.Usagef("--min-cluster-size %d: it belongs to --extract xi", o.size.Value)
	}
	return nil
}

// Run carries out the command.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if err := o.check(); err != nil {
		return err
	}
	j, err := o.Locate(ctx, a, "optics", job.Inputs{Paths: paths, Pages: []string{o.curve}})
	if err != nil {
		return err
	}
	defer j.Close()
	if err := j.CanMap(&o.Out); err != nil {
		return err
	}
	unit, err := j.Geo.Printed(o.unit, "arcsec")
	if err != nil {
		return err
	}
	maxEps, eps := 0.0, 0.0
	if o.maxEps.Value > 0 {
		if maxEps, err = j.Geo.Radius("--max-eps", o.maxEps); err != nil {
			return err
		}
	}
	if o.extract.eps.Value > 0 {
		if eps, err = j.Geo.Radius("--extract", o.extract.eps); err != nil {
			return err
		}
	}
	if maxEps > 0 && eps > maxEps {
		return exit.Usagef("--extract %s is above --max-eps %s, beyond which nothing is ordered", &o.extract, &o.maxEps)
	}
	if err := j.Load(ctx, o.weights, ""); err != nil {
		return err
	}
	o.parameters(j)
	order, err := o.order(ctx, j, maxEps)
	if err != nil {
		return err
	}
	labels, clusters, err := o.take(order, eps)
	if err != nil {
		return err
	}
	if err := o.write(ctx, j, order, labels, unit); err != nil {
		return err
	}
	if err := o.report(ctx, j, order, labels, clusters); err != nil {
		return err
	}
	return j.Finish(ctx)
}

// parameters names the flags that the order depends on.
func (o *Options) parameters(j *job.Job) {
	p := j.Parameters()
	p.Number("min-samples", o.samples.Value)
	p.Text("weights", o.weights)
	p.Length("max-eps", o.maxEps)
	p.Text("extract", o.extract.text)
	if o.size.Value > 0 {
		p.Int("min-cluster-size", o.size.Value)
	}
}

func (o *Options) order(ctx context.Context, j *job.Job, maxEps float64) (order *optics.Ordering, err error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	progress, end := j.Rep.Stages()
	defer end()
	opt := optics.Options{
		MinSamples: o.samples.Value, Weights: j.Sel.Weights, MaxEps: maxEps,
		Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes, Progress: progress,
	}
	err = exit.Do(ctx, func() error {
		return j.On(j.Sel.Points.Len(), func(joiner neighbors.Joiner) (err error) {
			opt.Joiner = joiner
			order, err = optics.Run(ctx, j.Sel.Points, j.Metric, opt)
			return err
		})
	})
	return order, exit.OverMemory(err)
}

// take takes clusters from the order; labels are nil if none are asked for.
func (o *Options) take(order *optics.Ordering, eps float64) (labels []int32, clusters []optics.Cluster, err error) {
	switch {
	case eps > 0:
		labels, err = order.Cut(eps)
	case o.extract.xi > 0:
		clusters, labels, err = order.Xi(optics.Xi{Steepness: o.extract.xi, MinClusterSize: int(o.size.Value)})
	}
	return labels, clusters, err
}

func (o *Options) write(ctx context.Context, j *job.Job, order *optics.Ordering, labels []int32, unit string) error {
	defer j.Timed(&j.Sum.Seconds.Write)()
	rows := j.Rows()
	place, before := make([]int64, len(rows)), make([]int64, len(rows))
	for i, row := range order.Order {
		place[row] = int64(i)
		if before[row] = -1; order.Predecessor[row] >= 0 {
			before[row] = rows[order.Predecessor[row]]
		}
	}
	if j.Geo.Angle {
		for _, v := range [][]float64{order.Reachability, order.CoreDistance} {
			for i := range v {
				v[i] /= flags.Radians(unit)
			}
		}
	} else {
		unit = j.Geo.Unit
	}
	columns := []table.Column{
		{Name: "order", Int64: place, Rows: j.Sel.Rows, Description: "position in the order, from 0"},
		{Name: "reachability", Float64: order.Reachability, Unit: unit, Rows: j.Sel.Rows, Description: "distance by which earlier rows reach the row"},
		{Name: "core_distance", Float64: order.CoreDistance, Unit: unit, Rows: j.Sel.Rows, Description: "distance to the min-samples-th nearest row"},
		{Name: "predecessor", Int64: before, Rows: j.Sel.Rows, Description: "row of the input that reaches the row, -1 for none"},
	}
	if labels != nil {
		columns = append(columns, table.Column{Name: "cluster", Int32: labels, Rows: j.Sel.Rows, Description: "cluster number, -1 for noise"})
	}
	if err := j.Append(ctx, columns); err != nil {
		return err
	}
	if err := pages.Plot(ctx, j, labels, "cluster", &o.usual); err != nil {
		return err
	}
	return o.plotCurve(ctx, j, order, labels, unit)
}

// plotCurve draws the reachability in the order.
func (o *Options) plotCurve(ctx context.Context, j *job.Job, order *optics.Ordering, labels []int32, unit string) error {
	if o.curve == "" {
		return nil
	}
	f := figure.Reachability{Unit: unit, Style: o.Out.Of()}
	for _, row := range order.Order {
		f.Reachability = append(f.Reachability, order.Reachability[row])
		if labels != nil {
			f.Labels = append(f.Labels, labels[row])
		}
	}
	return pages.Chart(ctx, j, []string{o.curve}, f, func(h page.Head) pages.Document {
		h.Label = f.Unit
		if j.Geo.Angle {
			h.Unit = f.Unit
		}
		h.Command = j.Again("optics", "extract", "min-cluster-size")
		core := each.Of(order.Order, func(row uint32) float64 { return order.CoreDistance[row] })
		return &page.Reachability{Head: h, Reachability: f.Reachability, Core: core, Labels: f.Labels}
	})
}

// Result is that of the command: clusters only with --extract.
type Result struct {
	ordered
	*extracted
}

type ordered struct {
	Rows   int64 `json:"rows" jsonschema:"rows in the order"`
	Starts int64 `json:"starts" jsonschema:"rows that no row before them reaches"`
}

type extracted struct {
	Clusters  int64    `json:"clusters" jsonschema:"clusters of the labels"`
	Noise     int64    `json:"noise" jsonschema:"rows in none"`
	Largest   int64    `json:"largest" jsonschema:"rows of the largest cluster"`
	Hierarchy []Nested `json:"hierarchy,omitempty" jsonschema:"clusters of xi, which may lie in others"`
}

// A Nested is a cluster of a hierarchy, by places in the order.
type Nested struct {
	Start  int64 `json:"start" jsonschema:"first place"`
	End    int64 `json:"end" jsonschema:"last place"`
	Parent int64 `json:"parent" jsonschema:"cluster that it lies in, -1 for none"`
}

func (o *Options) report(ctx context.Context, j *job.Job, order *optics.Ordering, labels []int32, clusters []optics.Cluster) error {
	r := &j.Sum.Result
	starts := int64(0)
	for _, p := range order.Predecessor {
		if p < 0 {
			starts++
		}
	}
	r.Add(ordered{int64(len(order.Order)), starts})
	if labels == nil {
		return o.hint(ctx, j, starts, -1, -1)
	}
	noise, sizes := int64(0), map[int32]int64{}
	for _, l := range labels {
		if l == optics.Noise {
			noise++
		} else {
			sizes[l]++
		}
	}
	largest := int64(0)
	for _, n := range sizes {
		largest = max(largest, n)
	}
	r.Add(extracted{int64(len(sizes)), noise, largest, each.Of(clusters, func(c optics.Cluster) Nested { return Nested{int64(c.Start), int64(c.End), int64(c.Parent)} })})
	return o.hint(ctx, j, starts, int64(len(sizes)), noise)
}

// hint says what to try where nothing is reached, or where the clusters separate
// nothing; clusters is -1 if none are asked for.
func (o *Options) hint(ctx context.Context, j *job.Job, starts, clusters, noise int64) error {
	n, wrong := int64(j.Sel.Points.Len()), ""
	switch {
	case !j.Hints() || n < 2 || o.weights != "":
		return nil
	case starts == n && o.maxEps.Value > 0:
		wrong = fmt.Sprintf("no row reaches another: none has %v others within --max-eps %s", o.samples.Value-1, &o.maxEps)
	case clusters == 0:
		wrong = fmt.Sprintf("all rows are noise with --extract %s", &o.extract)
	case clusters == 1 && noise == 0:
		wrong = fmt.Sprintf("all rows are in one cluster with --extract %s", &o.extract)
	default:
		return nil
	}
	return j.HintRadius(ctx, max(int(o.samples.Value)-1, 1), cmp.Or(o.extract.eps.Unit, o.maxEps.Unit, o.unit.Value, "arcsec"), wrong)
}
