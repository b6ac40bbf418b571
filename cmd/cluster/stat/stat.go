// Package stat is 'cluster stat', which evaluates an expression for all pairs of rows.
package stat

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/gpu"
	"skyjoin/gpu/kernels"
	"skyjoin/internal/column"
	"skyjoin/internal/expr"
	"skyjoin/internal/file"
	"skyjoin/internal/hook"
	"skyjoin/internal/pairfunc"
	"skyjoin/internal/size"
	"skyjoin/internal/squares"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

const doc = `stat A [B] --expr EXPR --reduce sum|count|hist|pairs
any 2-body statistic from an expression

Evaluates an expression for all pairs of rows, of one catalog or of two, and
reduces the values: sum (exact), count of the pairs for which it is true, hist
(with --bins), or the pairs themselves. With --per-row a sum, count, min or max
for each row, over all other rows.

In the expression a.NAME and b.NAME are columns of the two rows, a and b the
vectors of --columns, dx, dy, dz the differences of these columns, r their
Euclidean distance; dot(u, v), norm(u) and sum(u) are of vectors.

If exchanging the rows changes nothing, as the form of the expression shows,
each pair of one catalog is met once, its lower row as a; otherwise both ways.

Examples:
  # spatial distance histogram
  cluster stat points.parquet -c x,y,z --expr "sqrt(dx*dx+dy*dy+dz*dz)" --reduce hist --bins lin:0:100:50

  # kernel density of each row
  cluster stat points.parquet -c x,y,z --expr "exp(-r^2/8)" --reduce sum --per-row -o density.parquet

  # a join that is no equality
  cluster stat a.parquet b.parquet --expr "a.x < b.y and abs(a.z-b.z) < 3" --reduce pairs -o pairs.csv

  # cosine similarity, and the kernel that computes it
  cluster stat a.parquet -c u,v,w --expr "1 - dot(a,b)/(norm(a)*norm(b))" --reduce sum --emit-cuda k.cu`

func New(a *job.App) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, flags.NeedOneOrTwo, func(cmd *cobra.Command, args []string) error { return Run(cmd.Context(), a, o, args) })
	fs := cmd.Flags()
	fs.StringVar(&o.expr, "expr", "", "an `expression` of two rows a and b")
	flags.AddOptional(cmd.Flags(), &o.reduce, "reduce", "how the values are reduced: sum, count, hist, pairs, or with --per-row min, max", "sum", "count", "hist", "pairs", "min", "max")
	fs.Var(&o.bins, "bins", "bins of hist: lin:MIN:MAX:N, log:MIN:MAX:N, edges MIN,…,MAX or @edges.txt; half open")
	fs.BoolVar(&o.perRow, "per-row", false, "a result for each row, over all other rows")
	flags.AddChoice(cmd.Flags(), &o.meet, "meet", "whether pairs of one catalog are met once or both ways; auto is as the expression shows", "auto", "once", "both")
	fs.StringVar(&o.emit, "emit-cuda", "", "write the CUDA source of the kernels to a `file`")
	fs.VarP(&o.columns, "columns", "c", "columns of the vectors a and b, as in x,y,z")
	fs.Var(&o.columnsB, "columns-b", "columns of the vector b in the second catalog, where its names differ")
	o.Read.Register(fs)
	o.Second.RegisterRead(fs)
	o.Out.Register(fs, "table of the result: bins, pairs, or a value for each row")
	o.Run.Register(cmd)
	o.Run.GPU.RegisterPairs(cmd, statGPURows)
	flags.CompleteColumns(cmd, "columns")
	flags.ForCatalogs(fs, 2, 2, ": there is no second catalog", "columns-b")
	return cmd
}

// statGPURows is how many rows a CPU thread does while a GPU starts and
// compiles a kernel: 1e8 pairs a second for half a second.
const statGPURows = 10_000

