package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
	run      runFlags
	out      outputFlags
	rows     integer
	seed     seed
	dim      integer
	float32  bool
	clusters integer
	centre   list
	radius   number
	faint    number
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

func newGen(a *app) *cobra.Command {
	o := &genOptions{rows: integer{value: 10000}, dim: integer{least: 1}, clusters: integer{least: 1}}
	var kinds []string
	about := &grid{}
	for _, k := range mock.Kinds() {
		kinds = append(kinds, k.Name)
		about.add("  "+k.Name, k.About)
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
				return usagef("one kind of catalog is needed, of %s", strings.Join(kinds, ", "))
			case !slices.Contains(kinds, args[0]):
				return usagef("kind %q is not one of %s", args[0], strings.Join(kinds, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, f := range genFlags {
				if cmd.Flags().Changed(f.flag) && !slices.Contains(f.kinds, args[0]) {
					return usagef("--%s belongs to %s, not to %s", f.flag, strings.Join(f.kinds, ", "), args[0])
				}
			}
			return o.execute(cmd.Context(), a, args[0])
		},
	}
	fs := cmd.Flags()
	fs.VarP(&o.rows, "rows", "n", "number of rows")
	o.out.register(fs, "catalog")
	fs.Var(&o.seed, "seed", "what everything random follows from, from 0 to 2⁶⁴−1")
	fs.Var(&o.dim, "dim", "coordinates of uniform, expo and clumps (default 2)")
	fs.BoolVar(&o.float32, "float32", false, "float32 columns, for uniform, expo, clumps and tracks")
	fs.Var(&o.clusters, "clusters", "clusters of clumps (default 200), sky (6) and galaxy (60)")
	fs.Var(&o.centre, "centre", "centre of sky: RA,Dec in degrees (default 290,12)")
	fs.Var(&o.radius, "radius", "radius of sky in degrees (default 1.5)")
	fs.Var(&o.faint, "faint", "G magnitude that sky ends at (default 18)")
	o.random.register(fs)
	fs.VarP(&o.run.threads, "threads", "t", "CPU threads (default all)")
	o.run.threads = integer{least: 1}
	o.run.registerTalk(cmd)
	return cmd
}

// options turns the flags into those of the library.
func (o *genOptions) options() (mock.Options, error) {
	opt := mock.Options{
		Rows:     o.rows.value,
		Seed:     uint64(o.seed),
		Dim:      int(o.dim.value),
		Float32:  o.float32,
		Clusters: int(o.clusters.value),
		Radius:   o.radius.value,
		Faint:    o.faint.value,
	}
	for _, n := range []struct {
		name string
		*number
	}{{"radius", &o.radius}, {"faint", &o.faint}} {
		if n.set && n.value == 0 { // which the library takes for the default
			return opt, usagef("--%s 0: it must not be 0", n.name)
		}
	}
	if len(o.centre) == 0 {
		return opt, nil
	}
	if len(o.centre) != 2 {
		return opt, usagef("--centre %s: it is RA,Dec in degrees, as in 290,12", &o.centre)
	}
	opt.Centre = new([2]float64)
	for i, text := range o.centre {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return opt, usagef("--centre %s: %q is not a number", &o.centre, text)
		}
		opt.Centre[i] = v
	}
	return opt, nil
}

func (o *genOptions) execute(ctx context.Context, a *app, kind string) error {
	if o.out.output == "" {
		return usagef("-o is needed: the catalog to write, as in -o %s.parquet", kind)
	}
	if err := o.out.check(o.run.json); err != nil {
		return err
	}
	opt, err := o.options()
	if err != nil {
		return err
	}
	j, err := newJob(a, "gen", &o.run)
	if err != nil {
		return err
	}
	if kind == "randoms" {
		if o.random.footprint != "" {
			if err := table.Check(o.out.output, []string{o.random.footprint}, o.out.force); err != nil {
				return err
			}
		}
		if opt.Footprint, err = o.random.options(ctx, o.run.count()); err != nil {
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
	j.sum.Result.set("rows", c.Rows())
	j.sum.Result.set("columns", int64(len(c.Fields())))
	j.sum.Result.set("clusters", int64(len(c.Clusters())))
	o.random.report(&o.run, j.sum, opt.Footprint)
	return j.finish()
}

// parameters names the flags that the rows depend on, besides their number.
func (o *genOptions) parameters(j *job, kind string, fp mock.Footprint) []catalog.KeyValue {
	p := newParameters(j.sum)
	p.text("kind", kind)
	p.add("seed", uint64(o.seed), o.seed.String())
	for _, n := range []struct {
		name  string
		value int64
	}{{"dim", o.dim.value}, {"clusters", o.clusters.value}} {
		if n.value > 0 {
			p.add(n.name, n.value, strconv.FormatInt(n.value, 10))
		}
	}
	if o.float32 {
		p.flag("float32", true)
	}
	if len(o.centre) > 0 {
		p.list("centre", o.centre)
	}
	for _, n := range []struct {
		name string
		*number
	}{{"radius", &o.radius}, {"faint", &o.faint}} {
		if n.set {
			p.add(n.name, n.value, n.String())
		}
	}
	o.random.parameters(p, fp)
	return p.metadata
}

// write streams the catalog: any number of rows takes the same memory.
func (o *genOptions) write(ctx context.Context, j *job, c *mock.Catalog, meta []catalog.KeyValue) error {
	defer j.sum.Seconds.lap(&j.sum.Seconds.Write, time.Now())
	p := j.rep.phase("write", c.Rows())
	defer p.end()
	fields := genFields(c)
	w, err := table.NewWriter(o.out.output, fields, table.Options{
		Force:    o.out.force,
		Metadata: meta,
		Threads:  j.run.count(),
		Progress: p.add,
	})
	if err != nil {
		return err
	}
	defer w.Abort()
	for block := range blocks(ctx, c, j.run.count()) {
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
