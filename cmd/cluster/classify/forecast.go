package classify

import (
	"context"
	"math/rand/v2"

	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/catalog"
	"skyjoin/knnclass"
)

// forecast announces the table of --explain: of the K nearest, as that of knn. How
// many there are within a radius is not known.
func (p *predictor) forecast(ctx context.Context, meta []catalog.KeyValue) {
	n, k := p.j.Cat.Rows(), min(p.opt.K, p.t.points.Len())
	if p.o.explain == "" || p.opt.Radius != 0 || n == 0 || float64(n)*float64(k) < job.Large.Pairs {
		return
	}
	k = min(k, job.SamplePairs)
	rows := min(n, int64(job.SamplePairs/k))
	size := job.TableBytes(p.o.explain, func(path string) error {
		to := *p.o
		to.explain = path
		e, err := to.newExplanation(p.j, p.t, meta)
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
