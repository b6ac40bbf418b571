package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/internal/suggest"
)

// An app is what all commands share.
type app struct {
	stdout, stderr io.Writer
	version        string
}

const rootLong = `cluster finds clusters and neighbours in astronomical catalogs (Parquet,
FITS, VOTable, ECSV, CSV, ARFF),
exactly and on all cores.`

const rootExample = `  cluster info gaia.parquet
  cluster kdist gaia.parquet -c ra,dec -k 9 -p kdist.png
  cluster dbscan gaia.parquet -c ra,dec --eps 1.5arcmin --min-points 10 -o labelled.parquet -p map.png
  cluster gen sky -n 40000 -o mock.parquet`

// newRoot returns the command tree.
func newRoot(a *app, commands ...func(*app) *cobra.Command) *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:           "cluster",
		Short:         "clusters and neighbours in astronomical catalogs",
		Long:          rootLong,
		Example:       rootExample,
		Version:       a.version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			if near := suggest.Near(args[0], names); len(near) > 0 {
				return usagef("unknown command %q, did you mean %q? (see 'cluster --help')", args[0], near[0])
			}
			return usagef("unknown command %q; the commands are %s", args[0], strings.Join(names, ", "))
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return firstError(refuseEmpty(cmd.Flags()), refuseIdle(cmd.Flags()))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, command := range commands {
		c := command(a)
		c.Flags().SortFlags = false // the order of registration goes from what is needed to what is rare
		c.DisableFlagsInUseLine = true
		root.AddCommand(c)
	}
	root.SetHelpCommand(newHelp(root))
	root.SetFlagErrorFunc(flagError)
	usage := strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 100")
	root.SetUsageTemplate(strings.TrimRight(usage, "\n") + "\n\n" + exitHelp + "\n")
	root.SetVersionTemplate("cluster {{.Version}}\n")
	return root
}

// newHelp returns the help command, which refuses what is no command: the
// library's own ends with status 0 all the same.
func newHelp(root *cobra.Command) *cobra.Command {
	help := &cobra.Command{
		Use:   "help [command]",
		Short: "help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			switch {
			case err != nil || cmd == root && len(rest) > 0:
				return root.Args(root, args)
			case len(rest) > 0:
				return usagef("help %s: there is no command %q of %s", strings.Join(args, " "), rest[0], cmd.CommandPath())
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			return cmd.Help()
		},
	}
	for _, c := range root.Commands() {
		help.ValidArgs = append(help.ValidArgs, cobra.CompletionWithDesc(c.Name(), c.Short))
	}
	return help
}

// needFiles refuses a command line without an input file.
func needFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("no input file; usage: %s", cmd.UseLine())
	}
	return nil
}

// run carries out one command line and returns the exit status. It is all of
// the program but the signals, so that tests can call it.
func run(ctx context.Context, a *app, args []string, commands ...func(*app) *cobra.Command) int {
	root := newRoot(a, commands...)
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := guarded(func() error {
		cmd, err := root.ExecuteContextC(ctx)
		return inFlag(cmd, err)
	})
	if err == nil {
		return statusDone
	}
	if c := (*crash)(nil); errors.As(err, &c) && os.Getenv(debugVariable) != "" {
		a.stderr.Write(c.stack)
	}
	fmt.Fprintln(a.stderr, "cluster: "+message(err))
	return exitStatus(err)
}