// check refuses invalid requests before anything is read, and returns the function and
// the reduction.
func (o *Options) check(paths []string) (*pairfunc.Function, pairfunc.Reduction, error) {
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
	case (r == pairfunc.Histogram) != (o.bins.Text != ""):
		return nil, 0, exit.Usagef("--bins goes with --reduce hist, which needs it, as in --bins lin:0:100:50")
	case r == pairfunc.Pairs && o.Out.Output == "":
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

// checkColumns refuses columns in --expr that the catalogs do not have.
func (o *Options) checkColumns(j *job.Job, f *pairfunc.Function) error {
	err := f.CheckColumns(func(ofB bool, column string) error {
		cat := j.Cat
		if ofB {
			cat = j.Data().Cat
		}
		_, err := cat.Field(column)
		return err
	})
	if err != nil {
		return o.exprError(err)
	}
	return nil
}

// Run reduces the values of an expression of all pairs.
func Run(ctx context.Context, a *job.App, o *Options, paths []string) error {
	f, r, err := o.check(paths)
	if err != nil {
		return err
	}
	j, err := o.Begin(ctx, a, "stat", job.Inputs{Paths: paths[:1], Second: paths[1:], Also: []string{o.bins.File()}})
	if err != nil {
		return err
	}
	defer j.Close()
	if o.emit != "" {
		if err := j.Writes("--emit-cuda", o.emit, o.Out.Force); err != nil {
			return err
		}
	}
	s := &pairfunc.Job{Function: f, Reduction: r, PerRow: o.perRow, Threads: o.Run.Count(), Memory: o.Run.Memory.Bytes, Self: j.B == nil}
	s.Ordered = s.Self && (o.meet.Value == "both" || o.meet.Value == "auto" && !f.Commutes())
	if r == pairfunc.Histogram {
		if s.Edges, err = statEdges(o.bins.Text); err != nil {
			return err
		}
	}
	_, namesB := f.Columns()
	if err := exit.First(j.Derive(namesB...), o.checkColumns(j, f)); err != nil {
		return err
	}
	if err := load(ctx, j, s); err != nil {
		return err
	}
	o.warnOfSquares(j, s)
	if err := s.Check(); err != nil {
		return exit.Usagef("%s", err)
	}
	if err := s.CheckMethod(o.method()); err != nil {
		return exit.Usagef("--gpu-output %s", err)
	}
	if s.Memory > 0 && s.Least() > s.Memory {
		need, allowed := size.Texts(s.Least(), s.Memory)
		return exit.OverMemory(fmt.Errorf("%w: the statistic needs %s, %s are allowed", neighbors.ErrMemory, need, allowed))
	}
	o.parameters(j.Params, s)
	if o.emit != "" {
		if err := o.emitSource(ctx, s); err != nil {
			return err
		}
		j.Sum.Note("kernel", "the CUDA source is in %s", o.emit)
	}
	res, err := o.reduceOn(ctx, j, s)
	if err != nil {
		return err
	}
	if err := o.report(ctx, j, s, res); err != nil {
		return err
	}
	return j.Finish(ctx)
}

func (o *Options) parameters(p *report.Parameters, s *pairfunc.Job) {
	p.Text("expr", o.expr)
	p.Text("reduce", o.reduce.Value)
	p.Text("bins", o.bins.Text)
	p.Flag("per-row", o.perRow)
	p.List("columns", o.columns)
	p.List("columns-b", o.columnsB)
	if s.Self {
		p.Text("meet", map[bool]string{true: "both", false: "once"}[s.Both()])
	}
	p.Read(&o.Read)
	job.ParametersOfSecond(p, &o.Second)
}

// method is how the kernels hold and count pairs.
func (o *Options) method() pairfunc.Method {
	return pairfunc.Method{Tiling: o.Run.GPU.Tiling.Value, Output: o.Run.GPU.Output.Value}
}

// emitSource writes the kernels' source, by the rules of the paper where flags leave open
// how pairs are held and counted.
func (o *Options) emitSource(ctx context.Context, s *pairfunc.Job) error {
	method, why := s.Decide(o.method(), pairfunc.Volta)
	return file.Write(ctx, o.emit, file.Options{Force: o.Out.Force}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "/* Tiling %s: %s. */\n%s", method.Tiling, why, s.CUDA(method, kernels.Common, kernels.Pairs))
		return err
	})
}

// reduceOnCards evaluates a job on GPUs.
var reduceOnCards = hook.Get[func(*gpu.Cards, context.Context, *pairfunc.Job, func(a, b []uint32) error) (*pairfunc.Result, error)]("gpu.Reduce")

