// Package reproduce is 'cluster reproduce', which makes tables and figures of published
// papers again.
package reproduce

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/gpu"
	"skyjoin/internal/each"
	"skyjoin/internal/file"
	"skyjoin/internal/kernel"
	"skyjoin/internal/par"
	"skyjoin/published"
)

const doc = `reproduce PAPER [TABLE|FIGURE]
tables and figures of published papers, made again

Makes the data of a table or figure of one of the papers whose methods are built
here, runs our own implementation of both sides, and prints the published values
beside those measured, with their ratios and the conditions that differ. Without a
table it makes all that it can of the paper, and says what it cannot. What needs a
GPU is measured where there is one, and left out elsewhere.

With -o a folder gets PAPER.md, PAPER.csv and PAPER.json; the last keeps every
row that is finished, and --resume goes on where an earlier run ended: on a machine
with a GPU also with the rows of which one without has left values out.

Papers: 000 is Gallet & Gowanlock, Load Imbalance Mitigation Optimizations; 001
Gowanlock & Karsin, Accelerating the Similarity Self-Join; 002 Pitaksirianan, Nouri
& Tu, 2-Body Statistics; 003 Gallet & Gowanlock, Heterogeneous CPU-GPU Epsilon Grid
Joins; 004 Gowanlock, Hybrid KNN-Join.

Examples:
  # how many candidates both indexes of HEGJOIN leave, with a fiftieth of the rows
  cluster reproduce 003 "Table 3" --scale 0.02

  # all that is made of the paper, kept row by row
  cluster reproduce 003 -o measured
  cluster reproduce 003 -o measured --resume`

// Options are the flags of the command.
type Options struct {
	scale   flags.Number
	threads flags.Integer
	folder  string
	resume  bool
	quiet   bool
	json    bool
}

// Result is the JSON of the command.
type Result struct {
	report.Head
	Paper   string          `json:"paper" jsonschema:"its number"`
	Title   string          `json:"title" jsonschema:"of the paper"`
	Scale   float64         `json:"scale" jsonschema:"part of the rows of all data"`
	Values  []Value         `json:"values" jsonschema:"of the tables that were made"`
	Not     []Lack          `json:"not,omitempty" jsonschema:"tables and figures of the paper that are not made"`
	Outputs []report.Output `json:"outputs,omitempty" jsonschema:"what was written"`
}

// A Value is a value of a table or figure.
type Value struct {
	Table     string       `json:"table" jsonschema:"as the paper calls it"`
	Row       string       `json:"row" jsonschema:"the data, and what the rows differ in"`
	Column    string       `json:"column" jsonschema:"what is measured, with its unit"`
	Published report.Float `json:"published" jsonschema:"the value of the paper, if it has one"`
	Measured  report.Float `json:"measured" jsonschema:"the value here"`
	Ratio     report.Float `json:"ratio" jsonschema:"measured over published, of the same number of rows"`
	Machine   string       `json:"machine,omitempty" jsonschema:"what it was measured on"`
}

// A Lack is a table or figure that is not made.
type Lack struct {
	What string `json:"what" jsonschema:"as the paper calls it"`
	Why  string `json:"why" jsonschema:"why it is not made"`
}

func New(a *job.App) *cobra.Command {
	o := &Options{threads: flags.Integer{Least: 1}}
	cmd := flags.Command(doc, func(_ *cobra.Command, args []string) error {
		if len(args) == 0 || len(args) > 2 {
			return exit.Usagef("reproduce needs a paper, as in 003, and may have one of its tables or figures; %d arguments are given", len(args))
		}
		return nil
	}, func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) })
	fs := cmd.Flags()
	fs.Var(&o.scale, "scale", "part of the rows of all data, at radii that keep the neighbours of a row (default 1)")
	fs.StringVarP(&o.folder, "output", "o", "", "`folder` for the page, the values as CSV, and finished rows")
	fs.BoolVar(&o.resume, "resume", false, "go on with the rows that the folder has not")
	fs.VarP(&o.threads, "threads", "t", "threads of the CPU (default all)")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "do not say which row is measured")
	fs.BoolVar(&o.json, "json", false, "one JSON object on stdout: the values, published and measured")
	flags.Needs(fs, []string{"resume"}, "output")
	return cmd
}

func (o *Options) run(ctx context.Context, a *job.App, args []string) error {
	scale := 1.0
	if o.scale.Given {
		scale = o.scale.Value
	}
	if !(scale > 0 && scale <= 1) {
		return exit.Usagef("--scale %v: it is a part of the rows, above 0 and at most 1", scale)
	}
	name := ""
	if len(args) == 2 {
		name = args[1]
	}
	paper, tables, err := published.Find(args[0], name)
	if err != nil {
		return err
	}
	if o.folder != "" {
		if err := os.MkdirAll(o.folder, 0o777); err != nil {
			return fmt.Errorf("cannot write to %s: %w", o.folder, file.Cause(err))
		}
		if before := filepath.Join(o.folder, paper.Number+".json"); !o.resume && exists(before) {
			return exit.Usagef("%s has rows of an earlier run; --resume goes on with them, another folder begins anew", before)
		}
	}
	threads := par.Threads(int(o.threads.Value))
	options := published.Options{Scale: scale, Threads: threads, Folder: o.folder, Resume: o.resume}
	options.Machine, options.Card = machine(threads, a.Version)
	if !o.quiet {
		options.Tell = func(t *published.Table, label string) { fmt.Fprintf(a.Stderr, "%s, %s\n", t.Name, label) }
	}
	if !o.json {
		return exit.Do(ctx, func() error { return paper.Make(ctx, tables, options, a.Stdout) })
	}
	result := Result{Head: report.NewHead("reproduce", a.Version), Paper: paper.Number, Title: paper.Title, Scale: scale}
	options.Values = func(all []published.Value) {
		result.Values = each.Of(all, func(v published.Value) Value {
			return Value{v.Table, v.Row, v.Column, report.Float(v.Published), report.Float(v.Measured), report.Float(v.Ratio), v.Machine}
		})
	}
	if name == "" {
		result.Not = each.Of(paper.Not, func(l published.Lack) Lack { return Lack{l.What, l.Why} })
	}
	if o.folder != "" {
		result.Outputs = []report.Output{{What: "folder", Path: o.folder}}
	}
	if err := exit.Do(ctx, func() error { return paper.Make(ctx, tables, options, io.Discard) }); err != nil {
		return err
	}
	return report.WriteLine(a.Stdout, result)
}

// machine describes what is measured on, and says whether it has a GPU.
func machine(threads int, version string) (text string, card bool) {
	text = fmt.Sprintf("%s, %d threads, %s", runtime.GOARCH, threads, kernel.Best().Name)
	survey := gpu.Look()
	if len(survey.GPUs) > 0 && survey.GPUs[0].Err == nil {
		card = true
		text += fmt.Sprintf(", %s, driver for CUDA %s", survey.GPUs[0].Name, survey.Driver)
	}
	return text + ", version " + version, card
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
