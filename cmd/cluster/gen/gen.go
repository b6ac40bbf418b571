// Package gen is 'cluster gen', which makes synthetic catalogs.
package gen

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/mock"
	"skyjoin/internal/par"
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

// Options are the flags of the command.
type Options struct {
	job.Flags
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

// genFlags are the kinds of catalogs to which each flag applies.
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
	o := &Options{rows: flags.Integer{Value: 10000}, dim: flags.Integer{Least: 1}, clusters: flags.Integer{Least: 1}}
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
			return Run(cmd.Context(), a, o, args[0])
		},
	}
	fs := cmd.Flags()
	fs.VarP(&o.rows, "rows", "n", "number of rows")
	o.Out.Register(fs, "catalog")
	fs.Var(&o.seed, "seed", "seed of the random numbers, from 0 to 2⁶⁴−1")
	fs.Var(&o.dim, "dim", "coordinates of uniform, expo and clumps (default 2)")
	fs.BoolVar(&o.float32, "float32", false, "float32 columns, for uniform, expo, clumps and tracks")
	fs.Var(&o.clusters, "clusters", "clusters of clumps (default 200), sky (6) and galaxy (60)")
	fs.Var(&o.centre, "centre", "centre of sky: RA,Dec in degrees (default 290,12)")
	fs.Var(&o.radius, "radius", "radius of sky in degrees (default 1.5)")
	fs.Var(&o.faint, "faint", "G magnitude that sky ends at (default 18)")
	o.random.register(fs)
	o.Run.RegisterThreads(fs, "CPU threads (default all)")
	o.Run.RegisterTalk(cmd)
	return cmd
}

// options turns the flags into those of the library.
func (o *Options) options() (mock.Options, error) {
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

// Run makes a catalog of a kind.
func Run(ctx context.Context, a *job.App, o *Options, kind string) error {
	if o.Out.Output == "" {
		return exit.Usagef("-o is needed: the catalog to write, as in -o %s.parquet", kind)
	}
	opt, err := o.options()
	if err != nil {
		return err
	}
	in := job.Inputs{}
	if kind == "randoms" && o.random.footprint != "" {
		in.Also = []string{o.random.footprint}
	}
	j, err := o.Begin(ctx, a, "gen", in)
	if err != nil {
		return err
	}
	if kind == "randoms" {
		if opt.Footprint, err = o.random.options(ctx, o.Run.Count()); err != nil {
			return err
		}
	}
	c, err := mock.New(kind, opt)
	if err != nil {
		return err
	}
	o.parameters(j.Params, kind, opt.Footprint)
	if err := o.write(ctx, j, c); err != nil {
		return err
	}
	j.Sum.Result.Add(made{c.Rows(), int64(len(c.Fields())), int64(len(c.Clusters()))})
	o.random.report(j, opt.Footprint)
	return j.Finish(ctx)
}

// Result is that of the command.
type Result struct {
	made
	*footprint
	*beyond
}

type made struct {
	Rows     int64 `json:"rows" jsonschema:"rows that were made"`
	Columns  int64 `json:"columns" jsonschema:"columns that they have"`
	Clusters int64 `json:"clusters" jsonschema:"clusters that they are in"`
}

// parameters names the flags that the rows depend on, besides their number.
func (o *Options) parameters(p *report.Parameters, kind string, fp mock.Footprint) {
	p.Text("kind", kind)
	p.Add("seed", uint64(o.seed), o.seed.String())
	if o.dim.Value > 0 {
		p.Int("dim", o.dim.Value)
	}
	if o.clusters.Value > 0 {
		p.Int("clusters", o.clusters.Value)
	}
	if o.float32 {
		p.Flag("float32", true)
	}
	p.List("centre", o.centre)
	p.Given("radius", &o.radius)
	p.Given("faint", &o.faint)
	o.random.parameters(p, fp)
}

// write streams the catalog: any number of rows takes the same memory.
func (o *Options) write(ctx context.Context, j *job.Job, c *mock.Catalog) error {
	defer j.Timed(&j.Sum.Seconds.Write)()
	p := j.Rep.Phase("write", c.Rows())
	defer p.End()
	fields := genFields(c)
	w, err := table.NewWriter(o.Out.Output, fields, j.Options("", p.Add))
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

// genTypes are the types of a catalog for those of a mock one.
var genTypes = map[mock.Type]catalog.Type{
	mock.Float64: catalog.Float64,
	mock.Float32: catalog.Float32,
	mock.Int64:   catalog.Int64,
	mock.Int32:   catalog.Int32,
}

func genFields(c *mock.Catalog) []catalog.Field {
	var fields []catalog.Field
	for _, f := range c.Fields() {
		fields = append(fields, catalog.Field{
			Name: f.Name, Type: genTypes[f.Type], Nullable: f.Nullable,
			Unit: f.Unit, UCD: f.UCD, Description: f.Description,
		})
	}
	return fields
}

// genRows is how many rows are made at a time by one thread.
const genRows = 1 << 16

// blocks makes the rows of c in order, the given number of blocks at a time.
func blocks(ctx context.Context, c *mock.Catalog, threads int) func(yield func([]mock.Column) bool) {
	return func(yield func([]mock.Column) bool) {
		ctx, stop := context.WithCancel(ctx)
		queue := make(chan chan []mock.Column, threads)
		var making par.Group
		defer making.Wait()
		defer stop()
		making.Go(func() {
			defer close(queue)
			for lo := int64(0); lo < c.Rows(); lo += genRows {
				made := make(chan []mock.Column, 1)
				select {
				case queue <- made: // waits while threads blocks are on their way
				case <-ctx.Done():
					return
				}
				making.Go(func() { defer close(made); made <- c.Fill(lo, min(lo+genRows, c.Rows())) })
			}
		})
		for made := range queue {
			if !yield(<-made) {
				return
			}
		}
	}
}
