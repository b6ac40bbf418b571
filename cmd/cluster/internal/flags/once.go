package flags

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/internal/expr"
)

// Once makes every flag of a command, and of those below it, refuse a second
// value where it has room for one: the first would be lost. Flags that take
// several have values of type pflag.SliceValue.
func Once(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, several := f.Value.(pflag.SliceValue); !several {
			f.Value = &once{Value: f.Value, flag: f}
		}
	})
	for _, c := range cmd.Commands() {
		Once(c)
	}
}

// A once is the value of a flag that can be given once.
type once struct {
	pflag.Value
	flag  *pflag.Flag
	given string
}

func (o *once) Set(s string) error {
	if o.flag.Changed {
		return &TwiceError{Flag: o.flag, First: o.given, Second: s}
	}
	o.given = s
	return o.Value.Set(s)
}

// Given are the values of a flag as they were given.
func Given(f *pflag.Flag) []string {
	switch v := f.Value.(type) {
	case pflag.SliceValue:
		return v.GetSlice()
	case *once:
		return []string{v.given}
	}
	return []string{f.Value.String()}
}

// A TwiceError is a second value of a flag that takes one.
type TwiceError struct {
	Flag          *pflag.Flag
	First, Second string
}

func (e *TwiceError) Error() string {
	name := ShownName(e.Flag)
	if e.Flag.Value.Type() == "bool" && e.First == e.Second {
		return name + " is given twice; once is enough"
	}
	return fmt.Sprintf("%s is given twice, as %s and as %s; it takes one value", name, shownText(e.First), shownText(e.Second))
}

// shownText is a value as a message shows it.
func shownText(value string) string {
	if value == "" {
		return `""`
	}
	return expr.Short(value)
}

// bare is the value of a flag without what Once puts around it.
func bare(v pflag.Value) pflag.Value {
	if o, ok := v.(*once); ok {
		return o.Value
	}
	return v
}
