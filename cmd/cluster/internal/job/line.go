package job

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/io/catalog"
)

// A Line is the command line of a run, as far as its answer depends on it: without
// how and where it runs, what it says, and where it writes.
type Line struct {
	args []string          // command, inputs and flags
	look []string          // flags of figures
	flag map[string]string // that names each file that is written
}

// aside are flags of what is computed on which the answer does not depend.
var aside = []string{"force", "output-format", "tiles", "tile-rows", "stage"}

// LineOf returns that of a command whose flags are parsed. That of a plan is the
// command that is planned.
func LineOf(cmd *cobra.Command) Line {
	l := Line{flag: map[string]string{}}
	words := strings.Fields(cmd.CommandPath())
	if l.args = words[1:]; len(words) > 2 {
		l.args = words[2:]
	}
	l.args = append(slices.Clone(l.args), cmd.Flags().Args()...)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		g := flags.GroupOf(f)
		switch {
		case !f.Changed:
		case flags.Writes(f):
			for _, path := range flags.Given(f) {
				l.flag[path] = f.Name
			}
		case g == flags.Figure:
			l.look = append(l.look, asArguments(f)...)
		case g == flags.Device || g == flags.Published || g == flags.Running || slices.Contains(aside, f.Name):
		default:
			l.args = append(l.args, asArguments(f)...)
		}
	})
	return l
}

// asArguments are arguments that give a flag the value that it has.
func asArguments(f *pflag.Flag) (args []string) {
	if f.Value.Type() == "bool" && f.Value.String() == "true" {
		return []string{"--" + f.Name}
	}
	for _, value := range flags.Given(f) {
		args = append(args, "--"+f.Name+"="+value)
	}
	return args
}

// Arguments are those of the command line, as far as the answer depends on them.
func (j *Job) Arguments() []string { return j.app.Line.args }

// reading are flags that say how rows of the first catalog are read, for any command.
var reading = []string{"where", "let", "hdu", "format", "names", "null"}

// Reading are the flags of the command line that say how its rows are read.
func (j *Job) Reading() (args []string) {
	for _, arg := range j.app.Line.args {
		name, _, given := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if given && strings.HasPrefix(arg, "--") && slices.Contains(reading, name) {
			args = append(args, arg)
		}
	}
	return args
}

// Again are the arguments of another command on the same rows, without some flags.
func (j *Job) Again(command string, without ...string) []string {
	args := []string{command}
	for _, arg := range j.app.Line.args[1:] {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if !strings.HasPrefix(arg, "--") || !slices.Contains(without, name) {
			args = append(args, arg)
		}
	}
	return args
}

// TakeLine records the command line of a plan, if that has it, in place of the one
// that puts the plan together.
func (j *Job) TakeLine(plan []catalog.KeyValue) {
	isLine := func(kv catalog.KeyValue) bool { return kv.Key == report.MetadataPrefix+report.RunKey }
	j.Params.Metadata = slices.DeleteFunc(j.Params.Metadata, isLine)
	if i := slices.IndexFunc(plan, isLine); i >= 0 {
		j.Params.Metadata = append(j.Params.Metadata, plan[i])
	}
}

// metadata is the line as a table of the path records it; it ends with the flag
// that names the table.
func (l *Line) metadata(path string) catalog.KeyValue {
	return catalog.KeyValue{Key: report.MetadataPrefix + report.RunKey, Value: l.text(path, nil)}
}

// ofFigure is the line as a figure of the path records it.
func (l *Line) ofFigure(path string) string { return l.text(path, l.look) }

// text is the line with more flags, as JSON.
func (l *Line) text(path string, more []string) string {
	text, _ := json.Marshal(append(slices.Concat(l.args, more), "--"+cmp.Or(l.flag[path], "output"))) // texts have a form as JSON
	return string(text)
}
