// Package again is 'cluster again', which shows or repeats the run that made a file.
package again

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
)

const doc = `again OUTPUT
shows the run that made a table, or repeats it

Shows the command line that made a table, from what the table records: command,
inputs and all flags that the answer depends on. Parquet, FITS, VOTable and ECSV
files record them; CSV and figures have no place for them. --run carries the command
line out again, with its paths relative to where it runs now: to the same file, with
--force, or to that of -o.

Examples:
  cluster again labelled.parquet
  cluster again labelled.parquet --run -o again.parquet`

// Recorded is the JSON of the command.
type Recorded struct {
	report.Head
	Line []string `json:"line" jsonschema:"the command line, which begins with the command"`
}

func New(a *job.App) *cobra.Command {
	run, force, asJSON, output := false, false, false, ""
	cmd := flags.Command(doc, needOne, func(cmd *cobra.Command, args []string) error {
		line, err := recorded(cmd.Context(), args[0])
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
		return exit.Usagef("again needs one table that a command wrote, %d are given", len(args))
	}
	return nil
}

// recorded is the command line that a table records, which ends with the flag that
// named the table.
func recorded(ctx context.Context, path string) (line []string, err error) {
	cat, err := flags.OpenCatalog(ctx, []string{path}, catalog.Options{})
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	for _, kv := range cat.Metadata() {
		if kv.Key != report.MetadataPrefix+report.RunKey {
			continue
		}
		if err := json.Unmarshal([]byte(kv.Value), &line); err != nil || len(line) < 2 || !strings.HasPrefix(line[len(line)-1], "--") {
			return nil, fmt.Errorf("%s: metadata %s, %q, is no command line", path, kv.Key, kv.Value)
		}
		return line, nil
	}
	return nil, fmt.Errorf("%s does not record the run that made it; .parquet, .fits, .vot and .ecsv files of this program do", path)
}
