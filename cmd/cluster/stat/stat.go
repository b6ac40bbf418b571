// Package stat is 'cluster stat', which evaluates an expression for all pairs of rows.
package stat

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/gpu"
	"skyjoin/gpu/kernels"
	"skyjoin/internal/expr"
	"skyjoin/internal/file"
	"skyjoin/internal/hook"
	"skyjoin/internal/pairfunc"
	"skyjoin/internal/size"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

const statLong = `Evaluates an expression for all pairs of rows, of one catalog or of two, and
reduces the values: sum (exact), count of the pairs for which it is true, hist
(with --bins), or the pairs themselves. With --per-row a sum, count, min or max
for each row, over all other rows.

In the expression a.NAME and b.NAME are columns of the two rows, a and b the
vectors of --columns, dx, dy, dz the differences of these columns, r their
Euclidean distance; dot(u, v), norm(u) and sum(u) are of vectors.

If exchanging the rows changes nothing, as the form of the expression shows,
each pair of one catalog is met once, its lower row as a; otherwise both ways.`

const statExample = `  # spatial distance histogram
  cluster stat points.parquet -c x,y,z --expr "sqrt(dx*dx+dy*dy+dz*dz)" --reduce hist --bins lin:0:100:50

  # kernel density of each row
  cluster stat points.parquet -c x,y,z --expr "exp(-r^2/8)" --reduce sum --per-row -o density.parquet

  # a join that is no equality
  cluster stat a.parquet b.parquet --expr "a.x < b.y and abs(a.z-b.z) < 3" --reduce pairs -o pairs.csv

  # cosine similarity, and the kernel that computes it
  cluster stat a.parquet -c u,v,w --expr "1 - dot(a,b)/(norm(a)*norm(b))" --reduce sum --emit-cuda k.cu`

type statOptions struct {
	run      flags.Run
	read     flags.Read
	columns  flags.List
	columnsB flags.List
	whereB   string
	out      flags.Output
	expr     string
	reduce   flags.Choice
	bins     flags.Bins
	meet     flags.Choice
	perRow   bool
	emit     string
}

