package corr

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"skyjoin/cmd/cluster/internal/drawn"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/stats2b"
)

// report writes the outputs and the summary.
func (o *Options) report(ctx context.Context, j *job.Job, r *corrRequest, c *stats2b.Correlation, patches int, reference []float64) error {
	t := corrTable(r, c, j.Geo.Unit)
	defer j.Timed(&j.Sum.Seconds.Write)()
	if reference != nil {
		ratios := each.To(len(c.Xi), func(i int) float64 { return report.Ratio(c.Xi[i], reference[i]) })
		j.Sum.Result.Add(compared{o.compare})
		t.Maybe("ratio", "", "xi over that of "+filepath.Base(o.compare), ratios)
	}
	if err := j.Table(ctx, o.Out.Output, t.Columns); err != nil {
		return err
	}
	if err := o.draw(ctx, j, r, c, reference); err != nil {
		return err
	}
	used := each.Of(j.Sides(), func(side *job.Side) int64 { return int64(side.Sel.Points.Len()) })
	reportCorr(j, c, t, used, patches)
	return j.Finish(ctx)
}

// A corrTab is the table of a correlation function, the first columns of which
// are shown.
type corrTab struct {
	report.BinTable
	shown int
}

// corrTable makes the table; coordinates is their unit.
func corrTable(r *corrRequest, c *stats2b.Correlation, coordinates string) *corrTab {
	t := &corrTab{}
	if c.Across.Len() > 0 {
		unit := ""
		if r.kind.across == "pi" {
			unit = coordinates
		}
		t.Plane(c.Bins, c.Across, r.unit, r.kind.across, unit)
	} else {
		t.Edges(c.Bins, r.unit)
	}
	cells := len(c.Xi)
	for _, x := range []struct {
		name, about string
		c           *stats2b.Counts
	}{
		{"dd", "pairs of data", c.DD}, {"dr", "pairs of data with randoms", c.DR}, {"rr", "pairs of randoms", c.RR},
	} {
		if x.c == nil {
			continue
		}
		pairs, weights := summed(x.c, cells)
		t.Counts(x.name, x.about, pairs)
		if x.c.Weights != nil {
			t.Float(x.name+"_weight", "", x.about+", the sum of the products of weights", weights)
		}
		normalised := make([]float64, cells)
		for i, w := range weights {
			normalised[i] = report.Ratio(w, x.c.TotalWeight)
		}
		t.Maybe(x.name+"_norm", "", x.about+" over all of them", normalised)
	}
	t.Separations(c.DD, cells, r.unit)
	if c.Ideal != nil {
		t.Float("rr_norm", "", "pairs of points without correlation over all of them", folded(c.Ideal, cells))
	}
	unit := ""
	if r.kind.what == stats2b.Projected {
		unit = r.unit
	}
	t.Maybe("xi", unit, "correlation function", c.Xi)
	t.Maybe("error", unit, "standard deviation of xi", c.Error)
	t.shown = len(t.Columns)
	for j := range c.Covariance {
		row := each.To(cells, func(i int) float64 { return c.Covariance[i][j] })
		t.Maybe(fmt.Sprintf("cov_%d", j), "", fmt.Sprintf("covariance of xi with that of row %d", j), row)
	}
	for k, x := range c.Realisations {
		t.Maybe(fmt.Sprintf("real_%d", k), unit, fmt.Sprintf("xi of realisation %d", k), x)
	}
	return t
}

