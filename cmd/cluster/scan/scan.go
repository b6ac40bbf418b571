// Package scan is 'cluster scan', which shows what dbscan finds over a range of radii.
package scan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pages"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/dbscan"
	"skyjoin/internal/page"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

const doc = `scan IN… --min-points M [--eps LO:HI:N]
what DBSCAN finds over a range of radii, and the plateau

Clusters the rows with many radii at once, as dbscan does with each, and names the
plateau: the widest range of radii, by their ratio, at which most clusters last.
A cluster lasts if more than half of it stays the same while the radius grows by a
factor of 1.41; the others, clumps of chance among them, count against a radius.
Radii at which one cluster has absorbed everything are passed over.

--eps LO:HI:N gives N radii, evenly spaced in their logarithms. Without it they
are taken from the curve of distances that kdist shows: 96 from the least
distance to the K-th neighbour, K being one less than --min-points, to the knee.
Several --min-points are scanned one after the other.

The table has, for each radius, clusters, core, border and noise rows, the rows
of the largest cluster, and stability: the share of the rows in clusters that
keep theirs at the next radius.

Examples:
  # which --eps for galaxies, and what is found there?
  cluster scan galaxies.csv -c RA,Dec --min-points 10 -p scan.png

  # a range of one's own, for two numbers of neighbours
  cluster scan gaia.parquet -c ra,dec,pmra,pmdec,parallax --scale 0.08deg,0.25,0.25,0.12 \
      --eps 0.5:1.5:40 --min-points 15,20 -o scan.csv`

// Options are the flags of the command.
type Options struct {
	job.Flags
	Radii     Radii
	MinPoints Counts
	Star      bool
	Unit      flags.Choice
}

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	fs.Var(&o.Radii, "eps", "N radii from LO to HI, as in 0.5:1.5:40; on the sky with units, as in 1arcmin:10arcmin:40 (default: from the k-distance curve)")
	fs.Var(&o.MinPoints, "min-points", "how many rows within --eps, the row itself included, make it core; several, as in 10,20, are scanned one after the other")
	fs.BoolVar(&o.Star, "star", false, "DBSCAN*: border rows are noise")
	o.Geometry.Register(cmd)
	o.Read.Register(fs)
	o.Out.Register(fs, "table with a row for each radius")
	o.Out.RegisterPlot(fs, "curves of what is found")
	o.Out.PlotsPages(fs)
	flags.AddOptional(fs, &o.Unit, "unit", "unit of printed radii on the sky (default that of --eps, else arcsec)", flags.AngleUnitNames()...)
	o.Run.Register(cmd)
	o.Run.GPU.Register(cmd, flags.OnlyAsked)
	return cmd
}

// Run scans the radii.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	switch {
	case len(o.MinPoints) == 0:
		return exit.Usagef("--min-points is needed: how many rows within --eps make a row core, as in --min-points 10")
	case len(o.MinPoints) > 1 && len(o.Out.Plots) > 0:
		return exit.Usagef("--plot %s: a figure shows one scan, --min-points %s asks for %d", o.Out.Plots[0], &o.MinPoints, len(o.MinPoints))
	}
	j, err := o.Locate(ctx, a, "scan", job.Inputs{Paths: paths})
	if err != nil {
		return err
	}
	defer j.Close()
	unit, err := j.Geo.Printed(o.Unit, cmp.Or(o.Radii.Hi.Unit, "arcsec"))
	if err != nil {
		return err
	}
	radii, err := o.Radii.in(j.Geo)
	if err != nil {
		return err
	}
	if err := j.Load(ctx, "", ""); err != nil {
		return err
	}
	p := j.Parameters()
	p.Text("eps", o.Radii.String())
	p.Add("min-points", o.MinPoints.floats(), o.MinPoints.String())
	p.Flag("star", o.Star)
	p.Text("unit", unit)
	table := &report.BinTable{}
	t := newTable(table, unit)
	for _, m := range o.MinPoints {
		s, err := o.scan(ctx, j, radii, int(m))
		if err != nil {
			return err
		}
		t.add(j, s, m)
		if at, ok := s.Plateau(); ok {
			in := func(step int) float64 { return j.InUnit(s.Steps[step].Epsilon, unit) }
			p.Found(fmt.Sprintf("plateau-%d", m), in(at.First), in(at.Last), in(at.Step))
		}
		if err := o.advise(ctx, j, s, m, unit); err != nil {
			return err
		}
		if err := o.plot(ctx, j, s, m, unit); err != nil {
			return err
		}
	}
	t.finish()
	if err := j.Table(ctx, o.Out.Output, table.Columns); err != nil {
		return err
	}
	j.Sum.Result.Add(steps{table.Objects(len(table.Columns))})
	j.Sum.Detail = thinned(table.Text(len(table.Columns)))
	return j.Finish(ctx)
}

