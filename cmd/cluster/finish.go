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
		Replaced: metadataPrefix,
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

// table writes a table of its own.
func (j *job) table(ctx context.Context, path string, force bool, columns []catalog.Column, meta []catalog.KeyValue) error {
	p := j.rep.phase("write", int64(columns[0].Len()))
	defer p.end()
	return table.Write(ctx, path, columns, table.Options{Force: force, Metadata: meta, Threads: j.run.count(), Progress: p.add})
}

// rows returns the row of the catalog of each point.
func (j *job) rows() []int64 {
	rows := make([]int64, j.sel.Points.Len())
	for i := range rows {
		rows[i] = int64(i)
		if j.sel.Rows != nil {
			rows[i] = int64(j.sel.Rows[i])
		}
	}
	return rows
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
