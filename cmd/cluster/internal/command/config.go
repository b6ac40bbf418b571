package command

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/runfile"
)

// configurable gives a command, and those below it, --config and --help-all.
func configurable(c *cobra.Command) {
	if c.RunE == nil || c.HasSubCommands() {
		for _, below := range c.Commands() {
			configurable(below)
		}
		return
	}
	if !c.HasLocalFlags() {
		return
	}
	path := c.Flags().String("config", "", "TOML `file` with flags, which those of the command line override; 'cluster config COMMAND' prints one to fill in")
	all := c.Flags().Bool(helpAll, false, "the help of all flags, by groups")
	check, run := c.Args, c.RunE
	c.Args = func(cmd *cobra.Command, args []string) error {
		if *all {
			return pflag.ErrHelp
		}
		if *path != "" {
			s, err := runfile.Load(*path)
			if err != nil {
				return err
			}
			inputs, err := s.Apply(cmd)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				if err := cmd.Flags().Parse(append([]string{"--"}, inputs...)); err != nil {
					return err
				}
			}
		}
		if check == nil {
			return nil
		}
		return check(cmd, cmd.Flags().Args())
	}
	c.RunE = func(cmd *cobra.Command, _ []string) error { return run(cmd, cmd.Flags().Args()) }
}
