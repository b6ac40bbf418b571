package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"

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
	pairFlags
	k   integer
	pad bool
}

func newKNN(a *app) *cobra.Command {
	o := &knnOptions{k: integer{least: 1}}
	cmd := &cobra.Command{
		Use:     "knn A [B] -k K -o OUT",
		Short:   "KNN join: the nearest rows of every row",
		Long:    knnLong,
		Example: knnExample,
		Args:    needOneOrTwo,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	cmd.Flags().VarP(&o.k, "k", "k", "how many neighbours")
	cmd.Flags().BoolVar(&o.pad, "pad", false, "where there are fewer than K rows, fill up with neighbor -1 at distance inf")
	o.register(cmd, "kdtree", "brute")
	o.run.gpu.register(cmd, nearestRows)
	return cmd
}

func (o *knnOptions) execute(ctx context.Context, a *app, paths []string) error {
	if o.k.value == 0 {
		return usagef("-k is needed: how many neighbours, as in -k 5")
	}
	if o.out.output == "" {
		return usagef("-o is needed: the table of row, neighbor and distance, as in -o near.parquet")
	}
	d, err := o.begin(ctx, a, "knn", paths)
	defer d.close()
	if err != nil {
		return err
	}
	unit, err := d.geo.printed(o.unit, "arcsec")
	if err != nil {
		return err
	}
	if err := d.loadBoth(ctx, &o.read, &o.second, "", ""); err != nil {
		return err
	}
	p := d.parametersOf(&o.geometry, &o.read, &o.second)
	p.add("k", o.k.value, o.k.String())
	p.flag("pad", o.pad)
	if unit != "" {
		p.text("unit", unit)
	}
	k, err := d.fewer(o.k.value, o.pad)
	if err != nil {
		return err
	}
	plan, err := d.prepare(ctx, neighbors.Nearest{K: k, Pad: o.pad})
	if err != nil {
		return err
	}
	err = d.on(max(plan.Len(), plan.DataLen()), func(joiner neighbors.Joiner) error {
		d.joiner = joiner
		o.forecast(ctx, d, plan, k, unit, p)
		w, err := d.newPairWriter(ctx, &o.pairFlags, unit, o.pad, p.metadata)
		if err != nil {
			return err
		}
		defer w.w.Abort()
		return d.stream(ctx, plan, false, w)
	})
	if err != nil {
		return err
	}
	d.sum.Result.set("rows", int64(plan.Len()))
	d.sum.Result.set("k", o.k.value)
	return d.finish()
}

// fewer returns k as an int, and refuses lists whose padding alone would not
// fit: a k that is not larger than the rows there are needs no padding.
func (d *duo) fewer(k int64, pad bool) (int, error) {
	const most = 1 << 20 // places beyond the rows there are
	_, data := d.data()
	if have := int64(data.Points.Len()); pad && k > have+most {
		return 0, usagef("-k %d: there are only %s; with --pad at most %d more can be asked for", k, plural(have, "row", "rows"), most)
	}
	return int(min(k, math.MaxInt)), nil
}
