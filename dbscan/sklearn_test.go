package dbscan

import (
	"slices"
	"testing"

	"skyjoin/internal/pyref"
)

// The neighbourhoods are computed here by the definition, in numpy, because
// scikit-learn's own trees are of two minds about pairs exactly at ε.
const sklearnProgram = `
import json, sys
import numpy as np
from sklearn.cluster import DBSCAN
out = []
for t in json.load(sys.stdin):
    n = len(t["cols"][0])
    d2 = np.zeros((n, n))
    for c in t["cols"]:
        x = np.array(c)
        d2 += (x[:, None] - x[None, :]) ** 2
    far = np.where(np.sqrt(d2) <= t["eps"], 0.0, 1.0)
    fit = DBSCAN(eps=0.5, min_samples=int(t["min_points"]), metric="precomputed").fit(far, sample_weight=t["weights"])
    out.append({"labels": fit.labels_.tolist(), "core": fit.core_sample_indices_.tolist()})
json.dump(out, sys.stdout)
`

func TestAgreesWithScikitLearn(t *testing.T) {
	trials := make([]trial, 200)
	for i := range trials {
		trials[i] = newTrial(1000 + uint64(i))
	}
	type answer struct {
		Labels []int32
		Core   []int
	}
	answers := pyref.Ask[answer](t, "sklearn, numpy", sklearnProgram, trials)
	for i, want := range answers {
		r := trials[i].run(t, trials[i].options())
		var core []int
		for row, c := range r.Core {
			if c {
				core = append(core, row)
			}
		}
		if !slices.Equal(r.Labels, want.Labels) {
			t.Errorf("trial %d: labels %v, scikit-learn has %v", i, r.Labels, want.Labels)
		}
		if !slices.Equal(core, want.Core) {
			t.Errorf("trial %d: core rows %v, scikit-learn has %v", i, core, want.Core)
		}
	}
}
