// Package info is 'cluster info', which describes a catalog.
package info

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/each"
	"skyjoin/internal/format/ecsv"
	"skyjoin/internal/size"
	"skyjoin/io/catalog"
)

const doc = `info FILE…
rows, columns, units, nulls, extremes and metadata of a catalog

Describes a catalog: several files, and the files of a folder, are one table.

Examples:
  # what is in a catalog
  cluster info gaia.parquet

  # all files of a folder as one table, for a script
  cluster info --json hats/dataset

  # with the placeholders of the survey for missing values counted as nulls
  cluster info survey.csv --null -999,99`

// Options are the flags of the command.
type Options struct{ job.Flags }

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	o.Read.RegisterNull(fs)
	o.Read.File.Register(fs, "")
	o.Run.RegisterThreads(fs, "CPU threads (default all)")
	o.Run.RegisterTalk(cmd)
	fs.Lookup("json").Usage = "one JSON object on stdout instead of the table"
	return cmd
}

// Run describes each of the catalogs: files, folders and patterns.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	j, err := job.New(a, "info", &o.Flags)
	if err != nil {
		return err
	}
	var all []*catalog.Summary
	for _, path := range paths {
		s, err := describe(ctx, j, path)
		if err != nil {
			return err
		}
		all = append(all, s)
		for _, c := range s.Columns {
			if c.Err != nil {
				j.Sum.Warn("%v", c.Err)
			}
		}
	}
	if !o.Run.JSON {
		for _, text := range j.Sum.Warnings {
			j.Rep.Warn(text)
		}
		return printAll(a.Stdout, all)
	}
	for _, s := range all {
		for _, f := range s.Files {
			j.Sum.Input.Files = append(j.Sum.Input.Files, f.Path)
		}
		j.Sum.Input.Rows += s.Rows
		j.Sum.Input.Used += s.Rows
	}
	j.Params.List("null", o.Read.Null)
	if len(all) == 1 {
		j.Sum.Result.Add(infoResult(all[0]))
	} else {
		j.Sum.Result.Add(Several{j.Sum.Input.Rows, each.Of(all, infoResult)})
	}
	return j.Finish(ctx)
}

// describe opens a catalog and looks at its values.
func describe(ctx context.Context, j *job.Job, path string) (*catalog.Summary, error) {
	if err := j.Open(ctx, []string{path}, nil); err != nil {
		return nil, err
	}
	defer j.Close()
	defer j.Timed(&j.Sum.Seconds.Read)()
	p := j.Rep.Phase("read", j.Cat.Rows())
	defer p.End()
	s, err := exit.Await(ctx, func() (*catalog.Summary, error) { return j.Cat.Summary(ctx) })
	p.Add(j.Cat.Rows())
	return s, err
}

// printAll writes the descriptions for people, one below the other.
func printAll(w io.Writer, all []*catalog.Summary) error {
	for i, s := range all {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := printInfo(w, s); err != nil {
			return err
		}
	}
	return nil
}

// infoResult is the description as JSON.
func infoResult(s *catalog.Summary) Result {
	r := Result{Rows: s.Rows, Groups: int64(s.RowGroups), Codecs: codecs(s), Metadata: report.Object{}}
	for _, f := range s.Files {
		r.Files = append(r.Files, File{f.Path, f.Format, f.Rows, f.Bytes, f.Notes})
	}
	for _, c := range s.Columns {
		nulls := &c.Nulls
		if c.Nulls < 0 {
			nulls = nil
		}
		r.Columns = append(r.Columns, Column{
			c.Field.Name, typeName(c.Field), c.Field.Unit, c.Field.UCD, c.Field.Description,
			nulls, extreme(c.Field, c.Min), extreme(c.Field, c.Max), nonNil(c.Codecs), nonNil(c.Encodings), c.Bytes,
		})
	}
	for _, kv := range s.Metadata {
		r.Metadata.Set(kv.Key, kv.Value)
	}
	return r
}

// extreme is a smallest or largest value for JSON: numbers as they are printed,
// so that 64-bit integers keep all digits, everything else as text.
func extreme(f catalog.Field, text string) any {
	if text == "" && f.Type != catalog.String {
		return nil
	}
	if f.Type.IsNumber() {
		if _, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "INin") {
			return rawNumber(text)
		}
		return nil
	}
	return text
}

// A rawNumber is written to JSON digit by digit.
type rawNumber string

func (n rawNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

func nonNil(s []string) []string { return append([]string{}, s...) }

// codecs returns the codecs of all columns.
func codecs(s *catalog.Summary) []string {
	all := []string{}
	for _, c := range s.Columns {
		all = append(all, c.Codecs...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// typeName is the type in the words of the file, if it has any.
func typeName(f catalog.Field) string {
	if f.Text != "" {
		return f.Text
	}
	return f.Type.String()
}

// shownFiles is how many files of a catalog are listed.
const shownFiles = 10

// printInfo is the description for people.
func printInfo(w io.Writer, s *catalog.Summary) error {
	head, notes := &human.Grid{}, &human.Grid{}
	for i, f := range s.Files {
		if i == shownFiles {
			head.Add("", "and "+human.Plural(int64(len(s.Files)-i), "more file", "more files"))
			break
		}
		label := ""
		if i == 0 {
			label = "file"
		}
		head.Add(label, f.Path, f.Format, human.Plural(f.Rows, "row", "rows"), size.Text(f.Bytes))
		for _, n := range f.Notes {
			notes.Add("read   ", n) // as wide as "columns"
		}
	}
	head.Add("rows", human.Commas(s.Rows))
	if s.RowGroups > 0 {
		head.Add("row groups", strconv.Itoa(s.RowGroups))
		head.Add("codecs", strings.Join(codecs(s), ", "))
	}
	head.Add("columns", strconv.Itoa(len(s.Columns)))

	columns := &human.Grid{Right: map[int]bool{3: true}}
	columns.Add("COLUMN", "TYPE", "UNIT", "NULLS", "MIN", "MAX", "DESCRIPTION")
	for _, c := range s.Columns {
		nulls := "?"
		if c.Nulls >= 0 {
			nulls = human.Commas(c.Nulls)
		}
		columns.Add(c.Field.Name, typeName(c.Field), c.Field.Unit, nulls, human.Short(c.Min, 24), human.Short(c.Max, 24), human.Short(c.Field.Description, 60))
	}
	text := head.String() + notes.String() + "\n" + columns.String()
	metadata := &human.Grid{}
	for _, kv := range s.Metadata {
		if kv.Key != arrowSchema && kv.Key != ecsv.MetaKey {
			metadata.Add(kv.Key, human.Short(kv.Value, 80))
		}
	}
	if len(metadata.Rows) > 0 {
		text += "\nMETADATA\n" + metadata.String()
	}
	_, err := io.WriteString(w, text)
	return err
}

// arrowSchema is the key of the schema as Arrow programs write it, in base 64: as
// the header of ECSV it says nothing to people that the columns do not.
const arrowSchema = "ARROW:schema"
