package job

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/page"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/io/table"
)

// Outputs refuses outputs that cannot be written, before anything is read: existing
// files without --force, inputs, missing folders, unknown formats. more are further
// tables.
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
		if _, err := figure.Format(path); err != nil && !(f.Pages && page.Is(path)) {
			return err
		}
		if err := j.Writes("figure", path, f.Force); err != nil {
			return err
		}
	}
	return nil
}

// Options are those of a table that the run writes, with its parameters as
// metadata.
func (j *Job) Options(path string, progress func(rows int64)) table.Options {
	metadata := slices.Clone(j.Params.Metadata)
	if path != j.Out.Output && path != "" { // another table has another flag
		for i, kv := range metadata {
			if line := j.app.Line.metadata(path); kv.Key == line.Key {
				metadata[i] = line
			}
		}
	}
	return table.Options{
		Force:    j.Out.Force,
		Stdout:   j.Out.Format.Value,
		Writer:   j.app.Stdout,
		Metadata: metadata,
		Replaced: report.MetadataPrefix,
		Threads:  j.Run.Count(),
		Memory:   j.Run.Memory.Bytes / 8,
		Progress: progress,
		Dropped:  &j.dropped,
		Changed:  &j.changed,
	}
}

// Dropped returns how many columns of the catalog the output lacks.
func (j *Job) Dropped() int { return len(j.dropped) }

// warnOfDropped names the columns of the catalog that the output lacks.
func (j *Job) warnOfDropped() {
	if len(j.dropped) == 0 {
		return
	}
	names := append([]string{}, j.dropped...)
	nested := false
	for i, name := range names {
		if f, err := j.Cat.Field(name); err == nil {
			names[i] = name + " (" + f.Text + ")"
			nested = nested || strings.HasSuffix(f.Text, ">") || f.Type == catalog.List
		}
	}
	advice := ""
	if nested {
		advice = "; convert --keep-all writes lists as text, and .csv and .parquet keep what is nested deeper"
	}
	j.Sum.Warn("%s cannot hold %s: left out%s", j.Out.Output, strings.Join(names, ", "), advice)
}

// warnOfChanged names the columns of the catalog that the output holds otherwise.
func (j *Job) warnOfChanged() {
	var columns []string
	for _, c := range j.changed {
		columns = append(columns, c.Column+" as "+c.As)
	}
	if len(columns) > 0 {
		j.Sum.Warn("%s cannot hold all columns as they are; written are %s", j.Out.Output, strings.Join(columns, ", "))
	}
}

// Append writes the catalog with the columns added to -o, if it is given.
func (j *Job) Append(ctx context.Context, columns []table.Column) error {
	if j.Out.Output == "" {
		return nil
	}
	p := j.Rep.Phase("write", j.Cat.Rows())
	defer p.End()
	names, err := table.Append(ctx, j.Out.Output, j.Cat, columns, j.Options(j.Out.Output, p.Add))
	if err != nil {
		return err
	}
	for i, name := range names {
		j.Renamed(columns[i].Name, name)
	}
	return nil
}

// Renamed notes that a column is written under another name.
func (j *Job) Renamed(column, name string) {
	if name != column {
		if j.renamed == nil {
			j.renamed = map[string]string{}
		}
		j.renamed[column] = name
		j.Sum.Note("column", "%s is written as %s: the input has a column of that name", column, name)
	}
}

// WrittenAs is the name under which a column is written.
func (j *Job) WrittenAs(column string) string { return cmp.Or(j.renamed[column], column) }

// Table writes a table of its own, if it has a path.
func (j *Job) Table(ctx context.Context, path string, columns []catalog.Column) error {
	if path == "" {
		return nil
	}
	p := j.Rep.Phase("write", int64(columns[0].Len()))
	defer p.End()
	return table.Write(ctx, path, columns, j.Options(path, p.Add))
}