func New(a *job.App) *cobra.Command {
	o := &statOptions{reduce: flags.Choice{Value: "", Values: []string{"sum", "count", "hist", "pairs", "min", "max"}}, meet: flags.NewChoice("auto", "once", "both")}
	cmd := &cobra.Command{
		Use:     "stat A [B] --expr EXPR --reduce sum|count|hist|pairs",
		Short:   "any 2-body statistic from an expression",
		Long:    statLong,
		Example: statExample,
		Args:    flags.NeedOneOrTwo,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.execute(cmd.Context(), a, args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&o.expr, "expr", "", "an `expression` of two rows a and b")
	fs.Var(&o.reduce, "reduce", "what is made of the values: sum, count, hist, pairs, or with --per-row min, max")
	fs.Var(&o.bins, "bins", "bins of hist: lin:MIN:MAX:N, log:MIN:MAX:N, edges MIN,…,MAX or @edges.txt; half open")
	fs.BoolVar(&o.perRow, "per-row", false, "a result for each row, over all other rows")
	fs.Var(&o.meet, "meet", "whether pairs of one catalog are met once or both ways; auto is as the expression shows")
	fs.StringVar(&o.emit, "emit-cuda", "", "write the CUDA source of the kernels to a `file`")
	fs.VarP(&o.columns, "columns", "c", "columns of the vectors a and b, as in x,y,z")
	fs.Var(&o.columnsB, "columns-b", "columns of the vector b in the second catalog, where its names differ")
	o.read.Register(fs)
	fs.StringVar(&o.whereB, "where-b", "", "row filter of the second catalog: an `expression`")
	o.out.Register(fs, "table of the result: bins, pairs, or a value for each row")
	o.run.Register(cmd)
	o.run.GPU.RegisterStatistic(cmd, statGPURows)
	flags.CompleteColumns(cmd, "columns")
	flags.Complete(cmd, "reduce", o.reduce.Values)
	flags.Complete(cmd, "meet", o.meet.Values)
	return cmd
}

// statGPURows is how many rows a CPU thread does while a GPU starts and
// compiles a kernel: 1e8 pairs a second for half a second.
const statGPURows = 10_000

// check refuses what cannot be right before anything is read, and returns the
// function and the reduction.
func (o *statOptions) check(paths []string) (*pairfunc.Function, pairfunc.Reduction, error) {
	if o.expr == "" {
		return nil, 0, exit.Usagef("--expr is needed: an expression of two rows, as in --expr \"abs(a.z - b.z)\"")
	}
	if o.reduce.Value == "" {
		return nil, 0, exit.Usagef("--reduce is needed: sum, count, hist or pairs")
	}
	r, err := pairfunc.ParseReduction(o.reduce.Value)
	if err != nil {
		return nil, 0, exit.Usagef("--reduce %s", err)
	}
	s := pairfunc.Schema{Coordinates: o.columns, CoordinatesB: o.columnsB}
	switch {
	case len(paths) == 1 && len(o.columnsB) > 0:
		return nil, 0, exit.Usagef("--columns-b %s: there is no second catalog", &o.columnsB)
	case len(paths) == 1 && o.whereB != "":
		return nil, 0, exit.Usagef("--where-b %s: there is no second catalog", o.whereB)
	case (r == pairfunc.Histogram) != (o.bins.Text != ""):
		return nil, 0, exit.Usagef("--bins goes with --reduce hist, which needs it, as in --bins lin:0:100:50")
	case r == pairfunc.Pairs && o.out.Output == "":
		return nil, 0, exit.Usagef("-o is needed for --reduce pairs, the table of row and neighbor; --reduce count counts them")
	case len(paths) == 2 && o.meet.Value != "auto":
		return nil, 0, exit.Usagef("--meet %s is for pairs of one catalog; those of two are met once", o.meet.Value)
	case o.perRow && o.meet.Value == "once":
		return nil, 0, exit.Usagef("--meet once with --per-row: each row meets all others")
	}
	f, err := pairfunc.Compile(o.expr, s)
	if err != nil {
		return nil, 0, o.exprError(err)
	}
	if len(o.columns) > 0 && !f.UsesCoordinates() {
		return nil, 0, exit.Usagef("--columns %s does nothing: --expr %s has no a, b, r or difference of them; a column is a.%s or b.%s", &o.columns, expr.Short(o.expr), o.columns[0], o.columns[0])
	}
	return f, r, nil
}

// exprError says of an error that it is one of --expr.
func (o *statOptions) exprError(err error) error {
	return exit.Usagef("--expr %s: %s", expr.Short(o.expr), exit.Message(err))
}

// checkColumns refuses columns in --expr that the catalogs do not have.
func (o *statOptions) checkColumns(d *job.Duo, f *pairfunc.Function) error {
	err := f.CheckColumns(func(ofB bool, column string) error {
		cat := d.Cat
		if ofB && d.B != nil {
			cat = d.B.Cat
		}
		_, err := cat.Field(column)
		return err
	})
	if err != nil {
		return o.exprError(err)
	}
	return nil
}

func (o *statOptions) execute(ctx context.Context, a *job.App, paths []string) error {
	f, r, err := o.check(paths)
	if err != nil {
		return err
	}
	if err := o.out.Check(o.run.JSON, o.emit); err != nil {
		return err
	}
	j, err := job.New(a, "stat", &o.run)
	if err != nil {
		return err
	}
	d := &job.Duo{Job: j}
	defer d.Close()
	if err := d.Open(ctx, paths, &o.read); err != nil {
		return err
	}
	if err := exit.First(d.Reads(o.bins.File()), d.Outputs(&o.out)); err != nil {
		return err
	}
	if o.emit != "" {
		if err := d.Writes("--emit-cuda", o.emit, o.out.Force); err != nil {
			return err
		}
	}
	s := &pairfunc.Job{Function: f, Reduction: r, PerRow: o.perRow, Threads: o.run.Count(), Memory: o.run.Memory.Bytes, Self: d.B == nil}
	s.Ordered = s.Self && (o.meet.Value == "both" || o.meet.Value == "auto" && !f.Commutes())
	if r == pairfunc.Histogram {
		if s.Edges, err = statEdges(o.bins.Text); err != nil {
			return err
		}
	}
	_, namesB := f.Columns()
	if err := exit.First(d.Derive(namesB...), o.checkColumns(d, f)); err != nil {
		return err
	}
	if err := o.load(ctx, d, s); err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return exit.Usagef("%s", err)
	}
	if s.Memory > 0 && s.Least() > s.Memory {
		need, allowed := size.Texts(s.Least(), s.Memory)
		return exit.OverMemory(fmt.Errorf("%w: the pairs of one row can take %s, %s are allowed", neighbors.ErrMemory, need, allowed))
	}
	p := o.parameters(d, s)
	if o.emit != "" {
		if err := o.emitSource(ctx, s); err != nil {
			return err
		}
		d.Sum.Note("kernel", "the CUDA source is in %s", o.emit)
	}
	res, err := o.reduceOn(ctx, d, s, p)
	if err != nil {
		return err
	}
	if err := o.report(ctx, d, s, res, p); err != nil {
		return err
	}
	return d.Finish()
}

