package main

import (
	"context"

	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

// outputs refuses outputs that cannot be written, before anything is read:
// existing files without --force, inputs, folders that are not there, unknown
// formats. more are further tables.
func (j *job) outputs(f *outputFlags, more ...string) error {
	inputs := j.inputs()
	for _, path := range append([]string{f.output}, more...) {
		if path == "" {
			continue
		}
		if err := table.Check(path, inputs, f.force); err != nil {
			return err
		}
	}
	for _, path := range f.plots {
		if err := checkPlot(path, inputs, f.force); err != nil {
			return err
		}
	}
	return nil
}

// append writes the catalog with the columns added to -o, if it is given.
func (j *job) append(ctx context.Context, f *outputFlags, columns []table.Column, meta []catalog.KeyValue) error {
	if f.output == "" {
		return nil
	}
	p := j.rep.phase("write", j.cat.Rows())
	defer p.end()
	names, err := table.Append(ctx, f.output, j.cat, columns, table.Options{
		Force:    f.force,
		Metadata: meta,
		Threads:  j.run.count(),
		Progress: p.add,
	})
	if err != nil {
		return err
	}
	for i, name := range names {
		if name != columns[i].Name {
			j.sum.note("column", "%s is written as %s: the input has a column of that name", columns[i].Name, name)
		}
	}
	return nil
}

// finish prints the summary.
func (j *job) finish() error {
	j.sum.finish()
	if j.run.json {
		return j.sum.writeJSON(j.app.stdout)
	}
	if j.run.quiet {
		return nil
	}
	return j.sum.writeTable(j.app.stderr)
}
