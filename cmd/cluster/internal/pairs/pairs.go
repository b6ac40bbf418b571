// Package pairs is what join and knn share: their flags, and the table of pairs.
package pairs

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// Flags are those that join and knn share.
type Flags struct {
	job.Flags
	Unit      flags.Choice
	keep      flags.List
	kept      int64 // bytes of these columns
	algorithm flags.Choice
}

func (f *Flags) Register(cmd *cobra.Command, algorithms ...string) {
	fs := cmd.Flags()
	f.Geometry.Register(cmd)
	f.Second.Register(cmd)
	f.Read.Register(fs)
	f.Out.Register(fs, "table of row, neighbor and distance")
	fs.Var(&f.keep, "keep", "columns of either catalog to write too, as in source_id,phot_g_mean_mag")
	flags.AddOptional(fs, &f.Unit, "unit", "unit of written distances on the sky (default that of --eps, else arcsec)", flags.AngleUnitNames()...)
	algorithms = append([]string{"auto"}, algorithms...)
	flags.AddChoice(fs, &f.algorithm, "algorithm", "how the CPU finds neighbours, one of "+strings.Join(algorithms, ", ")+"; the answer is the same", algorithms...)
	f.Run.Register(cmd)
	flags.Needs(fs, []string{"keep", "unit"}, "output")
	flags.CompleteColumns(cmd, "keep")
}

// Begin opens the catalogs and checks the request as far as that needs no rows.
func (f *Flags) Begin(ctx context.Context, a *job.App, command string, paths []string) (*job.Job, error) {
	algorithm, err := neighbors.ParseAlgorithm(f.algorithm.Value)
	if err != nil {
		return nil, err
	}
	device := &f.Run.Device.Value
	if algorithm != neighbors.Auto && *device == "gpu" {
		return nil, exit.Usagef("--algorithm %s is an algorithm of the CPU; use --device cpu, or hybrid", f.algorithm.Value)
	}
	j, err := f.Locate(ctx, a, command, job.Inputs{Paths: paths[:1], Second: paths[1:]}, f.keep...)
	if err != nil || algorithm == neighbors.Auto {
		return j, err
	}
	if *device == "auto" {
		*device = "cpu"
	}
	j.Algorithm = algorithm
	j.Joiner = j.CPU()
	return j, nil
}

// Load reads the rows, unless the run would take more than --memory.
func (f *Flags) Load(ctx context.Context, j *job.Job) error {
	var err error
	if f.kept, err = keptBytes(ctx, j, f.keep); err != nil {
		return err
	}
	return j.LoadBeside(ctx, "", "", f.kept)
}

// keptBytes is about what columns take that are kept, of all rows of either side.
func keptBytes(ctx context.Context, j *job.Job, names []string) (bytes int64, err error) {
	const number, text, short = 9, 48, 16
	for _, cat := range []*catalog.Catalog{j.Cat, j.Data().Cat} {
		row := int64(0)
		for _, name := range names {
			switch f, err := cat.Field(name); {
			case err != nil: // it is of the other
			case f.Type == catalog.String:
				letters, err := j.Letters(ctx, cat, name)
				if err != nil {
					return 0, err
				}
				row += text + 2*max(letters-short, 0) // pages and texts
			default:
				row += number
			}
		}
		bytes += row * cat.Rows()
	}
	return bytes, nil
}

// Table returns the table of the pairs of a plan.
func (f *Flags) Table(j *job.Job, plan *neighbors.Plan, unit string, pad bool) *Table {
	return &Table{j, f.keep, f.kept, plan, unit, pad}
}
