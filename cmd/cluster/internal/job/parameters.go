package job

import (
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/report"
)

// ParametersOf writes the parameters of both catalogs.
func (d *Duo) ParametersOf(g *geometry.Flags, r *flags.Read, s *geometry.SecondFlags) *report.Parameters {
	p := d.Parameters(g, r)
	if d.B == nil {
		return p
	}
	p.List("columns-b", d.B.Geo.Given())
	if d.B.Geo.Detected {
		d.Sum.Remark("columns_b", "found in the file")
	}
	if d.B.Geo.Distance {
		p.Text("distance-b", d.B.Geo.Columns[2])
	}
	if s.Where != "" {
		p.Text("where-b", s.Where)
	}
	return p
}

// Parameters writes the flags that say which rows are compared and how to the
// summary, and returns them as metadata of an output, from which the run can
// be repeated: neither depends on device, threads or time.
func (j *Job) Parameters(f *geometry.Flags, r *flags.Read) *report.Parameters {
	p := report.NewParameters(j.Sum)
	p.List("columns", j.Geo.Given())
	if j.Geo.Detected {
		j.Sum.Remark("columns", "found in the file")
	}
	p.Text("metric", j.Geo.MetricName())
	if f.Metric.Value == "" {
		j.Sum.Remark("metric", defaultRemark[j.Geo.MetricName()])
	}
	if j.Geo.Distance {
		p.Text("distance", f.Distance)
		if f.Redshift() {
			h0, omegaM := f.Values()
			p.Number("h0", h0)
			p.Number("omega-m", omegaM)
		}
	}
	if j.Geo.Sides != nil {
		p.Add("box", j.Geo.Sides, flags.JoinFloats(j.Geo.Sides))
	}
	p.Text("scale", j.Scale)
	if len(r.Null) > 0 {
		p.List("null", r.Null)
	}
	if len(r.Let) > 0 {
		p.List("let", r.Let)
	}
	if r.Where != "" {
		p.Text("where", r.Where)
	}
	return p
}

// defaultRemark says why a metric was chosen.
var defaultRemark = map[string]string{
	"euclidean": "the default",
	"sky":       "the columns are RA and Dec",
	"periodic":  "by --box",
}
