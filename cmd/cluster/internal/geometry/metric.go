package geometry

import (
	"slices"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/each"
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
