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
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

const doc = `kdist IN… -k K
k-distance curve, its knee, and advice for --eps

Helps to choose --eps of dbscan: the distance of every row to its K-th nearest
other row, sorted, is flat within clusters and steep outside of them, and the
knee between the two is a radius that separates them. K counts other rows, so
it goes with --min-points K+1.

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
	distances, err := o.distances(ctx, j, unit)
	if err != nil {
		return err
	}
	curve := slices.Sorted(slices.Values(distances))
	knee, _ := dbscan.FindKnee(curve)
	elbow, found := dbscan.FindElbow(curve)
	if !found {
		elbow.Distance = math.NaN()
	}
	if err := o.write(ctx, j, distances, knee, elbow, unit); err != nil {
		return err
	}
	o.report(j, curve, knee, elbow, unit)
	return j.Finish()
}

// distances returns the k-distance of each point.
func (o *Options) distances(ctx context.Context, j *job.Job, unit string) ([]float64, error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	report, end := j.Rep.Stages()
	defer end()
	k := int(min(o.k.Value, math.MaxInt))
	d, err := job.Compute(ctx, j, j.Sel.Points.Len(), func(joiner neighbors.Joiner) ([]float64, error) {
		join := j.Join(report)
		join.Joiner = joiner
		return dbscan.KDistances(ctx, j.Sel.Points, j.Metric, k, join)
	})
	for i := range d {
		d[i] /= j.PerEdge(unit)
	}
	return d, err
}

func (o *Options) write(ctx context.Context, j *job.Job, distances []float64, knee, elbow dbscan.Knee, unit string) error {
	defer j.Timed(&j.Sum.Seconds.Write)()
	err := j.Table(ctx, o.Out.Output, []catalog.Column{
		columns.Ints("row", catalog.Int64, "row of the input, from 0", j.Rows()),
		columns.Reals("kdist", unit, "distance to the k-th nearest other row", distances),
	})
	if err != nil {
		return err
	}
	return j.Plot(ctx, o.Out.Plots, figure.KDistance{Style: o.Out.Of(), Distances: distances, K: int(o.k.Value), Knee: knee.Distance, Elbow: elbow.Distance, Unit: unit})
}

func (o *Options) report(j *job.Job, curve []float64, knee, elbow dbscan.Knee, unit string) {
	r := &j.Sum.Result
	r.Set("rows", int64(len(curve)))
	r.Set("min", curve[0])
	r.Set("median", curve[len(curve)/2])
	r.Set("max", curve[len(curve)-1])
	r.Set("elbow", elbow.Distance)
	if !(knee.Distance > 0) {
		r.Set("knee", math.NaN())
		j.Sum.Advice = []string{"the curve has no knee, so it does not tell --eps"}
		return
	}
	suffix := ""
	if j.Geo.Angle {
		suffix = unit
	}
	eps := roundedUp(knee.Distance)
	r.Set("knee", knee.Distance)
	r.Set("eps", human.FloatText(eps)+suffix)
	r.Set("min_points", o.k.Value+1)
	minPoints := " --min-points " + strconv.FormatInt(o.k.Value+1, 10)
	j.Sum.Advice = append(j.Sum.Advice, "--eps "+human.FloatText(eps)+suffix+minPoints+", the knee: most rows are in clusters")
	if elbow.Distance > 0 {
		j.Sum.Advice = append(j.Sum.Advice, "--eps "+human.FloatText(roundedUp(elbow.Distance))+suffix+minPoints+", the elbow: clusters are few rows in a field")
	}
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
