package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/io/table"
)

const convertLong = `Writes a catalog in another format, which the extension of the output tells:
Parquet, FITS (a binary table), VOTable, ECSV or CSV. Rows, values, nulls,
units, UCDs, descriptions and metadata are kept as far as the format has them:
FITS and VOTable without the wider unsigned integers take the next signed type,
FITS writes NaN for nulls of real numbers, ECSV writes empty strings as nulls,
and CSV has no units. Several files, and those of a folder, become one table.
Memory does not grow with the table: rows are written as they are read.`

const convertExample = `  # a FITS table as Parquet
  cluster convert 4lac.fits -o 4lac.parquet

  # all files of a HATS catalog as one VOTable, with a colour
  cluster convert hats/gaia --let "bp_rp = phot_bp_mean_mag - phot_rp_mean_mag" -o gaia.vot

  # some rows and columns
  cluster convert gaia.parquet -c source_id,ra,dec --where "parallax > 2" -o near.fits

  # the sentinel values of a survey as nulls
  cluster convert survey.csv --null -999,99 -o survey.ecsv`

type convertOptions struct {
	run  runFlags
	read readFlags
	out  outputFlags

	columns list
}

func newConvert(a *app) *cobra.Command {
	o := &convertOptions{run: runFlags{threads: integer{least: 1}}}
	cmd := &cobra.Command{
		Use:     "convert IN… -o OUT",
		Short:   "a catalog in another format: Parquet, FITS, VOTable, ECSV, CSV",
		Long:    convertLong,
		Example: convertExample,
		Args:    needFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	o.read.registerValues(fs)
	fs.StringVar(&o.read.where, "where", "", "write only the rows for which an `expression` is true, as \"parallax > 2\"")
	fs.VarP(&o.columns, "columns", "c", "write only these columns (default all)")
	completeColumns(cmd, "columns")
	o.out.register(fs, "table")
	fs.VarP(&o.run.threads, "threads", "t", "CPU threads (default all)")
	o.run.registerTalk(cmd)
	return cmd
}

func (o *convertOptions) execute(ctx context.Context, a *app, paths []string) error {
	if o.out.output == "" {
		return usagef("-o is needed: the table to write, as in -o catalog.parquet")
	}
	if err := o.out.check(o.run.json); err != nil {
		return err
	}
	j, err := openJob(ctx, a, "convert", &o.run, &o.read, paths)
	if err != nil {
		return err
	}
	defer j.cat.Close()
	if err := j.outputs(&o.out); err != nil {
		return err
	}
	columns := int64(len(j.cat.Fields()))
	if len(o.columns) > 0 {
		columns = int64(len(o.columns))
	}
	for i, name := range o.columns {
		if _, err := j.cat.Field(name); err != nil {
			return err
		}
		if slices.Contains(o.columns[:i], name) {
			return usagef("--columns %s: %s is named twice", &o.columns, name)
		}
	}
	rows, err := o.write(ctx, j)
	if err != nil {
		return err
	}
	j.sum.Input.Files = j.inputs()
	j.sum.Input.Rows, j.sum.Input.Used = j.cat.Rows(), rows
	if o.read.where != "" {
		j.sum.Parameters.set("where", o.read.where)
	}
	j.sum.Result.set("rows", rows)
	j.sum.Result.set("columns", columns)
	return j.finish()
}

// write returns how many rows were written.
func (o *convertOptions) write(ctx context.Context, j *job) (rows int64, err error) {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	p := j.rep.phase("write", j.cat.Rows())
	defer p.end()
	err = await(ctx, func() error {
		_, err := table.Append(ctx, o.out.output, j.cat, nil, table.Options{
			Force:    o.out.force,
			Threads:  j.run.count(),
			Progress: p.add,
			Decode:   len(o.read.null) > 0,
			Where:    o.read.where,
			Columns:  o.columns,
			Rows:     &rows,
		})
		return err
	})
	return rows, err
}
