package flags

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/internal/named"
	"skyjoin/internal/page"
)

// Annotations of flags that mean nothing by themselves, of those that mean
// nothing beside others, and of those that mean nothing for as many catalogs as
// there are.
const (
	needsKey    = "needs"
	besideKey   = "beside"
	catalogsKey = "catalogs"
	pictureKey  = "picture"
)

// figureFlags name figures.
var figureFlags = []string{"plot", "plot-panels", "plot-tree", "plot-dendrogram", "plot-reachability", "plot-scores", "plot-covariance", "trace"}

// Needs says that the flags have no effect unless one of others is given, or given with
// a value or of a kind: "covariance=bootstrap", "cv=N". others may include flags that
// the command does not have.
func Needs(fs *pflag.FlagSet, flags []string, others ...string) {
	for _, name := range flags {
		fs.SetAnnotation(name, needsKey, others) // it fails for a flag that is not there, which a test would see
	}
}

// OfPictures says that the flags mean nothing where all figures are pages to explore.
func OfPictures(fs *pflag.FlagSet, flags ...string) {
	for _, name := range flags {
		fs.SetAnnotation(name, pictureKey, []string{})
	}
}

// drawsPicture reports whether not all figures are pages; there may be none.
func drawsPicture(fs *pflag.FlagSet) bool {
	pages := false
	for _, name := range figureFlags {
		if f := fs.Lookup(name); f != nil && f.Changed {
			pictures, files := page.Split(Given(f))
			if len(pictures) > 0 {
				return true
			}
			pages = pages || len(files) > 0
		}
	}
	return !pages
}

// IdleBeside says that the flags mean nothing where one of others is given, as
// needs has them.
func IdleBeside(fs *pflag.FlagSet, flags []string, others ...string) {
	for _, name := range flags {
		fs.SetAnnotation(name, besideKey, others)
	}
}

// ForCatalogs restricts the flags to runs with least to most catalogs. In other
// runs they are refused: why follows their name and value in the error.
func ForCatalogs(fs *pflag.FlagSet, least, most int, why string, flags ...string) {
	for _, name := range flags {
		fs.SetAnnotation(name, catalogsKey, []string{strconv.Itoa(least), strconv.Itoa(most), why})
	}
}

// catalogs is how many catalogs are named: by arguments, or the second by a flag
// where the command has one for it.
func catalogs(fs *pflag.FlagSet) int {
	n := fs.NArg()
	for _, name := range []string{"with", "random"} {
		if f := fs.Lookup(name); f != nil && f.Changed {
			return 2
		} else if f != nil {
			n = 1
		}
	}
	return n
}

// RefuseIdle refuses flags that would have no effect, because a flag that they need is
// not given or one that rules them out is. A user who gives a flag expects it to do
// something.
func RefuseIdle(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if err == nil {
			err = idle(fs, f)
		}
	})
	return err
}

func idle(fs *pflag.FlagSet, f *pflag.Flag) error {
	given := ShownName(f)
	if f.Value.Type() != "bool" {
		given += " " + shownValue(f)
	}
	for _, name := range f.Annotations[besideKey] {
		if f.Value.String() != "false" && inUse(fs, name) {
			return exit.Usagef("%s does nothing with --%s", given, strings.ReplaceAll(name, "=", " "))
		}
	}
	if f.Value.String() == "false" {
		return nil
	}
	if f.Annotations[pictureKey] != nil && !drawsPicture(fs) {
		return exit.Usagef("%s does nothing for a page to explore", given)
	}
	others := f.Annotations[needsKey]
	if len(others) > 0 && !slices.ContainsFunc(others, func(name string) bool { return inUse(fs, name) }) {
		var names []string
		for _, other := range others {
			name, value, valued := strings.Cut(other, "=")
			if o := fs.Lookup(name); o != nil && valued {
				names = append(names, ShownName(o)+" "+value)
			} else if o != nil {
				names = append(names, ShownName(o))
			}
		}
		return exit.Usagef("%s does nothing without %s", given, named.Or(names))
	}
	if c := f.Annotations[catalogsKey]; c != nil {
		least, _ := strconv.Atoi(c[0]) // ForCatalogs wrote both
		most, _ := strconv.Atoi(c[1])
		if n := catalogs(fs); n < least || n > most {
			return exit.Usagef("%s%s", given, c[2])
		}
	}
	return nil
}

// RefuseGiven refuses each of the flags, for a reason that follows its name.
func RefuseGiven(fs *pflag.FlagSet, why string, flags ...string) error {
	for _, name := range flags {
		if f := fs.Lookup(name); f.Changed {
			return exit.Usagef("%s %s", ShownName(f), why)
		}
	}
	return nil
}

// kinded is the value of a flag that there are several kinds of.
type kinded interface{ Kind() string }

// PageFile stands for pages to explore among the values of flags of figures.
const PageFile = "FILE.html"

// inUse reports whether a flag is given, and not as false; or, of "flag=value",
// as that value or as one of that kind.
func inUse(fs *pflag.FlagSet, flag string) bool {
	name, want, valued := strings.Cut(flag, "=")
	f := fs.Lookup(name)
	if f == nil || !f.Changed {
		return false
	}
	if want == PageFile {
		return slices.ContainsFunc(Given(f), page.Is)
	}
	value := f.Value.String()
	if k, ok := bare(f.Value).(kinded); ok && valued {
		value = k.Kind()
	}
	return value == want || !valued && value != "false"
}

// ShownName is the name of a flag as people write it.
func ShownName(f *pflag.Flag) string {
	if f.Shorthand == "o" || f.Shorthand == f.Name {
		return "-" + f.Shorthand
	}
	return "--" + f.Name
}

// shownValue is the value of a flag as people write it.
func shownValue(f *pflag.Flag) string {
	if s, ok := f.Value.(pflag.SliceValue); ok {
		return JoinList(s.GetSlice())
	}
	return f.Value.String()
}

// RefuseEmpty refuses flags that are given as nothing, such as -o "$out" where
// the shell has no out: taken as left out, they would lose the result.
func RefuseEmpty(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		empty := f.Value.Type() == "string" && f.Value.String() == "" // others check their own
		if s, ok := f.Value.(pflag.SliceValue); ok {
			empty = slices.Contains(s.GetSlice(), "")
		}
		if empty && err == nil {
			err = exit.Usagef("--%s is empty; give it a value or leave it out", f.Name)
		}
	})
	return err
}

// Command makes a command of its documentation, parts of which are set apart by
// blank lines: the usage and a line that says what it does, a text, and examples
// after a line "Examples:".
func Command(doc string, args cobra.PositionalArgs, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	text, examples, _ := strings.Cut(doc, "\n\nExamples:\n")
	head, long, _ := strings.Cut(text, "\n\n")
	use, short, _ := strings.Cut(head, "\n")
	return &cobra.Command{Use: use, Short: short, Long: long, Example: examples, Args: args, RunE: run}
}

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
