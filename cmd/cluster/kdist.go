package main

import (
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/dbscan"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

const kdistLong = `Helps to choose --eps of dbscan: the distance of every row to its K-th nearest
other row, sorted, is flat within clusters and steep outside of them, and the
knee between the two is a radius that separates them. K counts other rows, so
it goes with --min-points K+1.`

const kdistExample = `  # which --eps goes with --min-points 10?
  cluster kdist galaxies.csv -c RA,Dec -k 9 -p kdist.png

  # with the scales of the clustering, and the distances as a table
  cluster kdist gaia.parquet -c ra,dec,pmra,pmdec,parallax --scale 0.08deg,0.25,0.25,0.12 -k 14 -o kdist.csv`

type kdistOptions struct {
	run      runFlags
	read     readFlags
	geometry geometryFlags
	out      outputFlags
	k        integer
	unit     choice
}

func newKDist(a *app) *cobra.Command {
	o := &kdistOptions{k: integer{least: 1}, unit: choice{"", angleUnitNames()}}
	cmd := &cobra.Command{
		Use:     "kdist IN… -k K",
		Short:   "k-distance curve, its knee, and advice for --eps",
		Long:    kdistLong,
		Example: kdistExample,
		Args:    needFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	fs.VarP(&o.k, "k", "k", "which neighbour, counting other rows: min-points less 1")
	o.geometry.register(cmd)
	o.read.register(fs)
	o.out.register(fs, "table of row and kdist")
	o.out.registerPlot(fs, "the curve")
	fs.Var(&o.unit, "unit", "unit of printed distances on the sky (default arcsec)")
	o.run.register(cmd)
	o.run.gpu.register(cmd, nearestRows)
	complete(cmd, "unit", o.unit.values)
	return cmd
}

func (o *kdistOptions) execute(ctx context.Context, a *app, paths []string) error {
	if o.k.value == 0 {
		return usagef("-k is needed: which neighbour, as in -k 9 for --min-points 10")
	}
	if err := o.out.check(o.run.json); err != nil {
		return err
	}
	j, err := openJob(ctx, a, "kdist", &o.run, &o.read, paths)
	if err != nil {
		return err
	}
	defer j.cat.Close()
	if err := j.outputs(&o.out); err != nil {
		return err
	}
	if j.geo, err = o.geometry.resolve(j.cat); err != nil {
		return err
	}
	unit, err := j.geo.printed(o.unit, "arcsec")
	if err != nil {
		return err
	}
	if err := j.load(ctx, &o.read, ""); err != nil {
		return err
	}
	if unit == "" {
		unit = j.geo.unit
	}
	p := j.parameters(&o.geometry, &o.read)
	p.add("k", o.k.value, o.k.String())
	if unit != "" {
		p.text("unit", unit)
	}
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
	if err := o.write(ctx, j, distances, knee, elbow, unit, p.metadata); err != nil {
		return err
	}
	o.report(j, curve, knee, elbow, unit)
	return j.finish()
}

// distances returns the k-distance of each point.
func (o *kdistOptions) distances(ctx context.Context, j *job, unit string) (d []float64, err error) {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Join, time.Now())
	report, end := j.rep.stages()
	defer end()
	k := int(min(o.k.value, math.MaxInt))
	err = await(ctx, func() (err error) {
		return j.on(j.sel.Points.Len(), func(joiner neighbors.Joiner) (err error) {
			join := j.join(report)
			join.Joiner = joiner
			d, err = dbscan.KDistances(ctx, j.sel.Points, j.metric, k, join)
			return err
		})
	})
	if err != nil {
		return nil, overMemory(err)
	}
	if j.geo.angle {
		for i := range d {
			d[i] /= radians(unit)
		}
	}
	return d, nil
}

func (o *kdistOptions) write(ctx context.Context, j *job, distances []float64, knee, elbow dbscan.Knee, unit string, meta []catalog.KeyValue) error {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	if o.out.output != "" {
		err := j.table(ctx, o.out.output, o.out.force, []catalog.Column{
			{Field: catalog.Field{Name: "row", Type: catalog.Int64, Description: "row of the input, from 0"}, Int64: j.rows()},
			{Field: catalog.Field{Name: "kdist", Type: catalog.Float64, Unit: unit, Description: "distance to the k-th nearest other row"}, Float64: distances},
		}, meta)
		if err != nil {
			return err
		}
	}
	return j.plot(ctx, &o.out, figure.KDistance{Style: o.out.of(), Distances: distances, K: int(o.k.value), Knee: knee.Distance, Elbow: elbow.Distance, Unit: unit})
}

func (o *kdistOptions) report(j *job, curve []float64, knee, elbow dbscan.Knee, unit string) {
	r := &j.sum.Result
	r.set("rows", int64(len(curve)))
	r.set("min", curve[0])
	r.set("median", curve[len(curve)/2])
	r.set("max", curve[len(curve)-1])
	r.set("elbow", elbow.Distance)
	if !(knee.Distance > 0) {
		r.set("knee", math.NaN())
		j.sum.advice = []string{"the curve has no knee, so it does not tell --eps"}
		return
	}
	suffix := ""
	if j.geo.angle {
		suffix = unit
	}
	eps := roundedUp(knee.Distance)
	r.set("knee", knee.Distance)
	r.set("eps", floatText(eps)+suffix)
	r.set("min_points", o.k.value+1)
	minPoints := " --min-points " + strconv.FormatInt(o.k.value+1, 10)
	j.sum.advice = append(j.sum.advice, "--eps "+floatText(eps)+suffix+minPoints+", the knee: most rows are in clusters")
	if elbow.Distance > 0 {
		j.sum.advice = append(j.sum.advice, "--eps "+floatText(roundedUp(elbow.Distance))+suffix+minPoints+", the elbow: clusters are few rows in a field")
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
