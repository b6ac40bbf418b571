// Package knn is 'cluster knn', which finds the nearest rows of every row.
package knn

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/pairs"
	"skyjoin/neighbors"
)

const knnLong = `Finds the K nearest rows of every row: other rows of the same catalog, or for
the rows of A those of B. The table has K lines for every usable row, nearest
first; rows at the same distance come in the order of their numbers.`

const knnExample = `  # the five nearest neighbours of every galaxy
  cluster knn galaxies.csv -c RA,Dec -k 5 -o near.parquet

  # the nearest star of B for each of A
  cluster knn a.parquet b.parquet -k 1 --keep source_id -o nearest.csv`

type knnOptions struct {
	pairs.Flags
	k   flags.Integer
	pad bool
}

func New(a *job.App) *cobra.Command {
	o := &knnOptions{k: flags.Integer{Least: 1}}
	cmd := &cobra.Command{
		Use:     "knn A [B] -k K -o OUT",
		Short:   "KNN join: the nearest rows of every row",
		Long:    knnLong,
		Example: knnExample,
		Args:    flags.NeedOneOrTwo,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	cmd.Flags().VarP(&o.k, "k", "k", "how many neighbours")
	cmd.Flags().BoolVar(&o.pad, "pad", false, "where there are fewer than K rows, fill up with neighbor -1 at distance inf")
	o.Register(cmd, "kdtree", "brute")
	o.Run.GPU.Register(cmd, flags.NearestRows)
	return cmd
}

func (o *knnOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	if o.k.Value == 0 {
		return exit.Usagef("-k is needed: how many neighbours, as in -k 5")
	}
	if o.Out.Output == "" {
		return exit.Usagef("-o is needed: the table of row, neighbor and distance, as in -o near.parquet")
	}
	d, err := o.Begin(ctx, a, "knn", paths)
	defer d.Close()
	if err != nil {
		return err
	}
	unit, err := d.Geo.Printed(o.Unit, "arcsec")
	if err != nil {
		return err
	}
	if err := d.LoadBoth(ctx, &o.Read, &o.Second, "", ""); err != nil {
		return err
	}
	p := d.ParametersOf(&o.Geometry, &o.Read, &o.Second)
	p.Add("k", o.k.Value, o.k.String())
	p.Flag("pad", o.pad)
	if unit != "" {
		p.Text("unit", unit)
	}
	k, err := fewer(d, o.k.Value, o.pad)
	if err != nil {
		return err
	}
	plan, err := d.Prepare(ctx, neighbors.Nearest{K: k, Pad: o.pad})
	if err != nil {
		return err
	}
	err = d.On(max(plan.Len(), plan.DataLen()), func(joiner neighbors.Joiner) error {
		d.Joiner = joiner
		o.forecast(ctx, d, plan, k, unit, p)
		w, err := pairs.NewPairWriter(ctx, d, &o.Flags, unit, o.pad, p.Metadata)
		if err != nil {
			return err
		}
		defer w.W.Abort()
		return pairs.Stream(ctx, d, plan, false, w)
	})
	if err != nil {
		return err
	}
	d.Sum.Result.Set("rows", int64(plan.Len()))
	d.Sum.Result.Set("k", o.k.Value)
	return d.Finish()
}

// fewer returns k as an int, and refuses lists whose padding alone would not
// fit: a k that is not larger than the rows there are needs no padding.
func fewer(d *job.Duo, k int64, pad bool) (int, error) {
	const most = 1 << 20 // places beyond the rows there are
	_, data := d.Data()
	if have := int64(data.Points.Len()); pad && k > have+most {
		return 0, exit.Usagef("-k %d: there are only %s; with --pad at most %d more can be asked for", k, human.Plural(have, "row", "rows"), most)
	}
	return int(min(k, math.MaxInt)), nil
}