// scan clusters with each of the radii, or with those of the k-distance curve.
func (o *Options) scan(ctx context.Context, j *job.Job, radii []float64, minPoints int) (*dbscan.Scan, error) {
	defer j.Timed(&j.Sum.Seconds.Cluster)()
	progress, end := j.Rep.Stages()
	defer end()
	return job.Compute(ctx, j, j.Sel.Points.Len(), func(joiner neighbors.Joiner) (*dbscan.Scan, error) {
		join := j.Join(progress)
		join.Joiner = joiner
		opt := dbscan.Options{
			MinPoints: float64(minPoints), Star: o.Star, Joiner: job.ForClustering(joiner),
			Threads: join.Threads, Memory: join.Memory, Progress: join.Progress,
		}
		if radii != nil {
			return dbscan.ScanRadii(ctx, j.Sel.Points, j.Metric, radii, opt)
		}
		if n := j.Sel.Points.Len(); n == 0 {
			return &dbscan.Scan{}, nil
		} else if minPoints > n {
			return nil, exit.Usagef("--min-points %d: it is more than the %s that can be used, so that no radii follow from the distances of neighbours", minPoints, human.Plural(int64(n), "row", "rows"))
		}
		curve, err := dbscan.KDistances(ctx, j.Sel.Points, j.Metric, minPoints-1, join)
		if err != nil {
			return nil, err
		}
		slices.Sort(curve)
		return dbscan.ScanCurve(ctx, j.Sel.Points, j.Metric, curve, dbscan.ScanSteps, opt)
	})
}

// Result is that of the command.
type Result struct {
	Plateau  *Plateau           `json:"plateau,omitempty" jsonschema:"where most clusters last"`
	Plateaux map[string]Plateau `json:"plateau_" jsonschema:"plateau_N is that of --min-points N, of several"`
	steps
}

// A Plateau is the radii over which most clusters last, if there are some.
type Plateau struct {
	searched
	*middle
	*report.Range
}

type searched struct {
	MinPoints int64 `json:"min_points" jsonschema:"rows that make a row core"`
	Found     bool  `json:"found" jsonschema:"whether there is a plateau"`
}

type middle struct {
	Eps float64 `json:"eps" jsonschema:"radius in it to take"`
}

type steps struct {
	Steps []report.Object `json:"steps" jsonschema:"what DBSCAN finds at each radius, as the columns of -o"`
}

