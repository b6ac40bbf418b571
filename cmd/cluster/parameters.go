package main

import (
	"slices"
	"strconv"
	"strings"

	"skyjoin/io/catalog"
)

// parameters writes the flags that say which rows are compared and how to the
// summary, and returns them as metadata of an output, from which the run can
// be repeated: neither depends on device, threads or time.
func (j *job) parameters(f *geometryFlags, r *readFlags) *parameters {
	p := newParameters(j.sum)
	p.list("columns", j.geo.given())
	if j.geo.detected {
		j.sum.remark("columns", "found in the file")
	}
	p.text("metric", j.geo.metricName())
	if f.metric.value == "" {
		j.sum.remark("metric", defaultRemark[j.geo.metricName()])
	}
	if j.geo.distance {
		p.text("distance", f.distance)
		if f.redshift() {
			h0, omegaM := f.values()
			p.number("h0", h0)
			p.number("omega-m", omegaM)
		}
	}
	if j.geo.sides != nil {
		p.add("box", j.geo.sides, joinFloats(j.geo.sides))
	}
	p.text("scale", j.scale)
	if len(r.null) > 0 {
		p.list("null", r.null)
	}
	if len(r.let) > 0 {
		p.list("let", r.let)
	}
	if r.where != "" {
		p.text("where", r.where)
	}
	return p
}

// defaultRemark says why a metric was chosen.
var defaultRemark = map[string]string{
	"euclidean": "the default",
	"sky":       "the columns are RA and Dec",
	"periodic":  "by --box",
}

// parameters are values of flags for the summary and for the metadata of
// outputs, where they stand as the flags would be given them.
type parameters struct {
	summary  *object
	metadata []catalog.KeyValue
}

// metadataPrefix begins the keys of metadata that this program writes. A table
// keeps those of the last run alone: what an earlier run was told is not true
// of the columns that this one adds.
const metadataPrefix = "skyjoin."

// newParameters begins with the name of the command.
func newParameters(s *summary) *parameters {
	return &parameters{
		summary:  &s.Parameters,
		metadata: []catalog.KeyValue{{Key: metadataPrefix + "command", Value: s.Command}},
	}
}

func (p *parameters) add(name string, value any, flag string) {
	p.summary.set(strings.ReplaceAll(name, "-", "_"), value)
	p.metadata = append(p.metadata, catalog.KeyValue{Key: metadataPrefix + name, Value: flag})
}

func (p *parameters) flag(name string, value bool)     { p.add(name, value, strconv.FormatBool(value)) }
func (p *parameters) number(name string, v float64)    { p.add(name, v, floatText(v)) }
func (p *parameters) text(name, value string)          { p.add(name, value, value) }
func (p *parameters) list(name string, items []string) { p.add(name, items, joinList(items)) }

// length adds a length; its unit, if it has one, is a key of its own in the
// summary.
func (p *parameters) length(name string, l length) {
	p.add(name, l.value, floatText(l.value)+l.unit)
	if l.unit != "" {
		p.summary.set(strings.ReplaceAll(name, "-", "_")+unitSuffix, l.unit)
	}
}

// given returns the columns as --columns names them: without the distance.
func (g *geometry) given() []string {
	if !g.distance {
		return g.columns
	}
	return slices.Delete(slices.Clone(g.columns), 2, 3)
}
