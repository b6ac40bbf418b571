// Package info is 'cluster info', which describes a catalog.
package info

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/size"
	"skyjoin/io/catalog"
)

const infoExample = `  # what is in a catalog
  cluster info gaia.parquet

  # all files of a folder as one table, for a script
  cluster info --json hats/dataset

  # with the sentinel values of the survey counted as nulls
  cluster info survey.csv --null -999,99`

type infoOptions struct {
	run  flags.Run
	null flags.List
	hdu  string
}

func New(a *job.App) *cobra.Command {
	o := &infoOptions{run: flags.Run{Threads: flags.Integer{Least: 1}}}
	cmd := &cobra.Command{
		Use:     "info FILE…",
		Short:   "rows, columns, units, nulls, extremes and metadata of a catalog",
		Long:    "Describes a catalog: several files, and the files of a folder, are one table.",
		Example: infoExample,
		Args:    flags.NeedFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	fs.Var(&o.null, "null", "values that are nulls, as in -9999,-999,99")
	fs.StringVar(&o.hdu, "hdu", "", "`table` of FITS files, by name or number, the first extension being 1 (default the first table)")
	fs.VarP(&o.run.Threads, "threads", "t", "CPU threads (default all)")
	o.run.RegisterTalk(cmd)
	fs.Lookup("json").Usage = "one JSON object on stdout instead of the table"
	return cmd
}

func (o *infoOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	j, err := job.Open(ctx, a, "info", &o.run, &flags.Read{Null: o.null, Hdu: o.hdu}, paths)
	if err != nil {
		return err
	}
	defer j.Cat.Close()
	start := time.Now()
	var s *catalog.Summary
	err = exit.Await(ctx, func() (err error) {
		s, err = j.Cat.Summary(ctx)
		return err
	})
	if err != nil {
		return err
	}
	j.Sum.Seconds.Lap(&j.Sum.Seconds.Read, start)
	if !o.run.JSON {
		return printInfo(a.Stdout, s)
	}
	j.Sum.Input.Files = j.Inputs()
	j.Sum.Input.Rows, j.Sum.Input.Used = s.Rows, s.Rows
	if len(o.null) > 0 {
		j.Sum.Parameters.Set("null", []string(o.null))
	}
	j.Sum.Result = infoResult(s)
	j.Sum.Finish()
	return j.Sum.WriteJSON(a.Stdout)
}

// infoResult is the description for programs.
func infoResult(s *catalog.Summary) report.Object {
	var files, columns []report.Object
	for _, f := range s.Files {
		files = append(files, report.Object{{Key: "path", Value: f.Path}, {Key: "format", Value: f.Format}, {Key: "rows", Value: f.Rows}, {Key: "bytes", Value: f.Bytes}})
	}
	for _, c := range s.Columns {
		nulls := any(c.Nulls)
		if c.Nulls < 0 {
			nulls = nil
		}
		columns = append(columns, report.Object{
			{Key: "name", Value: c.Field.Name}, {Key: "type", Value: typeName(c.Field)}, {Key: "unit", Value: c.Field.Unit}, {Key: "ucd", Value: c.Field.UCD},
			{Key: "description", Value: c.Field.Description}, {Key: "nulls", Value: nulls}, {Key: "min", Value: extreme(c.Field, c.Min)}, {Key: "max", Value: extreme(c.Field, c.Max)},
			{Key: "codecs", Value: nonNil(c.Codecs)}, {Key: "encodings", Value: nonNil(c.Encodings)}, {Key: "bytes", Value: c.Bytes},
		})
	}
	metadata := report.Object{}
	for _, kv := range s.Metadata {
		metadata.Set(kv.Key, kv.Value)
	}
	return report.Object{
		{Key: "rows", Value: s.Rows}, {Key: "row_groups", Value: int64(s.RowGroups)}, {Key: "codecs", Value: codecs(s)},
		{Key: "files", Value: files}, {Key: "columns", Value: columns}, {Key: "metadata", Value: metadata},
	}
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
	head := &human.Grid{}
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
	text := head.String() + "\n" + columns.String()
	metadata := &human.Grid{}
	for _, kv := range s.Metadata {
		if kv.Key != arrowSchema {
			metadata.Add(kv.Key, human.Short(kv.Value, 80))
		}
	}
	if len(metadata.Rows) > 0 {
		text += "\nMETADATA\n" + metadata.String()
	}
	_, err := io.WriteString(w, text)
	return err
}

// arrowSchema is the key of the schema as Arrow programs write it, in base 64:
// it says nothing to people that the columns do not.
const arrowSchema = "ARROW:schema"
