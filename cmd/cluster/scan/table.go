package scan

import (
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/dbscan"
)

// A stepTable collects the rows of the table of steps.
type stepTable struct {
	to        *report.BinTable
	unit      string
	eps       []float64
	stability []float64
	counts    [len(countColumns)][]uint64
}

// countColumns are the columns of counts: their names and what they are.
var countColumns = [...][2]string{
	{"min_points", "rows within eps, the row itself included, that make it core"},
	{"clusters", "clusters"},
	{"core", "core rows"},
	{"border", "rows of clusters that are not core"},
	{"noise", "rows of no cluster"},
	{"largest", "rows of the largest cluster"},
}

func newTable(to *report.BinTable, unit string) *stepTable { return &stepTable{to: to, unit: unit} }

// add adds the steps of a scan.
func (t *stepTable) add(j *job.Job, s *dbscan.Scan, minPoints int64) {
	for _, step := range s.Steps {
		t.eps, t.stability = append(t.eps, j.InUnit(step.Epsilon, t.unit)), append(t.stability, step.Stability)
		for i, n := range [...]int64{minPoints, int64(step.Clusters), step.Core, step.Border, step.Noise, step.Largest} {
			t.counts[i] = append(t.counts[i], uint64(n))
		}
	}
}

// finish makes the columns.
func (t *stepTable) finish() {
	t.to.Float("eps", t.unit, "radius", t.eps)
	for i, c := range countColumns {
		t.to.Counts(c[0], c[1], t.counts[i])
	}
	t.to.Maybe("stability", "", "share of the rows in clusters that keep theirs at the next radius", t.stability)
}