func (o *statOptions) parameters(d *job.Duo, s *pairfunc.Job) *report.Parameters {
	p := report.NewParameters(d.Sum)
	p.Text("expr", o.expr)
	p.Text("reduce", o.reduce.Value)
	if o.bins.Text != "" {
		p.Text("bins", o.bins.Text)
	}
	p.Flag("per-row", o.perRow)
	if len(o.columns) > 0 {
		p.List("columns", o.columns)
	}
	if len(o.columnsB) > 0 {
		p.List("columns-b", o.columnsB)
	}
	if s.Self {
		p.Text("meet", map[bool]string{true: "both", false: "once"}[s.Both()])
	}
	if len(o.read.Null) > 0 {
		p.List("null", o.read.Null)
	}
	if len(o.read.Let) > 0 {
		p.List("let", o.read.Let)
	}
	if o.read.Where != "" {
		p.Text("where", o.read.Where)
	}
	if o.whereB != "" {
		p.Text("where-b", o.whereB)
	}
	return p
}

// emitSource writes the kernels' source.
func (o *statOptions) emitSource(ctx context.Context, s *pairfunc.Job) error {
	return file.Write(ctx, o.emit, file.Options{Force: o.out.Force}, func(w io.Writer) error {
		_, err := io.WriteString(w, s.CUDA(kernels.Common, kernels.Pairs))
		return err
	})
}

// reduceOnCards evaluates a job on GPUs.
var reduceOnCards = hook.Get[func(*gpu.Cards, context.Context, *pairfunc.Job, func(a, b []uint32) error) (*pairfunc.Result, error)]("gpu.Reduce")

// reduceOn evaluates the job where --device says; pairs go to -o.
func (o *statOptions) reduceOn(ctx context.Context, d *job.Duo, s *pairfunc.Job, p *report.Parameters) (res *pairfunc.Result, err error) {
	start := time.Now()
	err = d.On(max(s.A.Rows, s.B.Rows), func(joiner neighbors.Joiner) error {
		cards, onCards := joiner.(*gpu.Cards)
		var w *statPairs
		var visit func(a, b []uint32) error
		if s.Reduction == pairfunc.Pairs {
			o.forecast(ctx, d, s, p, !onCards)
			var err error
			if w, err = o.newPairs(ctx, d, p, o.out.Output); err != nil {
				return err
			}
			defer w.w.Abort()
			visit = w.take
		}
		err := exit.Await(ctx, func() (err error) {
			if onCards {
				res, err = reduceOnCards(cards, ctx, s, visit)
				return err
			}
			phase := d.Rep.Counting("pairs", "pairs", int64(s.Total()))
			defer phase.End()
			s.Progress = phase.Add
			res, err = s.Run(ctx, visit)
			return err
		})
		if err == nil && w != nil {
			err = w.finish()
		}
		return err
	})
	d.Sum.Seconds.Lap(&d.Sum.Seconds.Join, start)
	return res, err
}

