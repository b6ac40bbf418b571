// Package convert is 'cluster convert', which writes a catalog in another format.
package convert

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/table"
)

const doc = `convert IN… -o OUT
a catalog in another format: Parquet, FITS, VOTable, ECSV, CSV

Writes a catalog in another format, which the extension of the output tells:
Parquet, FITS (a binary table), VOTable, ECSV or CSV, and for papers .mrt (the
machine-readable table of the AAS journals and the CDS, with its byte-by-byte
description), .tbl (IPAC) and .tex (LaTeX: the deluxetable of AASTeX). Rows,
values, nulls, units, UCDs, descriptions and metadata are kept as far as the
format has them: FITS and VOTable without the wider unsigned integers take the
next signed type, FITS writes NaN for nulls of real numbers, ECSV and tables for
papers write empty strings as nulls, and CSV has no units. Several files, and
those of a folder, become one table. Memory does not grow with the table: rows
are written as they are read.

Columns that a format cannot hold are left out, with a warning that names them:
lists in tables for papers, and lists of lists and maps of Parquet outside
Parquet and CSV. --keep-all writes lists as text instead.

In tables for papers all digits are written; --digits 2 gives uncertainties two
significant digits and ends the values that they are of in the same place. They
are recognised by their names, as e_mag and mag, or mag_error and mag.

Examples:
  # a FITS table as Parquet
  cluster convert 4lac.fits -o 4lac.parquet

  # all files of a HATS catalog as one VOTable, with a colour
  cluster convert hats/gaia --let "bp_rp = phot_bp_mean_mag - phot_rp_mean_mag" -o gaia.vot

  # some rows and columns
  cluster convert gaia.parquet -c source_id,ra,dec --where "parallax > 2" -o near.fits

  # the placeholders of a survey for missing values as nulls
  cluster convert survey.csv --null -999,99 -o survey.ecsv

  # a table for a paper
  cluster convert near.fits -c name,ra,dec,parallax,parallax_error --digits 2 -o near.tex`

// Options are the flags of the command.
type Options struct {
	job.Flags
	columns flags.List
	digits  flags.Integer
	keepAll bool
}

func New(a *job.App) *cobra.Command {
	o := &Options{digits: flags.Integer{Least: 1}}
	cmd := flags.Command(doc, flags.NeedFiles, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	o.Read.RegisterValues(fs)
	flags.AddFilter(fs, &o.Read.Where, "where", "write only the rows for which an `expression` is true, as \"parallax > 2\"")
	fs.VarP(&o.columns, "columns", "c", "write only these columns (default all)")
	flags.CompleteColumns(cmd, "columns")
	o.Out.Register(fs, "table")
	fs.BoolVar(&o.keepAll, "keep-all", false, "write lists as text where the output has no place for them (default: leave them out, and say so)")
	fs.Var(&o.digits, "digits", "significant digits of uncertainties, and where their values end, in .mrt, .tbl and .tex (default all)")
	o.Run.RegisterMemory(fs)
	o.Run.RegisterThreads(fs, "CPU threads (default all)")
	o.Run.RegisterTalk(cmd)
	return cmd
}

// Result is that of the command.
type Result struct {
	Rows    int64 `json:"rows" jsonschema:"rows that were written"`
	Columns int64 `json:"columns" jsonschema:"columns that were written"`
}

// Run writes the catalog.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	if o.Out.Output == "" {
		return exit.Usagef("-o is needed: the table to write, as in -o catalog.parquet")
	}
	if err := o.checkDigits(); err != nil {
		return err
	}
	j, err := o.Begin(ctx, a, "convert", job.Inputs{Paths: paths})
	if err != nil {
		return err
	}
	defer j.Close()
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
	j.Params.Text("where", o.Read.Where)
	j.Sum.Result.Add(Result{rows, int64(cmp.Or(len(o.columns), len(j.Cat.Fields())) - j.Dropped())})
	return j.Finish(ctx)
}

// checkDigits refuses digits that no float has, and those of formats that keep all.
func (o *Options) checkDigits() error {
	const most = 17
	papers := []string{".mrt", ".tbl", ".tex", "mrt", "ipac", "latex"}
	switch to := strings.ToLower(cmp.Or(o.Out.Format.Value, filepath.Ext(o.Out.Output))); {
	case o.digits.Value > most:
		return exit.Usagef("--digits %d: a float has %d at most", o.digits.Value, most)
	case o.digits.Value > 0 && !slices.Contains(papers, to):
		return exit.Usagef("--digits is for tables of papers, .mrt, .tbl and .tex; -o %s keeps all digits", o.Out.Output)
	}
	return nil
}

// write returns how many rows were written.
func (o *Options) write(ctx context.Context, j *job.Job) (int64, error) {
	defer j.Timed(&j.Sum.Seconds.Write)()
	p := j.Rep.Phase("write", j.Cat.Rows())
	defer p.End()
	opt := j.Options("", p.Add)
	opt.Metadata, opt.Replaced = nil, ""
	opt.Decode = len(o.Read.Null) > 0
	opt.Where, opt.Columns = o.Read.Where, o.columns
	opt.Digits, opt.KeepAll = int(o.digits.Value), o.keepAll
	if err := j.Fits(ctx, job.Demand{Write: &opt}); err != nil {
		return 0, err
	}
	return exit.Await(ctx, func() (rows int64, err error) {
		opt.Rows = &rows
		_, err = table.Append(ctx, o.Out.Output, j.Cat, nil, opt)
		return rows, err
	})
}