// reportCorr reports the numbers of rows and of pairs, and the correlation
// function.
func reportCorr(j *job.Job, c *stats2b.Correlation, t *corrTab, used []int64, patches int) {
	res := &j.Sum.Result
	counts := pairsOf{Data: used[0]}
	if c.Ideal == nil {
		counts.Randoms = &used[1]
	} else if len(used) > 1 {
		counts.DataB = &used[1]
	}
	counts.DD, counts.DDWeight = totals(c.DD)
	counts.DR, counts.DRWeight = totals(c.DR)
	counts.RR, counts.RRWeight = totals(c.RR)
	res.Add(counts)
	if patches > 0 {
		res.Add(resampled{int64(patches), int64(len(c.Realisations))})
		if c.EmptyPatches > 0 {
			if j.Run.AsJSON() {
				res.Add(emptyPatches{int64(c.EmptyPatches)})
			}
			j.Sum.Note("patches", "%d of %d hold randoms but no data; they are resampled too", c.EmptyPatches, patches)
		}
	}
	res.Add(report.Bins{Bins: t.Objects(t.shown)})
	if c.Covariance != nil {
		res.Add(covariance{report.Matrix(c.Covariance)})
	}
	j.Sum.Detail = t.Text(t.shown)
}

// summed returns pairs and weights of the bins, each of which may be several
// cells of the counts.
func summed(c *stats2b.Counts, bins int) (pairs []uint64, weights []float64) {
	pairs, weights = make([]uint64, bins), make([]float64, bins)
	each := len(c.Pairs) / bins
	for i := range c.Pairs {
		pairs[i/each] += c.Pairs[i]
		weights[i/each] += c.Value(i)
	}
	return pairs, weights
}

// folded returns the sums of the cells of each bin.
func folded(v []float64, bins int) []float64 {
	sum := make([]float64, bins)
	for i, x := range v {
		sum[i/(len(v)/bins)] += x
	}
	return sum
}

// draw draws the figures.
func (o *Options) draw(ctx context.Context, j *job.Job, r *corrRequest, c *stats2b.Correlation, reference []float64) error {
	shown := drawn.Correlation{Kind: r.kind.name, Bins: c.Bins, Across: c.Across, Xi: c.Xi, Error: c.Error, Unit: r.unit, AcrossUnit: j.Geo.Unit}
	if len(o.covariancePlots) > 0 {
		m, err := shown.Matrix(c.Covariance, o.matrix.Value == "covariance")
		if err != nil {
			return err
		}
		m.Style = o.Out.Of()
		if err := j.Plot(ctx, o.covariancePlots, m); err != nil {
			return err
		}
	}
	if c.Across.Len() > 0 {
		plane := shown.Plane()
		plane.Style = o.Out.Of()
		return j.Plot(ctx, o.Out.Plots, plane)
	}
	points := drawn.Points(o.plotY.Value, shown)
	points.Style = o.Out.Of()
	if reference == nil {
		return j.Plot(ctx, o.Out.Plots, points)
	}
	if o.plotY.Value == "scaled" {
		reference = shown.Scaled(points.X, reference)
	}
	return j.Plot(ctx, o.Out.Plots, figure.Ratio{Points: points, Reference: reference, Name: filepath.Base(o.compare)})
}

// readReference reads the correlation function of an earlier run, which must
// have the same bins.
func readReference(ctx context.Context, path string, bins stats2b.Bins) (xi []float64, err error) {
	cat, err := flags.OpenCatalog(ctx, []string{path}, catalog.Options{})
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	cols, err := job.ReadColumns(ctx, cat, "lo", "hi", "xi")
	if err != nil {
		return nil, err
	}
	for i := range max(bins.Len(), cols[0].Len()) {
		if i >= bins.Len() || i >= cols[0].Len() || cols[0].Float64 == nil || cols[1].Float64 == nil || cols[0].Float64[i] != bins.Edge(i) || cols[1].Float64[i] != bins.Edge(i+1) {
			return nil, exit.Usagef("--compare %s: its bins are not those of this run", path)
		}
	}
	if xi = cols[2].Float64; xi == nil {
		return nil, exit.Usagef("--compare %s: its column xi is %s", path, cols[2].Field.Type)
	}
	for i, null := range cols[2].Null {
		if null {
			xi[i] = math.NaN()
		}
	}
	return xi, nil
}
