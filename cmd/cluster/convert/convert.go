// Package convert is 'cluster convert', which writes a catalog in another format.
package convert

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
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
	run  flags.Run
	read flags.Read
	out  flags.Output

	columns flags.List
}

func New(a *job.App) *cobra.Command {
	o := &convertOptions{run: flags.Run{Threads: flags.Integer{Least: 1}}}
	cmd := &cobra.Command{
		Use:     "convert IN… -o OUT",
		Short:   "a catalog in another format: Parquet, FITS, VOTable, ECSV, CSV",
		Long:    convertLong,
		Example: convertExample,
		Args:    flags.NeedFiles,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	o.read.RegisterValues(fs)
	fs.StringVar(&o.read.Where, "where", "", "write only the rows for which an `expression` is true, as \"parallax > 2\"")
	fs.VarP(&o.columns, "columns", "c", "write only these columns (default all)")
	flags.CompleteColumns(cmd, "columns")
	o.out.Register(fs, "table")
	fs.VarP(&o.run.Threads, "threads", "t", "CPU threads (default all)")
	o.run.RegisterTalk(cmd)
	return cmd
}

func (o *convertOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	if o.out.Output == "" {
		return exit.Usagef("-o is needed: the table to write, as in -o catalog.parquet")
	}
	if err := o.out.Check(o.run.JSON); err != nil {
		return err
	}
	j, err := job.Open(ctx, a, "convert", &o.run, &o.read, paths)
	if err != nil {
		return err
	}
	defer j.Cat.Close()
	if err := j.Outputs(&o.out); err != nil {
		return err
	}
	columns := int64(len(j.Cat.Fields()))
	if len(o.columns) > 0 {
		columns = int64(len(o.columns))
	}
	for i, name := range o.columns {
		if _, err := j.Cat.Field(name); err != nil {
			return err
		}
		if slices.Contains(o.columns[:i], name) {
			return exit.Usagef("--columns %s: %s is named twice", &o.columns, name)
		}
	}
	rows, err := o.write(ctx, j)
	if err != nil {
		return err
	}
	j.Sum.Input.Files = j.Inputs()
	j.Sum.Input.Rows, j.Sum.Input.Used = j.Cat.Rows(), rows
	if o.read.Where != "" {
		j.Sum.Parameters.Set("where", o.read.Where)
	}
	j.Sum.Result.Set("rows", rows)
	j.Sum.Result.Set("columns", columns)
	return j.Finish()
}

// write returns how many rows were written.
func (o *convertOptions) write(ctx context.Context, j *job.Job) (rows int64, err error) {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Write, time.Now())
	p := j.Rep.Phase("write", j.Cat.Rows())
	defer p.End()
	err = exit.Await(ctx, func() error {
		_, err := table.Append(ctx, o.out.Output, j.Cat, nil, table.Options{
			Force:    o.out.Force,
			Threads:  j.Run.Count(),
			Progress: p.Add,
			Decode:   len(o.read.Null) > 0,
			Where:    o.read.Where,
			Columns:  o.columns,
			Rows:     &rows,
		})
		return err
	})
	return rows, err
}
