package flags

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/io/catalog"
)

// completing says that the command line asks for completions. Cobra keeps the functions
// that complete flags, and the commands with them, until the process ends: other command
// lines, of which a process may carry out any number, register none.
var completing atomic.Bool

// Completing takes a command line that is about to be carried out.
func Completing(args []string) {
	completing.Store(len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd))
}

// CompleteValues gives the values of flags that have a set of them to the shell.
func CompleteValues(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(interface{ Completions() []string }); ok {
			completeBy(cmd, f.Name, cobra.FixedCompletions(v.Completions(), cobra.ShellCompDirectiveNoFileComp))
		}
	})
	for _, c := range cmd.Commands() {
		CompleteValues(c)
	}
}

// CompleteColumns gives the columns of the catalog on the command line to the
// shell, one after another where the flag takes a list.
func CompleteColumns(cmd *cobra.Command, flag string) {
	_, many := cmd.Flag(flag).Value.(*List)
	completeBy(cmd, flag, func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		head := ""
		if many {
			head = word[:strings.LastIndex(word, ",")+1]
		}
		return columnCompletions(cmd, args, head, word), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// columnCompletions returns head and the name of every column that begins like word. A
// catalog that cannot be read has none: a completion shows no errors.
func columnCompletions(cmd *cobra.Command, args []string, head, word string) (found []cobra.Completion) {
	if len(args) == 0 || slices.Contains(args, catalog.Stdin) {
		return nil
	}
	cat, err := OpenCatalog(cmd.Context(), args, catalog.Options{})
	if err != nil {
		return nil
	}
	defer cat.Close()
	for _, f := range cat.Fields() {
		if c := head + JoinList([]string{f.Name}); strings.HasPrefix(c, word) {
			found = append(found, cobra.CompletionWithDesc(c, strings.TrimSpace(f.Unit+" "+f.Description)))
		}
	}
	return found
}

func completeBy(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if !completing.Load() {
		return
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // a flag that is not there, or completed twice
	}
}
