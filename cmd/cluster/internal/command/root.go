// Package command makes the root command of the program and carries out a command line.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/file"
	"skyjoin/internal/suggest"
	"skyjoin/internal/used"
	"skyjoin/io/catalog"
)

// flagError turns the flag library's error about a flag into a usageError that names
// the value, what is wrong with it, and the flag that was meant.
func flagError(cmd *cobra.Command, err error) error {
	var (
		invalid *pflag.InvalidValueError
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		twice   *flags.TwiceError
	)
	if words := cmd.Flags().Args(); !cmd.HasParent() && len(words) > 0 {
		return cmd.Args(cmd, words) // it is the flag of a command that there is not
	}
	help := fmt.Sprintf("see '%s --help'", cmd.CommandPath())
	switch {
	case errors.As(err, &twice):
		return exit.Usagef("%v", twice)
	case errors.As(err, &invalid):
		return exit.Usagef("%s %s: %v", flags.ShownName(invalid.GetFlag()), invalid.GetValue(), invalid.Unwrap())
	case errors.As(err, &missing):
		return exit.Usagef("%s; %s", strings.TrimPrefix(err.Error(), "flag "), help)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		if now := flags.Renamed[name]; now != "" {
			return exit.Usagef("--%s is --%s now; %s", name, now, help)
		}
		if where := flags.Elsewhere[name]; where != "" {
			return exit.Usagef("--%s is for %s; %s has none of them (%s)", name, where, strings.TrimPrefix(cmd.CommandPath(), "cluster "), help)
		}
		if p, found := flags.PeerOf(cmd, name); found && p.Flag == "" {
			return exit.Usagef("unknown flag --%s: %s; %s", name, p.How, help)
		} else if found {
			return exit.Usagef("unknown flag --%s, did you mean %s? (%s; %s)", name, flags.ShownName(cmd.Flags().Lookup(p.Flag)), p.How, help)
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := suggest.Near(name, names); len(near) > 0 {
			return exit.Usagef("unknown flag --%s, did you mean --%s? (%s)", name, near[0], help)
		}
		return exit.Usagef("unknown flag --%s; %s", name, help)
	}
	return exit.Usagef("%v; %s", err, help)
}

const rootLong = `cluster finds clusters and neighbours in astronomical catalogs (Parquet,
FITS, VOTable, ECSV, CSV, ARFF),
exactly and on all cores.`

const rootExample = `  cluster info gaia.parquet
  cluster kdist gaia.parquet -c ra,dec -k 9 -p kdist.png
  cluster dbscan gaia.parquet -c ra,dec --eps 1.5arcmin --min-points 10 -o labelled.parquet -p map.png
  cluster gen sky -n 40000 -o mock.parquet`

// An Entry is a line of the table of commands.
type Entry struct {
	Name    string
	New     func(*job.App) *cobra.Command
	Results []any // types of the results of its summary, one for each form that it has
	JSON    any   // type of all that it writes as JSON, where that is no summary
}

// others are the commands that look at the others, or carry them out.
var others = []string{"again", "config", "man", "run"}

// Needed returns what makes the commands that a command line needs: the one that
// it begins with, or else all, for the help, completions, manual pages, and what
// is said of a name that no command has.
func Needed(table []Entry, args []string) []func(*job.App) *cobra.Command {
	var all []func(*job.App) *cobra.Command
	for _, e := range table {
		if len(args) > 0 && args[0] == e.Name && !slices.Contains(others, e.Name) {
			return []func(*job.App) *cobra.Command{e.New}
		}
		all = append(all, e.New)
	}
	return all
}

// Root returns the command tree.
func Root(a *job.App, commands ...func(*job.App) *cobra.Command) *cobra.Command {
	cobra.EnableCommandSorting = false
	var cite, version bool
	root := &cobra.Command{
		Use:           "cluster",
		Short:         "clusters and neighbours in astronomical catalogs",
		Long:          rootLong,
		Example:       rootExample,
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
			if ours := peerCommands[strings.ReplaceAll(strings.ToLower(args[0]), "_", "-")]; ours != "" {
				return exit.Usagef("unknown command %q, did you mean %q? (see 'cluster %s --help')", args[0], ours, strings.Fields(ours)[0])
			}
			if near := suggest.Near(args[0], names); len(near) > 0 {
				return exit.Usagef("unknown command %q, did you mean %q? (see 'cluster --help')", args[0], near[0])
			}
			return exit.Usagef("unknown command %q; the commands are %s", args[0], strings.Join(names, ", "))
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.Line = job.LineOf(cmd)
			return exit.First(flags.RefuseEmpty(cmd.Flags()), flags.RefuseIdle(cmd.Flags()))
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case version:
				fmt.Fprint(a.Stdout, versionText(a))
				return nil
			case cite:
				fmt.Fprint(a.Stdout, strings.ReplaceAll(citation, "VERSION", a.Version))
				return nil
			}
			return cmd.Help()
		},
	}
	for _, command := range commands {
		c := command(a)
		c.Flags().SortFlags = false // the order of registration goes from what is needed to what is rare
		c.DisableFlagsInUseLine = true
		configurable(c)
		flags.CompleteValues(c)
		flags.Once(c)
		root.AddCommand(c)
	}
	root.SetHelpCommand(newHelp(root))
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(usage)
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version, the commit and what it was built for, and exit")
	root.Flags().BoolVar(&cite, "citation", false, "print what papers cite, in BibTeX, and exit")
	return root
}

