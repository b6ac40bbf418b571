package geometry

import (
	"slices"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// metrics returns the metrics that --metric offers and that pass the test. One whose
// positions have a distance is chosen by --distance.
func metrics(pass func(neighbors.MetricKind) bool) []neighbors.MetricKind {
	return slices.DeleteFunc(neighbors.Metrics(), func(k neighbors.MetricKind) bool { return k.WithoutDistance != "" || !pass(k) })
}

func names(kinds []neighbors.MetricKind) []string {
	return each.Of(kinds, func(k neighbors.MetricKind) string { return k.Name })
}

func anyMetric(neighbors.MetricKind) bool { return true }
func hasBox(k neighbors.MetricKind) bool  { return k.Box }
func onSky(k neighbors.MetricKind) bool   { return k.Position > 0 }
func takesDistance(k neighbors.MetricKind) bool {
	_, ok := withDistance(k)
	return ok
}

// withDistance returns the metric of positions on the sky that have a distance, too.
func withDistance(of neighbors.MetricKind) (neighbors.MetricKind, bool) {
	all := neighbors.Metrics()
	i := slices.IndexFunc(all, func(k neighbors.MetricKind) bool { return k.WithoutDistance == of.Name })
	if i < 0 {
		return of, false
	}
	return all[i], true
}

// MetricChoice is --metric before it is given: the default depends on the
// columns.
func MetricChoice() flags.Choice { return flags.Choice{Values: names(metrics(anyMetric))} }

// BoxlessMetrics are the values of --metric of a command without --box.
func BoxlessMetrics() []string {
	return names(metrics(func(k neighbors.MetricKind) bool { return !k.Box }))
}

// WhyMetric says why a metric was chosen that was not given.
func (g *Geometry) WhyMetric() string {
	switch kind := g.metric.Kind(); {
	case kind.Box:
		return "by --box"
	case onSky(kind):
		return "the columns are RA and Dec"
	}
	return "the default"
}

// chosen returns the metric by --metric, by --box, or by what the columns are,
// and refuses flags that belong to another one.
func (f *Flags) chosen(cat *catalog.Catalog, columns []string) (neighbors.MetricKind, error) {
	fits := anyMetric
	switch {
	case f.Metric.Value != "":
		fits = func(k neighbors.MetricKind) bool { return k.Name == f.Metric.Value }
	case len(f.Box) > 0:
		fits = hasBox
	case f.Distance != "" || f.Frame.Value != "" || f.RAHours || cat.IsSky(columns):
		fits = onSky
	}
	metric := metrics(fits)[0]
	belong := func(pass func(neighbors.MetricKind) bool) string { return strings.Join(names(metrics(pass)), " or ") }
	switch {
	case len(f.Box) > 0 && !metric.Box:
		return metric, exit.Usagef("--box %s belongs to --metric %s, not to %s", &f.Box, belong(hasBox), metric.Name)
	case len(f.Box) == 0 && metric.Box:
		return metric, exit.Usagef("--metric %s needs --box L, or one side for each column, as in --box 100,100,0", metric.Name)
	case f.Distance != "" && !takesDistance(metric):
		return metric, exit.Usagef("--distance %s belongs to --metric %s, not to %s", f.Distance, belong(takesDistance), metric.Name)
	}
	return metric, nil
}
