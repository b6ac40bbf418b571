package figure

import (
	"math"

	"skyjoin/internal/each"
)

// A DataColumn is a column of the numbers that a figure shows.
type DataColumn struct {
	Name, Unit string
	Values     []float64 // NaN: none
	Text       []string  // instead of values
}

// numbers is a column of numbers.
func numbers(name, unit string, values []float64) DataColumn {
	return DataColumn{Name: name, Unit: unit, Values: values}
}

// whole is a column of whole numbers.
func whole[T ~int | ~int32 | ~int64](name string, values []T) DataColumn {
	return numbers(name, "", each.Of(values, func(v T) float64 { return float64(v) }))
}

// Data are the points with their errors, series by series.
func (f Points) Data() []DataColumn {
	var names []string
	var x, y, e []float64
	for _, s := range f.series() {
		for i := range s.X {
			names, x, y = append(names, s.Name), append(x, s.X[i]), append(y, s.Y[i])
			if s.Err == nil {
				e = append(e, math.NaN())
			} else {
				e = append(e, s.Err[i])
			}
		}
	}
	return []DataColumn{{Name: "series", Text: names}, numbers("x", f.XAxis.Unit, x), numbers("y", f.YAxis.Unit, y), numbers("error", f.YAxis.Unit, e)}
}

// Data are the bars, histogram by histogram.
func (h Histogram) Data() []DataColumn {
	var names []string
	var lo, hi, v []float64
	for _, o := range append([]Histogram{h}, h.More...) {
		for i := range o.Bins.Len() {
			names, lo, hi, v = append(names, o.Name), append(lo, o.Bins.Edge(i)), append(hi, o.Bins.Edge(i+1)), append(v, o.Values[i])
		}
	}
	return []DataColumn{{Name: "series", Text: names}, numbers("lo", h.Unit, lo), numbers("hi", h.Unit, hi), numbers("value", "", v)}
}

// Data are the cells.
func (h HeatMap) Data() []DataColumn {
	var edges [4][]float64
	for i := range h.X.Len() {
		for j := range h.Y.Len() {
			for k, e := range []float64{h.X.Edge(i), h.X.Edge(i + 1), h.Y.Edge(j), h.Y.Edge(j + 1)} {
				edges[k] = append(edges[k], e)
			}
		}
	}
	return []DataColumn{numbers("x_lo", h.XAxis.Unit, edges[0]), numbers("x_hi", h.XAxis.Unit, edges[1]), numbers("y_lo", h.YAxis.Unit, edges[2]), numbers("y_hi", h.YAxis.Unit, edges[3]), numbers("value", "", h.Values)}
}

// Data are the distances in descending order.
func (k KDistance) Data() []DataColumn {
	d := descending(k.Distances)
	return []DataColumn{whole("place", each.To(len(d), func(i int) int { return i })), numbers("distance", k.Unit, d)}
}

// Data are the curves.
func (s EpsilonScan) Data() []DataColumn {
	return []DataColumn{numbers("eps", s.Unit, s.Epsilon), numbers("clustered", "", s.Clustered), numbers("largest", "", s.Largest), numbers("stability", "", s.Stability), whole("clusters", s.Clusters)}
}

// Data are the rows in their order.
func (r Reachability) Data() []DataColumn {
	all := []DataColumn{numbers("reachability", r.Unit, r.Reachability)}
	if r.Labels != nil {
		all = append(all, whole("label", r.Labels))
	}
	return all
}

// Data are the rows that have a position, as they were given: RA and Dec in degrees.
func (m ClusterMap) Data() []DataColumn {
	var x, y []float64
	var labels []int32
	shows := drawable
	xUnit, yUnit := m.XAxis.Unit, m.YAxis.Unit
	if m.Sky {
		shows, xUnit, yUnit = skyDrawable, "deg", "deg"
	}
	for i := range m.X.Len() {
		if px, py := m.X.At(i), m.Y.At(i); shows(px, py) {
			x, y, labels = append(x, px), append(y, py), append(labels, m.label(i))
		}
	}
	all := []DataColumn{numbers("x", xUnit, x), numbers("y", yUnit, y)}
	if m.Labels != nil {
		all = append(all, whole("label", labels))
	}
	return all
}

// Data are the cells.
func (m ConfusionMatrix) Data() []DataColumn {
	var truth, predicted []string
	var counts []int64
	for i, row := range m.Count {
		for j, n := range row {
			name := m.Outside
			if j < len(m.Classes) {
				name = m.Classes[j]
			}
			truth, predicted, counts = append(truth, m.Classes[i]), append(predicted, name), append(counts, n)
		}
	}
	return []DataColumn{{Name: "true", Text: truth}, {Name: "predicted", Text: predicted}, whole("count", counts)}
}

// Data are the clusters from the root down.
func (t CondensedTree) Data() []DataColumn {
	of := func(f func(k TreeCluster) float64) []float64 { return each.Of(t.Clusters, f) }
	return []DataColumn{
		whole("parent", each.Of(t.Clusters, func(k TreeCluster) int32 { return k.Parent })),
		numbers("birth", t.Unit, of(func(k TreeCluster) float64 { return k.Birth })), numbers("death", t.Unit, of(func(k TreeCluster) float64 { return k.Death })),
		whole("rows", each.Of(t.Clusters, func(k TreeCluster) int64 { return k.Rows })), whole("left", each.Of(t.Clusters, func(k TreeCluster) int64 { return k.Left })),
		whole("label", each.Of(t.Clusters, func(k TreeCluster) int32 { return k.Label })),
	}
}

// Data are the merges.
func (d Dendrogram) Data() []DataColumn {
	return []DataColumn{
		whole("a", each.Of(d.Merges, func(m BranchMerge) int { return m.A })), whole("b", each.Of(d.Merges, func(m BranchMerge) int { return m.B })),
		numbers("distance", d.Unit, each.Of(d.Merges, func(m BranchMerge) float64 { return m.Distance })), whole("label", each.Of(d.Merges, func(m BranchMerge) int32 { return m.Label })),
	}
}

// Data are the bars.
func (t Timeline) Data() []DataColumn {
	return []DataColumn{
		{Name: "group", Text: each.Of(t.Bars, func(b Bar) string { return b.Group })}, whole("worker", each.Of(t.Bars, func(b Bar) int { return b.Worker })),
		numbers("start", "s", each.Of(t.Bars, func(b Bar) float64 { return b.Start })), numbers("end", "s", each.Of(t.Bars, func(b Bar) float64 { return b.End })),
	}
}
