// Package gen is 'cluster gen', which makes synthetic catalogs.
package gen

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/mock"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
)

const genExample = `  # a mock Gaia field with open clusters and the true members
  cluster gen sky -n 40000 -o field.parquet

  # ten million points in six dimensions
  cluster gen uniform -n 10000000 --dim 6 -o uniform.parquet

  # randoms across RA 0, or in the footprint of a survey with its redshifts
  cluster gen randoms -n 1000000 --ra 350,10 --dec -5,5 -o randoms.parquet
  cluster gen randoms -n 1000000 --footprint survey.fits --draw z -o randoms.parquet

  # a steep density gradient, as CSV on stdout
  cluster gen expo -n 1000 --seed 7 -o -`

type genOptions struct {
	run      flags.Run
	out      flags.Output
	rows     flags.Integer
	seed     flags.Seed
	dim      flags.Integer
	float32  bool
	clusters flags.Integer
	centre   flags.List
	radius   flags.Number
	faint    flags.Number
	random   randomFlags
}

// genFlags are the kinds that a flag means something for.
var genFlags = []struct {
	flag  string
	kinds []string
}{
	{"dim", []string{"uniform", "expo", "clumps"}},
	{"float32", []string{"uniform", "expo", "clumps", "tracks"}},
	{"clusters", []string{"clumps", "sky", "galaxy"}},
	{"centre", []string{"sky"}},
	{"radius", []string{"sky"}},
	{"faint", []string{"sky"}},
	{"ra", []string{"randoms"}},
	{"dec", []string{"randoms"}},
	{"footprint", []string{"randoms"}},
	{"columns", []string{"randoms"}},
	{"nside", []string{"randoms"}},
	{"draw", []string{"randoms"}},
}

func New(a *job.App) *cobra.Command {
	o := &genOptions{rows: flags.Integer{Value: 10000}, dim: flags.Integer{Least: 1}, clusters: flags.Integer{Least: 1}}
	var kinds []string
	about := &human.Grid{}
	for _, k := range mock.Kinds() {
		kinds = append(kinds, k.Name)
		about.Add("  "+k.Name, k.About)
	}
	cmd := &cobra.Command{
		Use:       "gen KIND -n N -o FILE",
		Short:     "synthetic catalogs",
		Long:      "Makes a synthetic catalog. The same flags give the same rows on every machine.\n\nKinds:\n" + about.String(),
		Example:   genExample,
		ValidArgs: kinds,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return exit.Usagef("one kind of catalog is needed, of %s", strings.Join(kinds, ", "))
			case !slices.Contains(kinds, args[0]):
				return exit.Usagef("kind %q is not one of %s", args[0], strings.Join(kinds, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, f := range genFlags {
				if cmd.Flags().Changed(f.flag) && !slices.Contains(f.kinds, args[0]) {
					return exit.Usagef("--%s belongs to %s, not to %s", f.flag, strings.Join(f.kinds, ", "), args[0])
				}
			}
			return o.execute(cmd.Context(), a, args[0])
		},
	}
	fs := cmd.Flags()
	fs.VarP(&o.rows, "rows", "n", "number of rows")
	o.out.Register(fs, "catalog")
	fs.Var(&o.seed, "seed", "what everything random follows from, from 0 to 2⁶⁴−1")
	fs.Var(&o.dim, "dim", "coordinates of uniform, expo and clumps (default 2)")
	fs.BoolVar(&o.float32, "float32", false, "float32 columns, for uniform, expo, clumps and tracks")
	fs.Var(&o.clusters, "clusters", "clusters of clumps (default 200), sky (6) and galaxy (60)")
	fs.Var(&o.centre, "centre", "centre of sky: RA,Dec in degrees (default 290,12)")
	fs.Var(&o.radius, "radius", "radius of sky in degrees (default 1.5)")
	fs.Var(&o.faint, "faint", "G magnitude that sky ends at (default 18)")
	o.random.register(fs)
	fs.VarP(&o.run.Threads, "threads", "t", "CPU threads (default all)")
	o.run.Threads = flags.Integer{Least: 1}
	o.run.RegisterTalk(cmd)
	return cmd
}

// options turns the flags into those of the library.
func (o *genOptions) options() (mock.Options, error) {
	opt := mock.Options{
		Rows:     o.rows.Value,
		Seed:     uint64(o.seed),
		Dim:      int(o.dim.Value),
		Float32:  o.float32,
		Clusters: int(o.clusters.Value),
		Radius:   o.radius.Value,
		Faint:    o.faint.Value,
	}
	for _, n := range []struct {
		name string
		*flags.Number
	}{{"radius", &o.radius}, {"faint", &o.faint}} {
		if n.Given && n.Value == 0 { // which the library takes for the default
			return opt, exit.Usagef("--%s 0: it must not be 0", n.name)
		}
	}
	if len(o.centre) == 0 {
		return opt, nil
	}
	if len(o.centre) != 2 {
		return opt, exit.Usagef("--centre %s: it is RA,Dec in degrees, as in 290,12", &o.centre)
	}
	opt.Centre = new([2]float64)
	for i, text := range o.centre {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return opt, exit.Usagef("--centre %s: %q is not a number", &o.centre, text)
		}
		opt.Centre[i] = v
	}
	return opt, nil
}

