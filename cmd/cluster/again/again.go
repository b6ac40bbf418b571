// Package again is 'cluster again', which shows or repeats the run that made a file.
package again

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
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
		return exit.Usagef("again needs one table or figure that a command wrote, %d are given", len(args))
	}
	return nil
}

// recorded is the command line that a file records, which ends with the flag that
// named the file.
func recorded(ctx context.Context, path string) (line []string, err error) {
	parameters, err := parametersOf(ctx, path)
	if err != nil {
		return nil, err
	}
	for _, p := range parameters {
		if p.Name != report.RunKey {
			continue
		}
		if err := json.Unmarshal([]byte(p.Value), &line); err != nil || len(line) < 2 || !strings.HasPrefix(line[len(line)-1], "--") {
			return nil, fmt.Errorf("%s: metadata %s, %q, is no command line", path, p.Name, p.Value)
		}
		return line, nil
	}
	const others = ".parquet, .fits, .vot and .ecsv files and figures of this program do"
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".csv" || ext == ".tsv" || ext == ".txt" {
		return nil, fmt.Errorf("%s does not record the run that made it: CSV has no place for that; -o %s.ecsv writes text that has, and %s", path, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), others)
	}
	return nil, fmt.Errorf("%s does not record the run that made it; %s", path, others)
}

// parametersOf are the parameters that a table or a figure records.
func parametersOf(ctx context.Context, path string) (all []figure.Parameter, err error) {
	if _, err := figure.Format(path); err == nil {
		file, err := os.ReadFile(path)
		return figure.ReadInfo(file).Parameters, err
	}
	cat, err := flags.OpenCatalog(ctx, []string{path}, catalog.Options{})
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	for _, kv := range cat.Metadata() {
		if name, ours := strings.CutPrefix(kv.Key, report.MetadataPrefix); ours {
			all = append(all, figure.Parameter{Name: name, Value: kv.Value})
		}
	}
	return all, nil
}
