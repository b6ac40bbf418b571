package flags

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"skyjoin/internal/each"
	"skyjoin/internal/expr"
)

// A filter is the value of a flag that keeps the rows for which an expression
// is true; given several times, those for which all are.
type filter struct {
	all    *string  // the expressions as one
	single []string // each, as given
}

// AddFilter adds a flag that keeps the rows for which an expression is true.
func AddFilter(fs *pflag.FlagSet, all *string, name, use string) {
	fs.Var(&filter{all: all}, name, use+"; may be given several times, all must be true")
}

func (f *filter) String() string {
	if f.all == nil { // of the zero value, which the library makes
		return ""
	}
	return *f.all
}

func (f *filter) Type() string { return "stringArray" }

// Set adds an expression. Each is parsed by itself, so that none ends within
// another.
func (f *filter) Set(s string) error {
	if err := f.check(s); err != nil {
		return err
	}
	return f.Replace(append(f.single, s))
}

// check refuses what does not parse. What is empty is refused with the empty
// values of other flags.
func (f *filter) check(s string) error {
	if s == "" {
		return nil
	}
	_, err := expr.Parse(s)
	return err
}

// Append, Replace and GetSlice mark the flag as one that may be given several
// times.
func (f *filter) Append(s string) error { return f.Set(s) }

func (f *filter) GetSlice() []string { return f.single }

func (f *filter) Replace(all []string) error {
	f.single = slices.Clone(all)
	if len(all) == 1 {
		*f.all = all[0]
		return nil
	}
	terms := each.Of(all, func(s string) string { return "(" + s + ")" })
	*f.all = strings.Join(terms, " and ")
	return nil
}
