package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/internal/suggest"
)

// version is set by the linker: -X main.version=1.2.3.
var version = "0.1.0"

// An app is what all commands share.
type app struct {
	stdout, stderr io.Writer
}

const rootLong = `cluster finds clusters and neighbours in astronomical catalogs (Parquet,
FITS, VOTable, ECSV, CSV, ARFF),
exactly and on all cores.`

const rootExample = `  cluster info gaia.parquet
  cluster kdist gaia.parquet -c ra,dec -k 9 -p kdist.png
  cluster dbscan gaia.parquet -c ra,dec --eps 1.5arcmin --min-points 10 -o labelled.parquet -p map.png
  cluster gen sky -n 40000 -o mock.parquet`

// newRoot returns the command tree.
func newRoot(a *app) *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:           "cluster",
		Short:         "clusters and neighbours in astronomical catalogs",
		Long:          rootLong,
		Example:       rootExample,
		Version:       version,
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
	root.AddCommand(
		newInfo(a), newConvert(a),
		newDBSCAN(a), newPredict(a), newKDist(a),
		newJoin(a), newKNN(a), newMatch(a), newClassify(a),
		newHist(a), newCorr(a), newRDF(a), newStat(a),
		newPlan(a), newTile(a), newMerge(a), newRelabel(a), newStatus(a), newSubmit(a),
		newGen(a), newDevices(a), newCalibrate(a), newMan(a),
	)
	for _, c := range root.Commands() {
		c.Flags().SortFlags = false // the order of registration goes from what is needed to what is rare
		c.DisableFlagsInUseLine = true
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
