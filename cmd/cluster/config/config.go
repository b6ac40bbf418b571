// Package config is 'cluster config', which prints a file of flags to fill in.
package config

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/runfile"
)

const doc = `config COMMAND
prints a file of the flags of a command, to fill in

Prints a TOML file with all flags of a command as comments, by groups. Take out the
# of the lines that you need, and run it with --config; flags of the command line
override those of the file. Relative paths are relative to where the command runs.

Examples:
  cluster config dbscan > run.toml
  cluster dbscan --config run.toml
  cluster dbscan --config run.toml --eps 3arcmin -o wider.parquet`

func New(a *job.App) *cobra.Command {
	cmd := flags.Command(doc, nil, func(cmd *cobra.Command, args []string) error {
		c, err := wanted(cmd.Root(), args)
		if err != nil {
			return err
		}
		return write(a.Stdout, c)
	})
	cmd.ValidArgsFunction = func(cmd *cobra.Command, _ []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		for _, c := range cmd.Root().Commands() {
			names = append(names, c.Name())
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// wanted is the command that the arguments name.
func wanted(root *cobra.Command, args []string) (*cobra.Command, error) {
	if len(args) == 0 {
		return nil, exit.Usagef("config needs the name of a command, as in 'cluster config dbscan'")
	}
	c, rest, err := root.Find(args)
	name := strings.Join(args, " ")
	switch {
	case err != nil || c == root:
		return nil, root.Args(root, args)
	case len(rest) > 0:
		return nil, exit.Usagef("config %s: there is no command %q of %s", name, rest[0], c.CommandPath())
	case c.Flags().Lookup("config") == nil:
		return nil, exit.Usagef("config %s: it takes no --config", name)
	}
	return c, nil
}

// write writes the file of a command.
func write(w io.Writer, c *cobra.Command) error {
	var b strings.Builder
	name := strings.TrimPrefix(c.CommandPath(), "cluster ")
	fmt.Fprintf(&b, "# cluster %s: %s\n# %s\n\ncommand = %q\n\n", name, c.Short, c.UseLine(), name)
	comment(&b, "files, as they stand on the command line")
	b.WriteString("#inputs = [\"catalog.parquet\"]\n")
	for _, g := range flags.Groups {
		head := "\n# ---- " + string(g) + "\n"
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if flags.GroupOf(f) != g || f.Hidden || runfile.IsNoKey(f.Name) {
				return
			}
			what, use := pflag.UnquoteUsage(f)
			b.WriteString(head + "\n")
			head = ""
			comment(&b, use)
			fmt.Fprintf(&b, "#%s = %s\n", f.Name, example(f, what))
		})
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// example is a value of a flag: its default, or what kind it is.
func example(f *pflag.Flag, what string) string {
	_, several := f.Value.(pflag.SliceValue)
	switch {
	case f.Value.Type() == "bool":
		return "true"
	case several:
		return fmt.Sprintf("[%q]", what)
	case f.DefValue != "" && f.DefValue != "0":
		return fmt.Sprintf("%q", f.DefValue)
	}
	return fmt.Sprintf("%q", what)
}

// width is how long lines of comments are.
const width = 96

// comment writes a text as lines of a comment.
func comment(b *strings.Builder, text string) {
	line := "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}