// reduceOn evaluates the job where --device says; pairs go to -o.
func (o *Options) reduceOn(ctx context.Context, j *job.Job, s *pairfunc.Job) (res *pairfunc.Result, err error) {
	defer j.Timed(&j.Sum.Seconds.Join)()
	err = j.On(max(s.A.Rows, s.B.Rows), func(joiner neighbors.Joiner) (err error) {
		cards, onCards := joiner.(*gpu.Cards)
		var w *statPairs
		var visit func(a, b []uint32) error
		if s.Reduction == pairfunc.Pairs {
			forecast(ctx, j, s, !onCards)
			if w, err = newPairs(ctx, j, o.Out.Output); err != nil {
				return err
			}
			defer w.w.Abort()
			visit = w.take
		}
		res, err = exit.Await(ctx, func() (*pairfunc.Result, error) {
			if onCards {
				return reduceOnCards(cards, ctx, s, visit)
			}
			phase := j.Rep.Counting("pairs", "pairs", int64(s.Total()))
			defer phase.End()
			s.Progress = phase.Add
			return s.Run(ctx, visit)
		})
		if err == nil && w != nil {
			err = w.finish()
		}
		return err
	})
	return res, err
}

// load reads the columns that the function takes of both sides.
func load(ctx context.Context, j *job.Job, s *pairfunc.Job) (err error) {
	defer j.Timed(&j.Sum.Seconds.Read)()
	namesA, namesB := s.Columns()
	haveA, haveB := namesA, namesB
	if s.Self {
		haveA = slices.Clone(namesA)
		for _, name := range namesB {
			if !slices.Contains(haveA, name) {
				haveA = append(haveA, name)
			}
		}
		haveB = haveA
	}
	if j.Sel, err = selectNumbers(ctx, j, j.Cat, haveA, &j.Read); err != nil {
		return err
	}
	j.Sum.Input.Took(j.Cat.Files(), j.Sel)
	if s.A, err = statTable(j.Sel, haveA, namesA); err != nil {
		return err
	}
	if !s.Self {
		if j.B.Sel, err = selectNumbers(ctx, j, j.B.Cat, haveB, j.ReadB()); err != nil {
			return err
		}
		j.Sum.InputB = report.NewInput("--where-b")
		j.Sum.InputB.Took(j.B.Cat.Files(), j.B.Sel)
	}
	s.B, err = statTable(j.Data().Sel, haveB, namesB)
	return err
}

// warnOfSquares warns of coordinates whose differences vanish in r.
func (o *Options) warnOfSquares(j *job.Job, s *pairfunc.Job) {
	namesA, namesB := s.Columns()
	for i, name := range o.columns {
		other := name
		if i < len(o.columnsB) {
			other = o.columnsB[i]
		}
		a, b := slices.Index(namesA, name), slices.Index(namesB, other)
		if a < 0 || b < 0 {
			continue
		}
		if text := squares.Bad(s.Threads, name, 1, column.Column{Float64: s.A.Columns[a]}, column.Column{Float64: s.B.Columns[b]}); text != "" {
			j.Sum.Warn("%s", text)
		}
	}
}

// selectNumbers reads columns of the rows that have a number in each. If the function
// reads nothing of a side, any column of numbers says which of its rows are usable.
func selectNumbers(ctx context.Context, j *job.Job, cat *catalog.Catalog, names []string, f *flags.Read) (*catalog.Selection, error) {
	if len(names) == 0 {
		for _, c := range cat.Fields() {
			if c.Type.IsNumber() && len(names) == 0 {
				names = []string{c.Name}
			}
		}
	}
	if err := j.Fits(ctx, job.Demand{Coordinates: len(names), Shares: []job.Share{{Cat: cat, Where: f.Where}}}); err != nil {
		return nil, err
	}
	return j.Select(ctx, cat, catalog.Request{Columns: names, Metric: neighbors.Euclidean(), Where: f.Where, Strict: f.Strict, Empty: f.Empty})
}

// statTable returns columns of a selection as float64. Integers that this would round
// are refused.
func statTable(sel *catalog.Selection, have, want []string) (pairfunc.Table, error) {
	t := pairfunc.Table{Rows: sel.Points.Len()}
	for _, name := range want {
		for k, n := range have {
			if n != name {
				continue
			}
			v := columns.Floats(sel.Points.Column(k))
			if typ := sel.Fields[k].Type; typ == catalog.Int64 || typ == catalog.Uint64 {
				for i, x := range v {
					if x >= 1<<53 || x <= -1<<53 {
						return t, exit.Usagef("column %s has %.0f in row %d: functions of two rows are computed in float64, which is exact below 2^53 = 9007199254740992", name, x, job.CatalogRow(sel, uint32(i)))
					}
				}
			}
			t.Columns = append(t.Columns, v)
			break
		}
	}
	return t, nil
}