// peerCommands are the commands that do what other programs do under another name.
var peerCommands = map[string]string{
	"crossmatch": "match", "cross-match": "match", "xmatch": "match", "tmatch2": "match", "tskymatch2": "match", "match-coordinates-sky": "match", "tmatch1": "match",
	"fof": "dbscan --min-points 2", "friends-of-friends": "dbscan --min-points 2", "search-around-sky": "join", "radius-neighbors": "join", "query-ball-point": "join", "frnn": "join",
	"nn": "knn", "kneighbors": "knn", "nearest": "knn", "neighbors": "knn", "neighbours": "knn", "lof": "outliers", "glosh": "outliers", "dbcv": "validity", "silhouette": "validity",
	"knndistplot": "kdist", "wtheta": "corr", "xi": "corr", "wp": "corr", "2pcf": "corr", "two-point": "corr", "ggcorrelation": "corr", "nncorrelation": "corr", "ddtheta-mocks": "corr",
	"dd": "hist", "paircount": "hist", "pair-counts": "hist", "pdist": "stat", "cdist": "stat", "tpipe": "convert", "tcopy": "convert", "tcat": "convert", "copy": "convert", "describe": "info", "head": "info", "schema": "info",
	"kneighborsclassifier": "classify", "knnclassify": "classify", "randoms": "gen randoms",
}

// newHelp returns the help command, which refuses unknown commands: the library's own
// ends with status 0 for them.
func newHelp(root *cobra.Command) *cobra.Command {
	all := false
	help := &cobra.Command{
		Use:   "help [command]",
		Short: "help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			switch {
			case err != nil || cmd == root && len(rest) > 0:
				return root.Args(root, args)
			case len(rest) > 0:
				return exit.Usagef("help %s: there is no command %q of %s", strings.Join(args, " "), rest[0], cmd.CommandPath())
			}
			cmd.InitDefaultHelpFlag()
			cmd.InitDefaultVersionFlag()
			if f := cmd.Flags().Lookup(helpAll); all && f != nil {
				f.Changed = true
			}
			return cmd.Help()
		},
	}
	help.Flags().BoolVar(&all, helpAll, false, "all flags, by groups")
	for _, c := range root.Commands() {
		help.ValidArgs = append(help.ValidArgs, cobra.CompletionWithDesc(c.Name(), c.Short))
	}
	return help
}

// Execute carries out one command line within a run.
func Execute(ctx context.Context, a *job.App, args []string, commands ...func(*job.App) *cobra.Command) error {
	flags.Completing(args)
	root := Root(a, commands...)
	root.SetArgs(args)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	cmd, err := root.ExecuteContextC(used.In(ctx, &a.Used))
	if err != nil {
		return orEmpty(cmd, inFlag(cmd, err))
	}
	return nil
}

// Run carries out one command line and returns the exit status. It is all of
// the program but the signals, so that tests can call it.
func Run(ctx context.Context, a *job.App, args []string, commands ...func(*job.App) *cobra.Command) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // that of --memory is for this command line
	if a.Stdin != nil {
		stdin := catalog.NewStream(a.Stdin)
		defer stdin.Close()
		ctx = flags.WithStdin(ctx, stdin)
	}
	a.Execute = func(ctx context.Context, args []string) error { return Execute(ctx, a, args, commands...) }
	ctx, outputs := file.Together(ctx) // all are named, or none
	defer outputs.Abort()
	err := exit.Guarded(func() error {
		if err := Execute(ctx, a, args, commands...); err != nil {
			return err
		}
		return outputs.Commit(ctx) // of commands without a summary
	})
	if err == nil {
		return exit.Done
	}
	if c := (*exit.Crash)(nil); errors.As(err, &c) && os.Getenv(exit.DebugVariable) != "" {
		a.Stderr.Write(c.Stack)
	}
	Report(a, args, err)
	return exit.Status(err)
}
