package classify

import (
	"context"
	"math/rand/v2"
	"time"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/gpu"
	"skyjoin/internal/each"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/knnclass"
	"skyjoin/neighbors"
)

// A predictor predicts the rows of a query, a block after the other, while the
// output is written: memory does not grow with the query.
type predictor struct {
	o      *Options
	j      *job.Job
	t      *trainingSet
	model  *knnclass.Model
	opt    knnclass.Options
	fields []catalog.Field // of the predictions

	explain        *explanation // nil if it is not asked for
	truth          *truth       // nil if the query does not have the answer
	tally          catalog.Tally
	ties, outliers int64
}

// queryBlock is the least number of query rows that are joined at once. The
// index of the training rows is built for each block, so that there are no
// fewer rows in it than these.
var queryBlock = 1 << 20 // tests make it small

// blockRows is queryBlock, or fewer rows where memory is short.
func blockRows(j *job.Job) int64 {
	const row = 512 // bytes
	if most := j.Run.Memory.Bytes / row; most > 0 {
		return min(int64(queryBlock), most)
	}
	return int64(queryBlock)
}

func (o *Options) newPredictor(j *job.Job, t *trainingSet, opt knnclass.Options) (*predictor, error) {
	p := &predictor{o: o, j: j, t: t, opt: opt, fields: o.predictionFields(t)}
	var err error
	p.model, err = t.model()
	return p, err
}

// predictionFields are the columns that are added to the query.
func (o *Options) predictionFields(t *trainingSet) []catalog.Field {
	field := func(name string, typ catalog.Type, description string) catalog.Field {
		return catalog.Field{Name: name, Type: typ, Nullable: true, Description: description}
	}
	if t.labels == nil {
		return []catalog.Field{field("predicted", catalog.Float64, "predicted "+o.regress)}
	}
	fields := []catalog.Field{
		field("predicted", t.labels.column(nil).Field.Type, "predicted "+o.label),
		field("probability", catalog.Float64, "share of the votes that the predicted class has"),
		field("tie", catalog.Bool, "another class has as many votes"),
	}
	if o.probabilities {
		for _, name := range t.labels.classes {
			fields = append(fields, field("p_"+name, catalog.Float64, "share of the votes for "+name))
		}
	}
	return fields
}

// write predicts all rows and writes the outputs that are asked for.
func (p *predictor) write(ctx context.Context, joiner neighbors.Joiner) (err error) {
	p.opt.Joiner = joiner
	p.tally, p.ties, p.outliers = catalog.Tally{}, 0, 0
	p.truth = p.o.newTruth(p.j, p.t)
	if err := p.someUsable(ctx, p.j.Geo.Request(&p.o.Read, ""), p.tally); err != nil { // of no rows
		return err
	}
	p.forecast(ctx)
	if p.explain, err = p.o.newExplanation(p.j, p.t, p.o.explain); err != nil {
		return err
	}
	if p.explain != nil {
		defer p.explain.w.Abort()
	}
	phase := p.j.Rep.Phase("classify", p.j.Cat.Rows())
	defer phase.End()
	start, s := time.Now(), p.j.Sum.Seconds
	before := s.Join + s.Read
	err = exit.Do(ctx, func() error {
		if p.o.Out.Output == "" {
			for _, err := range p.blocks(ctx, phase.Add) {
				if err != nil {
					return err
				}
			}
			return nil
		}
		stream := table.Stream{Fields: p.fields, Blocks: p.blocks(ctx, phase.Add)}
		names, err := table.AppendStream(ctx, p.o.Out.Output, p.j.Cat, stream, p.j.Options("", nil))
		for i, name := range names {
			p.j.Renamed(p.fields[i].Name, name)
		}
		return err
	})
	s.Write += time.Since(start).Seconds() - (s.Join + s.Read - before)
	if err == nil && p.explain != nil {
		if err = p.explain.flush(ctx); err == nil {
			err = p.explain.w.Commit(ctx)
		}
	}
	return err
}

