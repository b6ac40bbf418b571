package stat

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/each"
	"skyjoin/internal/pairfunc"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/stats2b"
)

// statEdges reads bins whose edges, unlike those of distances, may be negative.
func statEdges(spec string) ([]float64, error) {
	kind, rest, _ := strings.Cut(spec, ":")
	fields := strings.Split(spec, ",")
	if kind == "lin" {
		fields = strings.Split(rest, ":")
	}
	negative := strings.Contains(spec, "-") && (kind == "lin" || spec[0] != '@' && kind != "log")
	if !negative {
		bins, unit, err := stats2b.ParseBins(spec, flags.ParseEdge)
		if err == nil && unit != "" {
			err = exit.Usagef("plain numbers are needed")
		}
		if err != nil {
			return nil, exit.Usagef("--bins %s: %s", spec, exit.Message(err))
		}
		return bins.Edges(), nil
	}
	var v []float64
	for _, f := range fields {
		x, err := strconv.ParseFloat(strings.TrimSpace(f), 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, exit.Usagef("--bins %s: %q is not a finite number", spec, f)
		}
		v = append(v, x)
	}
	if kind == "lin" {
		if len(v) != 3 || v[2] != math.Trunc(v[2]) || v[2] < 1 || v[2] > 1<<20 || !(v[0] < v[1]) {
			return nil, exit.Usagef("--bins %s: it is written as lin:MIN:MAX:N, MIN below MAX and N from 1 to 1048576", spec)
		}
		lo, hi, n := v[0], v[1], int(v[2])
		v = make([]float64, n+1)
		for i := range v {
			v[i] = float64(hi*(float64(i)/float64(n))) + float64(lo*(float64(n-i)/float64(n)))
		}
		v[0], v[n] = lo, hi
	}
	for i := 1; i < len(v); i++ {
		if !(v[i] > v[i-1]) {
			return nil, exit.Usagef("--bins %s: edge %v after %v, edges must ascend", spec, v[i], v[i-1])
		}
	}
	if len(v) < 2 {
		return nil, exit.Usagef("--bins %s: %d edges, at least 2 are needed", spec, len(v))
	}
	return v, nil
}

// Result is that of the command, as --reduce asks.
type Result struct {
	total
	*rows
	*count
	*sum
	*outside
	*report.Bins
}

type total struct {
	Pairs int64 `json:"pairs" jsonschema:"pairs that were compared"`
}

type rows struct {
	Rows int64 `json:"rows" jsonschema:"rows that got a result, with --per-row"`
}

type count struct {
	Count int64 `json:"count" jsonschema:"pairs for which the expression is true"`
}

type sum struct {
	Sum report.Float `json:"sum" jsonschema:"sum of the values of all pairs"`
}

type outside struct {
	Under int64 `json:"under" jsonschema:"pairs below the first bin"`
	Over  int64 `json:"over" jsonschema:"pairs beyond the last bin"`
	NaN   int64 `json:"nan" jsonschema:"pairs whose value is not a number"`
}

// report writes the result to the summary, and to -o.
func (o *Options) report(ctx context.Context, d *job.Job, s *pairfunc.Job, r *pairfunc.Result) error {
	result := &d.Sum.Result
	result.Add(total{int64(s.Total())})
	var t report.BinTable
	switch {
	case s.PerRow:
		result.Add(rows{int64(s.A.Rows)})
		perRow(&t, d, s, r)
		if s.Reduction == pairfunc.Count {
			result.Add(count{int64(r.Count)})
		}
	case s.Reduction == pairfunc.Sum:
		result.Add(sum{report.Float(r.Sum)})
		t.Float("sum", "", "sum of the values of all pairs", []float64{r.Sum})
	case s.Reduction == pairfunc.Count:
		result.Add(count{int64(r.Count)})
		t.Counts("count", "pairs for which the expression is true", []uint64{r.Count})
	case s.Reduction == pairfunc.Pairs:
		result.Add(count{int64(r.Count)})
		return nil
	case s.Reduction == pairfunc.Histogram:
		result.Add(outside{int64(r.Under), int64(r.Over), int64(r.NaN)})
		n := len(r.Bins)
		t.Float("lo", "", "lower edge of the bin, in it", s.Edges[:n])
		t.Float("hi", "", "upper edge of the bin, not in it", s.Edges[1:])
		t.Counts("count", "pairs in the bin", r.Bins)
		d.Sum.ShowBins(&t)
	}
	defer d.Timed(&d.Sum.Seconds.Write)()
	return d.Table(ctx, o.Out.Output, t.Columns)
}

