// Package again is 'cluster again', which shows or repeats the run that made a file.
package again

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
)

const doc = `again OUTPUT
shows the run that made a table or a figure, or repeats it

Shows the command line that made a file, from what the file records: command,
inputs and all flags that the answer depends on. Parquet, FITS, VOTable and ECSV
files and all figures record them; CSV has no place for them, and as .ecsv the same
table is text that has. --run carries the
command line out again, with its paths relative to where it runs now: to the same
file, with --force, or to that of -o.

Examples:
  cluster again labelled.parquet
  cluster again map.pdf
  cluster again labelled.parquet --run -o again.parquet`

// Recorded is the JSON of the command.
type Recorded struct {
	report.Head
	Line []string `json:"line" jsonschema:"the command line, which begins with the command"`
}

func New(a *job.App) *cobra.Command {
	run, force, asJSON, output := false, false, false, ""
	cmd := flags.Command(doc, needOne, func(cmd *cobra.Command, args []string) error {
		line, err := job.Recorded(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		line[len(line)-1] += "=" + cmp.Or(output, args[0])
		if force {
			line = append(line, "--force")
		}
		switch {
		case run && asJSON:
			return a.Execute(cmd.Context(), append(line, "--json"))
		case run:
			return a.Execute(cmd.Context(), line)
		case asJSON:
			return report.WriteLine(a.Stdout, Recorded{report.NewHead("again", a.Version), line})
		}
		_, err = io.WriteString(a.Stdout, "cluster "+human.Shell(line)+"\n")
		return err
	})
	fs := cmd.Flags()
	fs.BoolVar(&run, "run", false, "carry it out")
	fs.StringVarP(&output, "output", "o", "", "the `file` to write instead of OUTPUT")
	fs.BoolVar(&force, "force", false, "replace the file")
	fs.BoolVar(&asJSON, "json", false, "one JSON object on stdout: the command line, or with --run its summary")
	return cmd
}

func needOne(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return exit.Usagef("again needs one table or figure that a command wrote, %d are given", len(args))
	}
	return nil
}
