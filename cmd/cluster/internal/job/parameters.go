package job

import (
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/report"
)

// Parameters records the flags that determine which rows are compared and how, in
// the summary and as metadata of the outputs, from which the run can be repeated:
// they do not depend on device, threads or time.
func (j *Job) Parameters() *report.Parameters {
	p, f := j.Params, &j.Geometry
	p.List("columns", j.Geo.Given())
	if j.Geo.Detected {
		j.Sum.Remark("columns", "found in the file")
	}
	p.Text("frame", f.Frame.Value)
	if f.RAHours {
		p.Flag("ra-hours", true)
	}
	p.Text("metric", j.Geo.MetricName())
	if f.Metric.Value == "" {
		j.Sum.Remark("metric", j.Geo.WhyMetric())
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
	p.Read(&j.Read)
	if j.B == nil {
		return p
	}
	p.List("columns-b", j.B.Geo.Given())
	if j.B.Geo.Detected {
		j.Sum.Remark("columns_b", "found in the file")
	}
	p.Text("frame-b", j.Second.Frame.Value)
	if j.Second.RAHours {
		p.Flag("ra-hours-b", true)
	}
	if j.B.Geo.Distance {
		p.Text("distance-b", j.B.Geo.Columns[2])
	}
	ParametersOfSecond(p, &j.Second)
	return p
}

// ParametersOfSecond adds the flags for reading the second catalog.
func ParametersOfSecond(p *report.Parameters, f *geometry.SecondFlags) {
	p.Text("format-b", f.Format)
	p.List("names-b", f.Names)
	p.List("null-b", f.Null)
	p.List("let-b", f.Let)
	p.Text("where-b", f.Where)
}
