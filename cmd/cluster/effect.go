package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// needsKey is the annotation of flags that mean nothing by themselves.
const needsKey = "needs"

// figureFlags name figures.
var figureFlags = []string{"plot", "plot-panels", "plot-scores", "plot-covariance", "trace"}

// needs says that the flags mean nothing unless one of others is given, too. Of
// others there may be such as the command has not.
func needs(fs *pflag.FlagSet, flags []string, others ...string) {
	for _, name := range flags {
		fs.SetAnnotation(name, needsKey, others) // it fails for a flag that is not there, which a test would see
	}
}

// refuseIdle refuses flags that would be ignored as what they belong to is not
// given: whoever gives them expects something of them.
func refuseIdle(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		others := f.Annotations[needsKey]
		if err != nil || len(others) == 0 || f.Value.String() == "false" || slices.ContainsFunc(others, func(name string) bool { return inUse(fs, name) }) {
			return
		}
		var names []string
		for _, name := range others {
			if o := fs.Lookup(name); o != nil {
				names = append(names, shownName(o))
			}
		}
		given := shownName(f)
		if f.Value.Type() != "bool" {
			given += " " + shownValue(f)
		}
		err = usagef("%s does nothing without %s", given, orList(names))
	})
	return err
}

// refuseGiven refuses each of the flags, for a reason that follows its name.
func refuseGiven(fs *pflag.FlagSet, why string, flags ...string) error {
	for _, name := range flags {
		if f := fs.Lookup(name); f.Changed {
			return usagef("%s %s", shownName(f), why)
		}
	}
	return nil
}

// inUse reports whether a flag is given, and not as false.
func inUse(fs *pflag.FlagSet, name string) bool {
	f := fs.Lookup(name)
	return f != nil && f.Changed && f.Value.String() != "false"
}

// shownName is the name of a flag as people write it.
func shownName(f *pflag.Flag) string {
	if f.Shorthand == "o" {
		return "-o"
	}
	return "--" + f.Name
}

// shownValue is the value of a flag as people write it.
func shownValue(f *pflag.Flag) string {
	if s, ok := f.Value.(pflag.SliceValue); ok {
		return joinList(s.GetSlice())
	}
	return f.Value.String()
}

// orList is "a", "a or b", "a, b or c".
func orList(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