// blocks yields the predictions of all rows.
func (p *predictor) blocks(ctx context.Context, progress func(rows int64)) func(yield func([]catalog.Column, error) bool) {
	return func(yield func([]catalog.Column, error) bool) {
		req := p.j.Geo.Request(&p.o.Read, "")
		rows := int(max(blockRows(p.j), int64(p.t.points.Len())))
		waiting := time.Now()
		for b, err := range p.j.Cat.SelectBlocks(ctx, req, p.truth.names(), rows) {
			p.j.Sum.Seconds.Lap(&p.j.Sum.Seconds.Read, waiting)
			var cols []catalog.Column
			if err == nil {
				err = p.someUsable(ctx, req, b.CountSoFar)
			}
			if err == nil {
				cols, err = p.block(ctx, b)
			}
			if !yield(cols, err) || err != nil {
				return
			}
			progress(b.Rows)
			waiting = time.Now()
		}
	}
}

// hintOfItself adds a hint if rows are predicted by themselves.
func (o *Options) hintOfItself(j *job.Job) {
	if j.Cat != nil && o.Read.Where == "" && o.whereTrain == "" && job.SameFile(j.Cat.Files()[0], j.B.Cat.Files()[0]) {
		j.Sum.Hint("QUERY is the training catalog, so that every row votes for itself; --cv loo predicts each from the others")
	}
}

// someUsable refuses a query that has been read to its end without a usable row: the
// writer of the predictions stops at the last row and does not see that error.
func (p *predictor) someUsable(ctx context.Context, req catalog.Request, soFar catalog.Tally) error {
	if soFar.Total < p.j.Cat.Rows() || soFar.Used > 0 || req.Empty {
		return nil
	}
	_, err := p.j.Cat.Select(ctx, req)
	return err
}

// block predicts the rows of a block.
func (p *predictor) block(ctx context.Context, b *catalog.SelectedBlock) ([]catalog.Column, error) {
	defer p.j.Timed(&p.j.Sum.Seconds.Join)()
	if b.First == 0 {
		if err := geometry.SameUnits(p.t.Sel.Fields, b.Selection.Fields); err != nil {
			return nil, err
		}
	}
	p.tally = b.CountSoFar
	found := &knnclass.Prediction{}
	if b.Selection.Points.Len() > 0 && p.model != nil {
		err := p.voted(func() (err error) {
			found, err = p.model.Predict(ctx, b.Selection.Points, p.opt)
			return err
		})
		if err == nil && p.explain != nil {
			err = p.explained(ctx, b)
		}
		if err != nil {
			return nil, err
		}
	}
	p.ties += found.Ties
	p.outliers += found.Outliers
	if err := p.truth.add(b, found); err != nil {
		return nil, err
	}
	return p.columns(b, found), nil
}

// voted carries out a join. Under --device auto a GPU that fails is replaced by the CPU
// for the remaining rows, since rows that are written cannot always be taken back.
func (p *predictor) voted(join func() error) error {
	err := join()
	if err == nil || !gpu.IsFailure(err) || p.j.Run.Device.Value != "auto" {
		return err
	}
	p.j.Sum.OnDevice("cpu", exit.Message(err))
	p.opt.Joiner = p.j.Joiner
	return join()
}

// explained adds the neighbours behind the predictions of a block.
func (p *predictor) explained(ctx context.Context, b *catalog.SelectedBlock) error {
	p.explain.sel, p.explain.first, p.explain.passed = b.Selection, b.First, 0
	return p.voted(func() error {
		seen := uint32(0) // rows that were passed on before a GPU failed
		return p.model.Explain(ctx, b.Selection.Points, p.opt, 0, func(row uint32, train []uint32, dist, share []float64) error {
			if seen++; seen <= p.explain.passed {
				return nil
			}
			p.explain.passed = seen
			return p.explain.add(ctx, row, train, dist, share)
		})
	})
}

