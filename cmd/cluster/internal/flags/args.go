package flags

import (
	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
)

// NeedFiles refuses a command line without an input file.
func NeedFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return exit.Usagef("no input file; usage: %s", cmd.UseLine())
	}
	return nil
}

// NeedOneOrTwo refuses a command line without one or two catalogs.
func NeedOneOrTwo(cmd *cobra.Command, args []string) error {
	if err := NeedFiles(cmd, args); err != nil {
		return err
	}
	if len(args) > 2 {
		return exit.Usagef("%d catalogs are named, one or two can be; several files of one catalog are a folder or a quoted pattern, as in 'part-*.parquet'", len(args))
	}
	return nil
}
