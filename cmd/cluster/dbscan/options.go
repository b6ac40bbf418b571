package dbscan

import (
	"context"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/drawn"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/tiles"
)

// Options are the flags of the command.
type Options struct {
	job.Flags

	eps       flags.Length
	minPoints flags.Number
	weights   string
	star      bool
	border    flags.Choice
	counts    bool
	clusters  string
	panels    drawn.Panels
}

// register registers the flags that say what is computed.
func (o *Options) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	o.eps.Zero = true
	fs.Var(&o.eps, "eps", "radius; on the sky with its unit: deg, arcmin, arcsec, mas, uas or rad; 0 for duplicates")
	fs.Var(&o.minPoints, "min-points", "how many rows within --eps, the row itself included, make it core; with --weights, the sum of weights")
	o.Geometry.Register(cmd)
	fs.StringVar(&o.weights, "weights", "", "`column` of weights")
	fs.BoolVar(&o.star, "star", false, "DBSCAN*: border rows are noise")
	o.border = geometry.Border()
	fs.Var(&o.border, "border", "cluster of a border row: the first in number, or that of the nearest core row")
	flags.CompleteColumns(cmd, "weights")
	flags.IdleBeside(fs, []string{"border"}, "star")
}

func (o *Options) registerCounts(fs *pflag.FlagSet) {
	fs.BoolVar(&o.counts, "counts", false, "add the column neighbors: rows within --eps, the row itself included")
	flags.Needs(fs, []string{"counts"}, "output")
}

// check refuses requests that are wrong for any catalog.
func (o *Options) check() error {
	switch {
	case o.eps.Text == "":
		return exit.Usagef("--eps is needed: the radius, as in --eps 1.5arcmin; 'cluster kdist' helps to choose it")
	case !o.minPoints.Given:
		return exit.Usagef("--min-points is needed: how many rows within --eps make a row core, as in --min-points 10")
	case o.weights == "" && o.minPoints.Value < 1:
		return exit.Usagef("--min-points %v: it must be at least 1; a row counts itself", o.minPoints.Value)
	case o.weights == "" && o.minPoints.Value != math.Trunc(o.minPoints.Value):
		return exit.Usagef("--min-points %v: it must be a whole number, unless --weights is given", o.minPoints.Value)
	case o.minPoints.Value <= 0:
		return exit.Usagef("--min-points %v: a sum of weights must be positive", o.minPoints.Value)
	}
	return nil
}

// parameters names the flags that the labels depend on.
func (o *Options) parameters(j *job.Job) {
	p := j.Parameters()
	p.Length("eps", o.eps)
	p.Given("min-points", &o.minPoints)
	p.Text("weights", o.weights)
	p.Flag("star", o.star)
	p.Text("border", o.border.Value)
}

// planOf returns what a plan of the clustering computes.
func (o *Options) planOf(ctx context.Context, j *job.Job) (*tiles.Plan, error) {
	eps, err := j.Geo.Radius("--eps", o.eps)
	if err != nil {
		return nil, err
	}
	p, err := tiled.Plan(ctx, j, "dbscan", o.weights)
	if err != nil {
		return nil, err
	}
	o.parameters(j)
	p.Radius, p.Metadata = eps, j.Params.Metadata
	p.DBSCAN = &tiles.DBSCAN{MinPoints: o.minPoints.Value, Star: o.star, Border: o.border.Value, Counts: o.counts}
	return p, nil
}