// load reads the columns that the function takes of both sides.
func (o *statOptions) load(ctx context.Context, d *job.Duo, s *pairfunc.Job) error {
	defer d.Sum.Seconds.Lap(&d.Sum.Seconds.Read, time.Now())
	namesA, namesB := s.Columns()
	if s.Self {
		union := unite(namesA, namesB)
		sel, err := selectNumbers(ctx, d, d.Cat, union, o.read.Where, &o.read)
		if err != nil {
			return err
		}
		d.Sel = sel
		d.Sum.Input.Took(d.Cat.Files(), sel)
		s.A, err = statTable(sel, union, namesA)
		if err == nil {
			s.B, err = statTable(sel, union, namesB)
		}
		return err
	}
	var err error
	if d.Sel, err = selectNumbers(ctx, d, d.Cat, namesA, o.read.Where, &o.read); err != nil {
		return err
	}
	d.Sum.Input.Took(d.Cat.Files(), d.Sel)
	if s.A, err = statTable(d.Sel, namesA, namesA); err != nil {
		return err
	}
	if d.B.Sel, err = selectNumbers(ctx, d, d.B.Cat, namesB, o.whereB, &o.read); err != nil {
		return err
	}
	in := report.NewInput()
	in.Took(d.B.Cat.Files(), d.B.Sel)
	d.Sum.InputB = &in
	s.B, err = statTable(d.B.Sel, namesB, namesB)
	return err
}

func unite(a, b []string) []string {
	all := append([]string(nil), a...)
	for _, name := range b {
		if !hasName(all, name) {
			all = append(all, name)
		}
	}
	return all
}

func hasName(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// selectNumbers reads columns of the rows that have a number in each. A side of
// which the function reads nothing is its rows: any column of numbers says
// which are usable.
func selectNumbers(ctx context.Context, d *job.Duo, cat *catalog.Catalog, names []string, where string, f *flags.Read) (sel *catalog.Selection, err error) {
	if len(names) == 0 {
		for _, c := range cat.Fields() {
			if c.Type.IsNumber() && len(names) == 0 {
				names = []string{c.Name}
			}
		}
	}
	p := d.Rep.Phase("read", cat.Rows())
	defer p.End()
	err = exit.Await(ctx, func() error {
		sel, err = cat.Select(ctx, catalog.Request{Columns: names, Metric: neighbors.Euclidean(), Where: where, Strict: f.Strict, Empty: true, Progress: p.Add})
		return err
	})
	return sel, err
}

// statTable picks columns of a selection, as float64. Integers that this would
// round are refused.
func statTable(sel *catalog.Selection, have, want []string) (pairfunc.Table, error) {
	t := pairfunc.Table{Rows: sel.Points.Len()}
	for _, name := range want {
		for k, n := range have {
			if n != name {
				continue
			}
			col := sel.Points.Column(k)
			v := col.Float64
			if v == nil {
				v = make([]float64, col.Len())
				for i := range v {
					v[i] = col.At(i)
				}
			}
			if typ := sel.Fields[k].Type; typ == catalog.Int64 || typ == catalog.Uint64 {
				for i, x := range v {
					if x >= 1<<53 || x <= -1<<53 {
						return t, exit.Usagef("column %s has %.0f in row %d: functions of two rows are of float64, which is exact below 2^53 = 9007199254740992", name, x, job.CatalogRow(sel, uint32(i)))
					}
				}
			}
			t.Columns = append(t.Columns, v)
			break
		}
	}
	return t, nil
}
