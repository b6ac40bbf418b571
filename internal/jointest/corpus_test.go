package jointest

import (
	"slices"
	"testing"

	"skyjoin/neighbors"
)

// TestEveryMetricIsInTheCorpus fails for a metric that no joiner is tested with.
func TestEveryMetricIsInTheCorpus(t *testing.T) {
	cases := corpus()
	for _, m := range neighbors.Metrics() {
		if !slices.ContainsFunc(cases, func(c testCase) bool { return c.metric.String() == m.Name }) {
			t.Errorf("the corpus has no case of the %s metric", m.Name)
		}
	}
}