// perRow makes the columns of results of each row.
func perRow(t *report.BinTable, d *job.Job, s *pairfunc.Job, r *pairfunc.Result) {
	rows := each.To(s.A.Rows, func(i int) int64 { return job.CatalogRow(d.Sel, uint32(i)) })
	t.Columns = append(t.Columns, catalog.Column{Field: catalog.Field{Name: "row", Type: catalog.Int64, Description: "row of the first catalog, from 0"}, Int64: rows})
	if s.Reduction == pairfunc.Count {
		t.Counts("count", "rows for which the expression is true", r.Counts)
		return
	}
	t.Maybe(s.Reduction.String(), "", s.Reduction.String()+" over the other rows", r.Row)
	if s.Reduction == pairfunc.Sum {
		return
	}
	data := d.Data().Sel
	other := make([]int64, len(r.Other))
	for i, b := range r.Other {
		other[i] = -1
		if b >= 0 {
			other[i] = job.CatalogRow(data, uint32(b))
		}
	}
	t.Columns = append(t.Columns, catalog.Column{Field: catalog.Field{Name: "neighbor", Type: catalog.Int64, Description: "row that has it, the lowest; -1 none"}, Int64: other})
}

// statPairs writes pairs of rows as they come.
type statPairs struct {
	ctx       context.Context
	d         *job.Job
	w         *table.Writer
	rows, nbr []int64
}

func newPairs(ctx context.Context, d *job.Job, output string) (*statPairs, error) {
	w, err := table.NewWriter(output, columns.PairFields("")[:2], d.Options("", nil))
	return &statPairs{ctx: ctx, d: d, w: w}, err
}

func (w *statPairs) take(a, b []uint32) error {
	data := w.d.Data().Sel
	for i := range a {
		w.rows = append(w.rows, job.CatalogRow(w.d.Sel, a[i]))
		w.nbr = append(w.nbr, job.CatalogRow(data, b[i]))
	}
	if len(w.rows) < columns.PairBlock {
		return nil
	}
	return w.flush()
}

func (w *statPairs) flush() error {
	err := w.w.WriteRows(w.ctx, []catalog.Column{{Int64: w.rows}, {Int64: w.nbr}})
	w.rows, w.nbr = w.rows[:0], w.nbr[:0]
	return err
}

func (w *statPairs) finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.w.Commit(w.ctx)
}

// forecast samples the pairs of a function of two rows, which onCPU evaluates
// as fast as the run will.
func forecast(ctx context.Context, j *job.Job, s *pairfunc.Job, onCPU bool) {
	const sampled = 2e7 // pairs, a fraction of a second
	if float64(s.Total()) < job.Large.Pairs {
		return
	}
	step := s.A.Rows / max(1, min(s.A.Rows, max(8, sampled/max(1, s.B.Rows))))
	var rows, others []uint32
	start := time.Now()
	r, met, err := s.Sample(ctx, step, func(a, b []uint32) error {
		n := min(len(a), job.SamplePairs-len(rows))
		rows, others = append(rows, a[:n]...), append(others, b[:n]...)
		return nil
	})
	if err != nil || met == 0 {
		return // the run itself will report the error
	}
	share := float64(s.Total()) / float64(met)
	f := job.Forecast{Pairs: float64(r.Count) * share}
	if onCPU {
		f.Seconds = time.Since(start).Seconds() * share
	}
	if len(rows) > 0 {
		f.Bytes = f.Pairs / float64(len(rows)) * job.TableBytes(ctx, j.Out.Output, func(ctx context.Context, path string) error {
			w, err := newPairs(ctx, j, path)
			if err != nil {
				return err
			}
			defer w.w.Abort()
			if err := w.take(rows, others); err != nil {
				return err
			}
			return w.finish()
		})
	}
	j.Announce(f, j.Out.Output)
}
