package command

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/named"
	"skyjoin/io/catalog"
)

// A flaggedError is an error of an expression that says which flag has it.
type flaggedError struct {
	error
	text string
}

func (e *flaggedError) Error() string { return e.text }

func (e *flaggedError) Unwrap() error { return e.error }

// inFlag adds to an error of an expression the flag that it was given by. There
// may be two with the same expression, such as --where and --where-b, and none
// where a plan has it.
func inFlag(cmd *cobra.Command, err error) error {
	var e *catalog.ExpressionError
	if !errors.As(err, &e) {
		return err
	}
	var names []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if s, ok := f.Value.(pflag.SliceValue); ok && e.Name != "" && slices.ContainsFunc(s.GetSlice(), e.IsDefinedBy) || e.Name == "" && f.Value.String() == e.Expression {
			names = append(names, flags.ShownName(f))
		}
	})
	if len(names) == 0 {
		return err
	}
	return &flaggedError{err, strings.Replace(err.Error(), e.Error(), named.Or(names)+" "+e.Shown(), 1)}
}
