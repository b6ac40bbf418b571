package job

import (
	"context"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/io/table"
)

// Outputs refuses outputs that cannot be written, before anything is read:
// existing files without --force, inputs, folders that are not there, unknown
// formats. more are further tables.
func (j *Job) Outputs(f *flags.Output, more ...string) error {
	for _, path := range append([]string{f.Output}, more...) {
		if path == "" {
			continue
		}
		if _, err := table.Format(path); err != nil {
			return err
		}
		if err := j.Writes("output", path, f.Force); err != nil {
			return err
		}
	}
	for _, path := range f.Plots {
		if _, err := figure.Format(path); err != nil {
			return err
		}
		if err := j.Writes("figure", path, f.Force); err != nil {
			return err
		}
	}
	return nil
}

// Append writes the catalog with the columns added to -o, if it is given.
func (j *Job) Append(ctx context.Context, f *flags.Output, columns []table.Column, meta []catalog.KeyValue) error {
	if f.Output == "" {
		return nil
	}
	p := j.Rep.Phase("write", j.Cat.Rows())
	defer p.End()
	names, err := table.Append(ctx, f.Output, j.Cat, columns, table.Options{
		Force:    f.Force,
		Metadata: meta,
		Replaced: report.MetadataPrefix,
		Threads:  j.Run.Count(),
		Progress: p.Add,
	})
	if err != nil {
		return err
	}
	for i, name := range names {
		if name != columns[i].Name {
			j.Sum.Note("column", "%s is written as %s: the input has a column of that name", columns[i].Name, name)
		}
	}
	return nil
}

// Table writes a table of its own.
func (j *Job) Table(ctx context.Context, path string, force bool, columns []catalog.Column, meta []catalog.KeyValue) error {
	p := j.Rep.Phase("write", int64(columns[0].Len()))
	defer p.End()
	return table.Write(ctx, path, columns, table.Options{Force: force, Metadata: meta, Threads: j.Run.Count(), Progress: p.Add})
}

// Rows returns the row of the catalog of each point.
func (j *Job) Rows() []int64 {
	rows := make([]int64, j.Sel.Points.Len())
	for i := range rows {
		rows[i] = int64(i)
		if j.Sel.Rows != nil {
			rows[i] = int64(j.Sel.Rows[i])
		}
	}
	return rows
}

// Finish prints the summary.
func (j *Job) Finish() error {
	j.Sum.Finish()
	if j.Run.JSON {
		return j.Sum.WriteJSON(j.app.Stdout)
	}
	if j.Run.Quiet {
		return nil
	}
	return j.Sum.WriteTable(j.app.Stderr)
}