// advise names the plateau, or what to try where there is none.
func (o *Options) advise(ctx context.Context, j *job.Job, s *dbscan.Scan, minPoints int64, unit string) error {
	p, found := s.Plateau()
	plateau := report.ObjectOf(searched{minPoints, found})
	if found {
		at := s.Steps[p.Step]
		first, last, eps := j.InUnit(s.Steps[p.First].Epsilon, unit), j.InUnit(s.Steps[p.Last].Epsilon, unit), j.InUnit(p.Epsilon, unit)
		plateau.Add(middle{eps})
		plateau.Add(report.Range{First: first, Last: last, Ratio: last / first, Clusters: int64(at.Clusters), Largest: at.Largest})
		j.Sum.Advice = append(j.Sum.Advice, fmt.Sprintf("--eps %s%s --min-points %d, in the plateau from %s%s to %s%s: %s of %s, the largest of %s",
			short(eps), unit, minPoints, short(first), unit, short(last), unit,
			human.Plural(int64(at.Clusters), "cluster", "clusters"), human.Plural(at.Core+at.Border, "row", "rows"), human.Commas(at.Largest)))
	} else if j.Sel.Points.Len() == 0 {
		j.Sum.Advice = append(j.Sum.Advice, fmt.Sprintf("--min-points %d: there is no row that can be used", minPoints))
	} else if len(s.Steps) == 0 {
		j.Sum.Advice = append(j.Sum.Advice, fmt.Sprintf("--min-points %d: the distances that radii would follow from are all 0, the rows being duplicates, or too large for float64; give --eps LO:HI:N", minPoints))
	} else {
		j.Sum.Advice = append(j.Sum.Advice, fmt.Sprintf("--min-points %d has no plateau: at no radius are there more clusters that last, over a factor of 1.41 in radius, than others", minPoints))
	}
	j.Sum.Result.Set("plateau"+suffix(o.MinPoints, minPoints), plateau)
	if found || len(s.Steps) == 0 || !j.Hints() || j.Sel.Points.Len() < 2 {
		return nil
	}
	first, last := s.Steps[0], s.Steps[len(s.Steps)-1]
	wrong := ""
	switch {
	case last.Clusters == 0:
		wrong = fmt.Sprintf("all rows are noise up to the last radius, %s%s", short(j.InUnit(last.Epsilon, unit)), unit)
	case first.Clusters == 1 && first.Noise == 0:
		wrong = fmt.Sprintf("all rows are in one cluster from the first radius on, %s%s", short(j.InUnit(first.Epsilon, unit)), unit)
	default:
		return nil
	}
	return j.HintRadius(ctx, int(minPoints-1), unit, fmt.Sprintf("--min-points %d: %s", minPoints, wrong))
}

// suffix tells the results of several --min-points apart.
func suffix(all Counts, m int64) string {
	if len(all) == 1 {
		return ""
	}
	return "_" + strconv.FormatInt(m, 10)
}

// shownSteps is how many radii the summary shows at most; the table has all.
const shownSteps = 24

// thinned leaves out rows of a table, evenly, below its head.
func thinned(g *human.Grid) *human.Grid {
	every := (len(g.Rows) + shownSteps - 2) / shownSteps
	rows := g.Rows[:1]
	for i := 1; i < len(g.Rows); i += max(every, 1) {
		rows = append(rows, g.Rows[i])
	}
	g.Rows = rows
	return g
}

// short writes a radius for people: four digits are finer than the steps.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

func (o *Options) plot(ctx context.Context, j *job.Job, s *dbscan.Scan, minPoints int64, unit string) error {
	f := figure.EpsilonScan{MinPoints: int(minPoints), Unit: cmp.Or(unit, j.Geo.Unit), Style: o.Out.Of()}
	rows := float64(j.Sel.Points.Len())
	for _, step := range s.Steps {
		f.Epsilon = append(f.Epsilon, j.InUnit(step.Epsilon, unit))
		f.Clustered = append(f.Clustered, float64(step.Core+step.Border)/rows)
		f.Largest = append(f.Largest, float64(step.Largest)/rows)
		f.Stability = append(f.Stability, step.Stability)
		f.Clusters = append(f.Clusters, step.Clusters)
	}
	if p, ok := s.Plateau(); ok {
		f.First, f.Last, f.Chosen = p.First, p.Last, p.Step
	}
	return pages.Chart(ctx, j, o.Out.Plots, f, func(h page.Head) pages.Document { return o.page(j, h, &f, minPoints) })
}

// page is the page of a scan, on which a radius is chosen for dbscan.
func (o *Options) page(j *job.Job, h page.Head, f *figure.EpsilonScan, minPoints int64) *page.Scan {
	h.Label = f.Unit
	if j.Geo.Angle {
		h.Unit = f.Unit
	}
	h.Command = append(j.Again("dbscan", "eps", "unit", "min-points"), fmt.Sprintf("--min-points=%d", minPoints))
	p := &page.Scan{Head: h, Found: f.Last > 0, First: f.First, Last: f.Last, Chosen: f.Chosen}
	for i, eps := range f.Epsilon {
		s := page.ScanStep{Epsilon: eps, Text: strconv.FormatFloat(eps, 'g', -1, 64) + h.Unit, Clusters: f.Clusters[i], Clustered: f.Clustered[i], Largest: f.Largest[i]}
		if v := f.Stability[i]; v == v {
			s.Stability = &v
		}
		p.Steps = append(p.Steps, s)
	}
	return p
}
