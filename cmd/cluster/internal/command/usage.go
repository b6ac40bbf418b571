package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
)

// usage writes the help of a command below its description: flags before examples, and
// what the exit status says. It is no template: a program with templates cannot leave
// out any method, since they are called by name.
func usage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:")
	if c.Runnable() {
		b.WriteString("\n  " + c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n  " + c.CommandPath() + " [command]")
	}
	b.WriteString(flagHelp(c))
	if c.HasExample() {
		b.WriteString("\n\nExamples:\n" + c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\nAvailable Commands:")
		for _, below := range c.Commands() {
			if below.IsAvailableCommand() || below.Name() == "help" {
				fmt.Fprintf(&b, "\n  %-*s %s", below.NamePadding(), below.Name(), below.Short)
			}
		}
		fmt.Fprintf(&b, "\n\nUse \"%s [command] --help\" for more information about a command.", c.CommandPath())
	}
	_, err := fmt.Fprintf(c.OutOrStderr(), "%s\n\n%s\n", b.String(), exit.Help)
	return err
}
