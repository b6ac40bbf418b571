package main

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
	run  runFlags
	null list
	hdu  string
}

func newInfo(a *app) *cobra.Command {
	o := &infoOptions{run: runFlags{threads: integer{least: 1}}}
	cmd := &cobra.Command{
		Use:     "info FILE…",
		Short:   "rows, columns, units, nulls, extremes and metadata of a catalog",
		Long:    "Describes a catalog: several files, and the files of a folder, are one table.",
		Example: infoExample,
		Args:    needFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	fs.Var(&o.null, "null", "values that are nulls, as in -9999,-999,99")
	fs.StringVar(&o.hdu, "hdu", "", "`table` of FITS files, by name or number, the first extension being 1 (default the first table)")
	fs.VarP(&o.run.threads, "threads", "t", "CPU threads (default all)")
	o.run.registerTalk(cmd)
	fs.Lookup("json").Usage = "one JSON object on stdout instead of the table"
	return cmd
}

func (o *infoOptions) execute(ctx context.Context, a *app, paths []string) error {
	j, err := openJob(ctx, a, "info", &o.run, &readFlags{null: o.null, hdu: o.hdu}, paths)
	if err != nil {
		return err
	}
	defer j.cat.Close()
	start := time.Now()
	var s *catalog.Summary
	err = await(ctx, func() (err error) {
		s, err = j.cat.Summary(ctx)
		return err
	})
	if err != nil {
		return err
	}
	j.sum.Seconds.lap(&j.sum.Seconds.Read, start)
	if !o.run.json {
		return printInfo(a.stdout, s)
	}
	j.sum.Input.Files = j.inputs()
	j.sum.Input.Rows, j.sum.Input.Used = s.Rows, s.Rows
	if len(o.null) > 0 {
		j.sum.Parameters.set("null", []string(o.null))
	}
	j.sum.Result = infoResult(s)
	j.sum.finish()
	return j.sum.writeJSON(a.stdout)
}

// infoResult is the description for programs.
func infoResult(s *catalog.Summary) object {
	var files, columns []object
	for _, f := range s.Files {
		files = append(files, object{{"path", f.Path}, {"format", f.Format}, {"rows", f.Rows}, {"bytes", f.Bytes}})
	}
	for _, c := range s.Columns {
		nulls := any(c.Nulls)
		if c.Nulls < 0 {
			nulls = nil
		}
		columns = append(columns, object{
			{"name", c.Field.Name}, {"type", typeName(c.Field)}, {"unit", c.Field.Unit}, {"ucd", c.Field.UCD},
			{"description", c.Field.Description}, {"nulls", nulls}, {"min", extreme(c.Field, c.Min)}, {"max", extreme(c.Field, c.Max)},
			{"codecs", nonNil(c.Codecs)}, {"encodings", nonNil(c.Encodings)}, {"bytes", c.Bytes},
		})
	}
	metadata := object{}
	for _, kv := range s.Metadata {
		metadata.set(kv.Key, kv.Value)
	}
	return object{
		{"rows", s.Rows}, {"row_groups", int64(s.RowGroups)}, {"codecs", codecs(s)},
		{"files", files}, {"columns", columns}, {"metadata", metadata},
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
	head := &grid{}
	for i, f := range s.Files {
		if i == shownFiles {
			head.add("", "and "+plural(int64(len(s.Files)-i), "more file", "more files"))
			break
		}
		label := ""
		if i == 0 {
			label = "file"
		}
		head.add(label, f.Path, f.Format, plural(f.Rows, "row", "rows"), size.Text(f.Bytes))
	}
	head.add("rows", commas(s.Rows))
	if s.RowGroups > 0 {
		head.add("row groups", strconv.Itoa(s.RowGroups))
		head.add("codecs", strings.Join(codecs(s), ", "))
	}
	head.add("columns", strconv.Itoa(len(s.Columns)))

	columns := &grid{right: map[int]bool{3: true}}
	columns.add("COLUMN", "TYPE", "UNIT", "NULLS", "MIN", "MAX", "DESCRIPTION")
	for _, c := range s.Columns {
		nulls := "?"
		if c.Nulls >= 0 {
			nulls = commas(c.Nulls)
		}
		columns.add(c.Field.Name, typeName(c.Field), c.Field.Unit, nulls, short(c.Min, 24), short(c.Max, 24), short(c.Field.Description, 60))
	}
	text := head.String() + "\n" + columns.String()
	metadata := &grid{}
	for _, kv := range s.Metadata {
		if kv.Key != arrowSchema {
			metadata.add(kv.Key, short(kv.Value, 80))
		}
	}
	if len(metadata.rows) > 0 {
		text += "\nMETADATA\n" + metadata.String()
	}
	_, err := io.WriteString(w, text)
	return err
}

// arrowSchema is the key of the schema as Arrow programs write it, in base 64:
// it says nothing to people that the columns do not.
const arrowSchema = "ARROW:schema"

// short cuts a text to n letters and keeps it on one line.
func short(text string, n int) string {
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > n {
		return string(letters[:n-1]) + "…"
	}
	return string(letters)
}
