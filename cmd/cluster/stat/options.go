package stat

import (
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/expr"
)

// Options are the flags of the command.
type Options struct {
	job.Flags
	columns  flags.List
	columnsB flags.List
	expr     string
	reduce   flags.Choice
	bins     flags.Bins
	meet     flags.Choice
	perRow   bool
	emit     string
}

// exprError says of an error that it is one of --expr.
func (o *Options) exprError(err error) error {
	return exit.Usagef("--expr %s: %s", expr.Short(o.expr), exit.Message(err))
}
