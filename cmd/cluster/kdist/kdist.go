// Package kdist is 'cluster kdist', which draws the k-distance curve and advises on --eps.
package kdist

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

const doc = `kdist IN… -k K
k-distance curve, its knee, and advice for --eps

Helps to choose --eps of dbscan: the distance of every row to its K-th nearest
other row, sorted, is flat within clusters and steep outside of them. K counts
other rows, so it goes with --min-points K+1.

The radii along the curve are tried out, as scan does, and eps is the radius of
the plateau: of the widest range at which most clusters last.
The knee and the elbow of the curve are further advice, and all there is for
catalogs of more than 262,144 rows, for which scan takes a while.

Examples:
  # which --eps goes with --min-points 10?
  cluster kdist galaxies.csv -c RA,Dec -k 9 -p kdist.png

  # with the scales of the clustering, and the distances as a table
  cluster kdist gaia.parquet -c ra,dec,pmra,pmdec,parallax --scale 0.08deg,0.25,0.25,0.12 -k 14 -o kdist.csv`

// Options are the flags of the command.
type Options struct {
	job.Flags
	k    flags.Integer
	unit flags.Choice
}

func New(a *job.App) *cobra.Command {
	o := &Options{k: flags.Integer{Least: 1}}
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	fs.VarP(&o.k, "k", "k", "which neighbour, counting other rows: min-points less 1")
	o.Geometry.Register(cmd)
	o.Read.Register(fs)
	o.Out.Register(fs, "table of row and kdist")
	o.Out.RegisterPlot(fs, "the curve")
	flags.AddOptional(fs, &o.unit, "unit", "unit of printed distances on the sky (default arcsec)", flags.AngleUnitNames()...)
	o.Run.Register(cmd)
	o.Run.GPU.Register(cmd, flags.NearestRows)
	return cmd
}

// Run draws the k-distance curve and advises on --eps.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if o.k.Value == 0 {
		return exit.Usagef("-k is needed: which neighbour, as in -k 9 for --min-points 10")
	}
	j, err := o.Locate(ctx, a, "kdist", job.Inputs{Paths: paths})
	if err != nil {
		return err
	}
	defer j.Close()
	unit, err := j.Geo.Printed(o.unit, "arcsec")
	if err != nil {
		return err
	}
	if err := j.Load(ctx, "", ""); err != nil {
		return err
	}
	unit = cmp.Or(unit, j.Geo.Unit)
	p := j.Parameters()
	p.Int("k", o.k.Value)
	p.Text("unit", unit)
	distances, scan, err := o.compute(ctx, j)
	if err != nil {
		return err
	}
	per := j.PerEdge(unit)
	for i := range distances {
		distances[i] /= per
	}
	if scan != nil {
		if at, ok := scan.Plateau(); ok {
			p.Found("plateau", at.Epsilon/per)
		}
	}
	if err := o.write(ctx, j, distances, unit); err != nil {
		return err
	}
	slices.Sort(distances) // in place: there may be many
	f := find(distances, scan, per)
	if err := o.plot(ctx, j, f, unit); err != nil {
		return err
	}
	o.report(j, f, unit)
	return j.Finish(ctx)
}

// mostScanned is the number of rows up to which the radii are scanned, which takes
// as long as 96 runs of dbscan.
const mostScanned = 1 << 18

// compute returns the k-distance of each point, in the unit of the metric, and what
// dbscan finds at the radii that they tell of; nil for more rows than are scanned.
func (o *Options) compute(ctx context.Context, j *job.Job) (distances []float64, scan *dbscan.Scan, err error) {
	progress, end := j.Rep.Stages()
	defer end()
	k, rows := int(min(o.k.Value, math.MaxInt-1)), j.Sel.Points.Len()
	distances, err = job.Compute(ctx, j, rows, func(joiner neighbors.Joiner) ([]float64, error) {
		defer j.Timed(&j.Sum.Seconds.Join)()
		join := j.Join(progress)
		join.Joiner = joiner
		return dbscan.KDistances(ctx, j.Sel.Points, j.Metric, k, join)
	})
	labels := int64(4*dbscan.ScanSteps) * int64(rows) // what a scan keeps
	if err != nil || rows > mostScanned || j.Run.Memory.Bytes > 0 && labels > j.Run.Memory.Bytes/2 {
		return distances, nil, err
	}
	curve := slices.Sorted(slices.Values(distances))
	scan, err = exit.Await(ctx, func() (*dbscan.Scan, error) {
		defer j.Timed(&j.Sum.Seconds.Cluster)()
		join := j.Join(progress)
		return dbscan.ScanCurve(ctx, j.Sel.Points, j.Metric, curve, dbscan.ScanSteps,
			dbscan.Options{MinPoints: float64(k) + 1, Threads: join.Threads, Memory: join.Memory, Progress: join.Progress})
	})
	return distances, scan, exit.OverMemory(err)
}

func (o *Options) write(ctx context.Context, j *job.Job, distances []float64, unit string) error {
	if o.Out.Output == "" {
		return nil
	}
	defer j.Timed(&j.Sum.Seconds.Write)()
	return j.Table(ctx, o.Out.Output, []catalog.Column{
		columns.Ints("row", catalog.Int64, "row of the input, from 0", j.Rows()),
		columns.Reals("kdist", unit, "distance to the k-th nearest other row", distances),
	})
}

func (o *Options) plot(ctx context.Context, j *job.Job, f *findings, unit string) error {
	defer j.Timed(&j.Sum.Seconds.Write)()
	return j.Plot(ctx, o.Out.Plots, figure.KDistance{Style: o.Out.Of(), Distances: f.curve, K: int(o.k.Value), Plateau: f.plateau.Epsilon / f.per, Knee: f.knee, Elbow: f.elbow, Unit: unit})
}

// roundedUp returns the least number of three digits that is not less than x,
// which is positive.
func roundedUp(x float64) float64 {
	text := strconv.FormatFloat(x, 'e', 2, 64)
	v, _ := strconv.ParseFloat(text, 64) // text is a number
	if v >= x {
		return v
	}
	exponent := int(math.Floor(math.Log10(v)))
	next, _ := strconv.ParseFloat(strconv.FormatFloat(v+math.Pow10(exponent-2), 'e', 2, 64), 64)
	return next
}
