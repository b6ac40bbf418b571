// Package run is 'cluster run', which carries out the steps of a pipeline.
package run

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
)

const doc = `run FILE
carries out the steps of a pipeline

Carries out the steps of a TOML file. Each is a table with its command, its inputs
and flags by their names. A step whose input another one writes follows it; others
run at the same time, and share --memory and --threads. A step that is up to date is
passed over: made by this program from the same flags and inputs of the same content,
with outputs that are as they were written. What was done is kept beside FILE, in
FILE.manifest.json, so that a run that was interrupted goes on where it was.

Examples:
  cluster run pipeline.toml
  cluster run pipeline.toml --dry-run
  cluster run pipeline.toml --memory 16GiB --at-once 3`

// Options are the flags of the command.
type Options struct {
	flags.Run
	dry    bool
	force  bool
	atOnce flags.Integer
}

// Result is the JSON of the command.
type Result struct {
	report.Head
	File  string `json:"file" jsonschema:"the pipeline"`
	Steps []Step `json:"steps" jsonschema:"its steps, in the order of the file"`
}

// A Step is what became of a step.
type Step struct {
	Name     string   `json:"name" jsonschema:"its table"`
	State    string   `json:"state" jsonschema:"done, or up to date; with --dry-run: to do"`
	Why      string   `json:"why,omitempty" jsonschema:"why it is not up to date"`
	Line     []string `json:"line" jsonschema:"its command line"`
	Outputs  []string `json:"outputs" jsonschema:"files that it writes"`
	Seconds  float64  `json:"seconds" jsonschema:"wall-clock time that it took"`
	Warnings []string `json:"warnings,omitempty" jsonschema:"why its result may not be what it seems"`
}

// The states of steps.
const (
	done     = "done"
	upToDate = "up to date"
	toDo     = "to do"
)

func New(a *job.App) *cobra.Command {
	o := &Options{atOnce: flags.Integer{Least: 1}}
	cmd := flags.Command(doc, func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return exit.Usagef("run needs one file with steps, %d are given", len(args))
		}
		return nil
	}, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, cmd, args[0]) })
	fs := cmd.Flags()
	fs.BoolVar(&o.dry, "dry-run", false, "say what would be done, and do nothing")
	fs.Var(&o.atOnce, "at-once", "steps at the same time (default: as many as do not wait for each other)")
	fs.BoolVar(&o.force, "force", false, "carry out all steps, and replace existing files")
	o.RegisterMemory(fs)
	fs.Lookup("memory").Usage = "memory of all steps together, as in 8GiB"
	o.RegisterThreads(fs, "CPU threads of all steps together (default all)")
	o.RegisterTalk(cmd)
	flags.IdleBeside(fs, []string{"quiet", "progress", "log-format"}, "dry-run")
	return cmd
}

// Run carries out a pipeline.
func Run(ctx context.Context, a *job.App, o *Options, cmd *cobra.Command, path string) error {
	steps, err := load(cmd, path)
	if err != nil {
		return err
	}
	r := &runner{options: o, program: fmt.Sprint(a.Version, " ", a.Source), steps: steps, rep: report.NewReporter(a.Stderr, o.Progress.Value, o.Quiet, o.Log.Value == "json")}
	if r.kept, err = openManifest(path + ".manifest.json"); err != nil {
		return err
	}
	if err := r.share(); err != nil {
		return err
	}
	if o.dry {
		r.look()
	} else {
		if r.self, err = os.Executable(); err != nil {
			return err
		}
		err = r.all(ctx)
	}
	if err != nil {
		return err
	}
	result := Result{Head: report.NewHead("run", a.Version), File: path}
	for _, s := range steps {
		result.Steps = append(result.Steps, s.Step)
	}
	switch {
	case o.JSON:
		return report.WriteLine(a.Stdout, result)
	case o.dry:
		return table(result).Write(a.Stdout)
	case o.Quiet:
		return nil
	}
	return r.rep.Table(table(result), "result", result)
}

// table shows the steps to people.
func table(r Result) *human.Grid {
	g := &human.Grid{}
	for _, s := range r.Steps {
		state := s.State
		switch {
		case s.State == done:
			state += " in " + human.SecondsText(s.Seconds)
		case s.Why != "":
			state += ": " + s.Why
		}
		g.Add(s.Name, state)
		if s.State == toDo {
			g.Add("", "cluster "+human.Shell(s.Line))
		}
		for _, w := range s.Warnings {
			g.Add("", "warning: "+w)
		}
	}
	return g
}

// failed is the error of a step.
func (s *step) failed(status int, text string) error {
	text = fmt.Sprintf("step %s: %s", s.Name, strings.TrimPrefix(text, "cluster: "))
	if status == exit.Request {
		return exit.Usagef("%s", text)
	}
	return fmt.Errorf("%s", text)
}
