package dbscan

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/dbscan"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
)

// A description is the clusters of a run, with distances in the unit of --eps.
type description struct {
	clusters []dbscan.Cluster
	fields   []catalog.Field // of the coordinates
	unit     string          // of distances
}

// describe summarises the clusters.
func (o *Options) describe(ctx context.Context, j *job.Job, res *dbscan.Result) (*description, error) {
	defer j.Timed(&j.Sum.Seconds.Cluster)()
	clusters, err := exit.Await(ctx, func() ([]dbscan.Cluster, error) {
		return dbscan.Summarize(ctx, j.Sel.Points, j.Metric, res, j.Join(nil))
	})
	if err != nil {
		return nil, exit.OverMemory(err)
	}
	d := &description{clusters, j.Sel.Fields, j.Geo.Unit}
	if j.Geo.Angle {
		d.unit = cmp.Or(o.eps.Unit, "arcsec") // 0 needs none
		for i := range clusters {
			clusters[i].Extent /= flags.Radians(d.unit)
			clusters[i].Separation /= flags.Radians(d.unit)
		}
	}
	return d, nil
}

// columns is the table of --clusters.
func (d *description) columns() []catalog.Column {
	integers := func(name string, t catalog.Type, what string, value func(c dbscan.Cluster) int64) catalog.Column {
		return columns.Ints(name, t, what, each.Of(d.clusters, value))
	}
	reals := func(name, unit, what string, value func(c dbscan.Cluster) float64) catalog.Column {
		return columns.Reals(name, unit, what, each.Of(d.clusters, value))
	}
	cols := []catalog.Column{
		integers("cluster", catalog.Int32, "cluster number", func(c dbscan.Cluster) int64 { return int64(c.Label) }),
		integers("size", catalog.Int64, "rows", func(c dbscan.Cluster) int64 { return c.Size }),
		integers("core", catalog.Int64, "core rows", func(c dbscan.Cluster) int64 { return c.Core }),
	}
	for i, f := range d.fields {
		cols = append(cols,
			reals(f.Name, f.Unit, "centre", func(c dbscan.Cluster) float64 { return c.Centre[i] }),
			reals(f.Name+"_std", f.Unit, "standard deviation about the centre", func(c dbscan.Cluster) float64 { return c.Deviation[i] }))
	}
	cols = append(cols,
		reals("extent", d.unit, "largest distance of a row from the centre", func(c dbscan.Cluster) float64 { return c.Extent }),
		integers("nearest", catalog.Int32, "cluster with the nearest centre", func(c dbscan.Cluster) int64 { return int64(c.Nearest) }),
		reals("separation", d.unit, "distance to the centre of the nearest cluster", func(c dbscan.Cluster) float64 { return c.Separation }))
	first := 3 // of the columns about the centre
	columns.NullWhere(cols[first:], each.Of(d.clusters, func(c dbscan.Cluster) bool { return c.Wraps }))
	columns.NullWhere(cols[len(cols)-2:], each.Of(d.clusters, func(c dbscan.Cluster) bool { return c.Nearest == dbscan.Noise }))
	return columns.Distinct(cols)
}

// shown is how many clusters the summary shows.
const shown = 12

// table is the largest clusters for people, nil if there are none.
func (d *description) table() *human.Grid {
	if len(d.clusters) == 0 {
		return nil
	}
	extent := "EXTENT"
	if d.unit != "" {
		extent += " (" + d.unit + ")"
	}
	head := []string{"CLUSTER", "SIZE", "CORE"}
	for _, f := range d.fields {
		head = append(head, f.Name)
	}
	g := &human.Grid{Right: map[int]bool{}}
	g.Add(append(head, extent)...)
	for i := range g.Rows[0] {
		g.Right[i] = true
	}
	largest := d.bySize(shown)
	places := slices.Repeat([]int{-1}, len(d.fields))
	for _, c := range largest {
		for i, s := range c.Deviation {
			places[i] = max(places[i], decimals(s))
		}
	}
	for _, c := range largest {
		row := []string{strconv.Itoa(int(c.Label)), human.Commas(c.Size), human.Commas(c.Core)}
		if c.Wraps {
			g.Add(append(row, slices.Repeat([]string{"none"}, len(c.Centre)+1)...)...)
			continue
		}
		for i, v := range c.Centre {
			row = append(row, centreText(v, places[i]))
		}
		g.Add(append(row, strconv.FormatFloat(c.Extent, 'g', 4, 64))...)
	}
	return g
}

// bySize returns the n largest clusters, the largest first.
func (d *description) bySize(n int) []dbscan.Cluster {
	all := slices.Clone(d.clusters)
	slices.SortStableFunc(all, func(a, b dbscan.Cluster) int { return cmp.Compare(b.Size, a.Size) })
	return all[:min(len(all), n)]
}

// more says how many clusters the table leaves out.
func (d *description) more() string {
	if n := len(d.clusters) - shown; n > 0 {
		return "and " + human.Plural(int64(n), "smaller cluster", "smaller clusters") + "; --clusters FILE writes all\n"
	}
	return ""
}

// centreText writes a mean with so many decimals; without spread to tell them,
// -1, and where decimals say nothing, it has ten digits.
func centreText(v float64, decimals int) string {
	if decimals < 0 || math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'g', 10, 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// decimals is how many a mean is written with: to a hundredth of the deviation,
// but at most 8; -1 without deviation.
func decimals(deviation float64) int {
	if !(deviation > 0) {
		return -1
	}
	return int(min(max(2-math.Floor(math.Log10(deviation)), 0), 8))
}