func (o *genOptions) execute(ctx context.Context, a *job.App, kind string) error {
	if o.out.Output == "" {
		return exit.Usagef("-o is needed: the catalog to write, as in -o %s.parquet", kind)
	}
	if err := o.out.Check(o.run.JSON); err != nil {
		return err
	}
	opt, err := o.options()
	if err != nil {
		return err
	}
	j, err := job.New(a, "gen", &o.run)
	if err != nil {
		return err
	}
	if kind == "randoms" {
		if o.random.footprint != "" {
			if err := exit.First(j.Reads(o.random.footprint), j.Outputs(&o.out)); err != nil {
				return err
			}
		}
		if opt.Footprint, err = o.random.options(ctx, o.run.Count()); err != nil {
			return err
		}
	}
	c, err := mock.New(kind, opt)
	if err != nil {
		return err
	}
	if err := o.write(ctx, j, c, o.parameters(j, kind, opt.Footprint)); err != nil {
		return err
	}
	j.Sum.Result.Set("rows", c.Rows())
	j.Sum.Result.Set("columns", int64(len(c.Fields())))
	j.Sum.Result.Set("clusters", int64(len(c.Clusters())))
	o.random.report(&o.run, j.Sum, opt.Footprint)
	return j.Finish()
}

// parameters names the flags that the rows depend on, besides their number.
func (o *genOptions) parameters(j *job.Job, kind string, fp mock.Footprint) []catalog.KeyValue {
	p := report.NewParameters(j.Sum)
	p.Text("kind", kind)
	p.Add("seed", uint64(o.seed), o.seed.String())
	for _, n := range []struct {
		name  string
		value int64
	}{{"dim", o.dim.Value}, {"clusters", o.clusters.Value}} {
		if n.value > 0 {
			p.Add(n.name, n.value, strconv.FormatInt(n.value, 10))
		}
	}
	if o.float32 {
		p.Flag("float32", true)
	}
	if len(o.centre) > 0 {
		p.List("centre", o.centre)
	}
	for _, n := range []struct {
		name string
		*flags.Number
	}{{"radius", &o.radius}, {"faint", &o.faint}} {
		if n.Given {
			p.Add(n.name, n.Value, n.String())
		}
	}
	o.random.parameters(p, fp)
	return p.Metadata
}

// write streams the catalog: any number of rows takes the same memory.
func (o *genOptions) write(ctx context.Context, j *job.Job, c *mock.Catalog, meta []catalog.KeyValue) error {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Write, time.Now())
	p := j.Rep.Phase("write", c.Rows())
	defer p.End()
	fields := genFields(c)
	w, err := table.NewWriter(o.out.Output, fields, table.Options{
		Force:    o.out.Force,
		Metadata: meta,
		Threads:  j.Run.Count(),
		Progress: p.Add,
	})
	if err != nil {
		return err
	}
	defer w.Abort()
	for block := range blocks(ctx, c, j.Run.Count()) {
		cols := make([]catalog.Column, len(fields))
		for i, b := range block {
			cols[i] = catalog.Column{Field: fields[i], Float64: b.Float64, Float32: b.Float32, Int64: b.Int64, Null: b.Null}
		}
		if err := w.WriteRows(ctx, cols); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.Commit(ctx)
}
