package match

import (
	"context"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/neighbors/match"
)

// Options are the flags of the command.
type Options struct {
	job.Flags
	keep flags.List
	unit flags.Choice

	radius, least  flags.Length
	k              flags.Integer
	find, join     flags.Choice
	errors         errorFlags
	epochs         epochFlags
	chance         chanceFlags
	action         flags.Choice
	chosenFind     match.Find
	chosenJoin     match.Join
	searchRadius   float64
	smallestRadius float64
}

// begin opens the catalogs and checks what needs no rows.
func (o *Options) begin(ctx context.Context, a *job.App, paths []string) (j *job.Job, err error) {
	if o.chosenFind, err = match.ParseFind(o.find.Value); err != nil {
		return nil, err
	}
	if o.chosenJoin, err = match.ParseJoin(o.join.Value); err != nil {
		return nil, err
	}
	if err := o.errors.check(len(paths)); err != nil {
		return nil, err
	}
	if err := o.chance.check(o.radius.Text != "" || o.errors.given()); err != nil {
		return nil, err
	}
	j, err = o.Locate(ctx, a, "match", job.Inputs{Paths: paths[:1], Second: paths[1:]},
		append(append([]string{o.errors.b}, o.epochs.pmB...), o.keep...)...)
	if err != nil {
		return nil, err
	}
	if err := o.radii(j.Geo); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// radii turns the lengths into radii of the metric.
func (o *Options) radii(g *geometry.Geometry) (err error) {
	if o.radius.Text != "" {
		if o.searchRadius, err = g.Radius("--radius", o.radius); err != nil {
			return err
		}
	}
	if o.least.Text != "" {
		o.smallestRadius, err = g.Radius("--min-radius", o.least)
	}
	if err == nil && o.radius.Text != "" && o.smallestRadius > o.searchRadius {
		return exit.Usagef("--min-radius %s is above --radius %s", o.least.Text, o.radius.Text)
	}
	return err
}

// describe writes the parameters of the match.
func (o *Options) describe(p *report.Parameters, unit string) {
	p.Length("radius", o.radius)
	p.Length("min-radius", o.least)
	if o.k.Value > 0 {
		p.Int("k", o.k.Value)
	}
	p.Text("find", o.find.Value)
	p.Text("join", o.join.Value)
	o.errors.describe(p)
	o.epochs.describe(p)
	p.Text("unit", unit)
}

// catalogRows maps pairs to rows of the catalogs.
func catalogRows(j *job.Job, pairs []match.Pair, unit string) []match.Row {
	per := j.PerEdge(unit)
	matches := make([]match.Row, len(pairs))
	for i, p := range pairs {
		matches[i] = match.Row{A: job.CatalogRow(j.Sel, p.A), B: job.CatalogRow(j.B.Sel, p.B), Distance: p.Distance / per}
	}
	return matches
}