// columns are the predictions of all rows of a block: null where there is none.
func (p *predictor) columns(b *catalog.SelectedBlock, found *knnclass.Prediction) []catalog.Column {
	from := make([]int64, b.Rows) // point of each row, -1 for none
	for i := range from {
		from[i] = -1
	}
	for i := range b.Selection.Points.Len() {
		if p.model == nil {
			break
		}
		if found.Class == nil || found.Class[i] != knnclass.Outlier {
			from[job.CatalogRow(b.Selection, uint32(i))] = int64(i)
		}
	}
	var values []catalog.Column
	if p.t.labels == nil {
		values = []catalog.Column{{Float64: found.Value}}
	} else {
		class := make([]int32, len(found.Class))
		for i, c := range found.Class {
			class[i] = max(c, 0) // of an outlier: any, as it is null
		}
		values = []catalog.Column{p.t.labels.column(class), {Float64: found.Share}, {Bool: found.Tie}}
		for c := range p.fields[len(values):] {
			shares := each.To(len(found.Class), func(i int) float64 { return found.Probability[i*len(p.t.labels.classes)+c] })
			values = append(values, catalog.Column{Float64: shares})
		}
	}
	for i := range values {
		values[i] = columns.Pick(&values[i], p.fields[i], from)
	}
	return values
}

// report writes the result: scores, where the query has the answer itself.
func (o *Options) report(ctx context.Context, j *job.Job, p *predictor, cv *scored) error {
	r := &j.Sum.Result
	r.Add(rowsScored{p.tally.Used})
	if p.t.labels != nil {
		r.Add(classesOf{int64(len(p.t.labels.classes))})
	}
	truth := p.truth.scored()
	if truth != nil {
		truth.outside = p.outliers
		if truth.matrix != nil {
			r.Add(accuracy{report.Float(truth.matrix.Accuracy())})
		} else {
			r.Add(truth.regression())
		}
	}
	if p.t.labels != nil {
		r.Add(tied{p.ties})
	}
	if truth == nil {
		r.Add(withoutClass{p.outliers})
	}
	shown := truth
	if cv != nil {
		var o report.Object
		cv.report(&o, p.t)
		r.Add(validated{o})
		j.Sum.Note(cv.what, "%s %.6f at k = %d", map[bool]string{true: "accuracy", false: "R2"}[cv.matrix != nil], cv.score(), cv.k)
		shown = cv
	}
	if truth != nil {
		truth.details(r)
	}
	if shown != nil {
		shown.show(j.Sum)
	}
	if err := o.draw(ctx, j, shown, cv); err != nil {
		return err
	}
	return j.Finish(ctx)
}

// forecast announces the table of --explain: of the K nearest, as that of knn. How
// many there are within a radius is not known.
func (p *predictor) forecast(ctx context.Context) {
	n, k := p.j.Cat.Rows(), min(p.opt.K, p.t.points.Len())
	if p.o.explain == "" || p.opt.Radius != 0 || n == 0 || k == 0 || float64(n)*float64(k) < job.Large.Pairs {
		return
	}
	k = min(k, job.SamplePairs)
	rows := min(n, int64(job.SamplePairs/k))
	size := job.TableBytes(ctx, p.o.explain, func(ctx context.Context, path string) error {
		e, err := p.o.newExplanation(p.j, p.t, path)
		if err != nil {
			return err
		}
		defer e.w.Abort()
		e.sel = &catalog.Selection{}
		r := rand.New(rand.NewPCG(1, 1))
		train, dist, share := make([]uint32, k), make([]float64, k), make([]float64, k)
		for row := range uint32(rows) {
			for i := range train {
				train[i], dist[i], share[i] = uint32(r.IntN(p.t.points.Len())), r.Float64(), 1/float64(k)
				if p.opt.Vote != knnclass.Uniform {
					share[i] = r.Float64()
				}
			}
			if err := e.add(ctx, row, train, dist, share); err != nil {
				return err
			}
		}
		if err := e.flush(ctx); err != nil {
			return err
		}
		return e.w.Commit(ctx)
	})
	total := float64(n) * float64(min(p.opt.K, p.t.points.Len()))
	p.j.Announce(job.Forecast{Pairs: total, Bytes: total / float64(rows*int64(k)) * size}, p.o.explain)
}
