package flags

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/human"
)

// Annotations of flags that mean nothing by themselves, and of those that mean
// nothing beside others.
const (
	needsKey  = "needs"
	besideKey = "beside"
)

// figureFlags name figures.
var figureFlags = []string{"plot", "plot-panels", "plot-tree", "plot-reachability", "plot-scores", "plot-covariance", "trace"}

// Needs says that the flags mean nothing unless one of others is given, too, or
// given as a value or of a kind: "covariance=bootstrap", "cv=N". Of others there
// may be such as the command has not.
func Needs(fs *pflag.FlagSet, flags []string, others ...string) {
	for _, name := range flags {
		fs.SetAnnotation(name, needsKey, others) // it fails for a flag that is not there, which a test would see
	}
}

// IdleBeside says that the flags mean nothing where one of others is given, as
// needs has them.
func IdleBeside(fs *pflag.FlagSet, flags []string, others ...string) {
	for _, name := range flags {
		fs.SetAnnotation(name, besideKey, others)
	}
}

// RefuseIdle refuses flags that would be ignored as what they belong to is not
// given, or what leaves them no part is: whoever gives them expects something of
// them.
func RefuseIdle(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		others, given := f.Annotations[needsKey], ShownName(f)
		if f.Value.Type() != "bool" {
			given += " " + shownValue(f)
		}
		for _, name := range f.Annotations[besideKey] {
			if err == nil && f.Value.String() != f.DefValue && inUse(fs, name) {
				err = exit.Usagef("%s does nothing with --%s", given, strings.ReplaceAll(name, "=", " "))
			}
		}
		if err != nil || len(others) == 0 || f.Value.String() == "false" || slices.ContainsFunc(others, func(name string) bool { return inUse(fs, name) }) {
			return
		}
		var names []string
		for _, other := range others {
			name, value, valued := strings.Cut(other, "=")
			if o := fs.Lookup(name); o != nil && valued {
				names = append(names, ShownName(o)+" "+value)
			} else if o != nil {
				names = append(names, ShownName(o))
			}
		}
		err = exit.Usagef("%s does nothing without %s", given, human.OrList(names))
	})
	return err
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

// inUse reports whether a flag is given, and not as false; or, of "flag=value",
// as that value or as one of that kind.
func inUse(fs *pflag.FlagSet, flag string) bool {
	name, want, valued := strings.Cut(flag, "=")
	f := fs.Lookup(name)
	if f == nil || !f.Changed {
		return false
	}
	value := f.Value.String()
	if k, ok := f.Value.(kinded); ok && valued {
		value = k.Kind()
	}
	return value == want || !valued && value != "false"
}

// ShownName is the name of a flag as people write it.
func ShownName(f *pflag.Flag) string {
	if f.Shorthand == "o" {
		return "-o"
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
