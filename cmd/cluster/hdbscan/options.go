package hdbscan

import (
	"math"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
)

// options are the flags of the command.
type options struct {
	run      flags.Run
	read     flags.Read
	geometry geometry.Flags
	out      flags.Output

	sizes    sizes
	samples  flags.Number
	weights  string
	alpha    flags.Number
	ties     flags.Choice
	unit     flags.Choice
	pick     selection
	cut      lengths
	clusters string
	tree     string
	fromTree string
	linkage  string
	mst      string
	icicles  string // figure of the tree
}

// check refuses what is wrong whatever the catalog holds.
func (o *options) check() error {
	if o.fromTree != "" {
		return o.checkOutputs()
	}
	if len(o.sizes) == 0 {
		return exit.Usagef("--min-cluster-size is needed: how many rows a cluster has at least, as in --min-cluster-size 20")
	}
	for _, n := range o.sizes {
		switch {
		case o.weights == "" && (n < 2 || n != math.Trunc(n)):
			return exit.Usagef("--min-cluster-size %v: a number of rows is whole and at least 2", n)
		case n <= 0:
			return exit.Usagef("--min-cluster-size %v: a sum of weights must be positive", n)
		}
	}
	switch m := o.minSamples(); {
	case o.weights == "" && (m < 1 || m != math.Trunc(m)):
		return exit.Usagef("--min-samples %v: a number of rows is whole and at least 1, a row counts itself", m)
	case m <= 0:
		return exit.Usagef("--min-samples %v: a sum of weights must be positive", m)
	case o.alpha.Given && o.alpha.Value <= 0:
		return exit.Usagef("--alpha %v: it must be positive", o.alpha.Value)
	}
	return o.checkOutputs()
}

func (o *options) checkOutputs() error {
	if err := o.pick.check(); err != nil {
		return err
	}
	return o.out.Check(o.run.JSON, append(o.tables(), o.icicles)...)
}

// tables are the tables that are written beside -o.
func (o *options) tables() []string { return []string{o.clusters, o.tree, o.linkage, o.mst} }

// minSamples is that of the flag or its default.
func (o *options) minSamples() float64 {
	if o.samples.Given {
		return o.samples.Value
	}
	return o.sizes[0]
}
