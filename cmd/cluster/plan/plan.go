// Package plan is 'cluster plan', which cuts the work of a command into tiles.
package plan

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
)

func New(planned ...tiled.Command) func(a *job.App) *cobra.Command {
	return func(a *job.App) *cobra.Command { return planCommand(a, planned) }
}

func planCommand(a *job.App, planned []tiled.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "plan COMMAND IN… --tiles N -o PLAN",
		Short:   "cuts the work of a command into tiles",
		Long:    tiled.PlanLong,
		Example: tiled.PlanExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usagef("what is to be planned? %s", whatCanBe(cmd))
			}
			return exit.Usagef("%s cannot be planned; %s", args[0], whatCanBe(cmd))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		// An unknown command is to be reported, not its unknown flags.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	for _, p := range planned {
		c := p.Plan(a)
		c.Flags().SortFlags = false
		c.DisableFlagsInUseLine = true
		cmd.AddCommand(c)
	}
	return cmd
}

// whatCanBe names the commands that can be planned, for an error.
func whatCanBe(cmd *cobra.Command) string {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Sprintf("there is 'cluster plan COMMAND' with %s", strings.Join(names, ", "))
}
