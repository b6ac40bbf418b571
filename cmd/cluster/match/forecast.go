package match

import (
	"context"

	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

// forecast has the match look at some rows first where all pairs match, and
// announces the table. Unmatched rows, which are no more than there are in the
// catalogs, are left out of it.
func (o *matchOptions) forecast(ctx context.Context, d *job.Duo, points [2]*neighbors.Points, opt *match.Options, unit string, meta []catalog.KeyValue) {
	n, data := points[0].Len(), points[1].Len()
	if o.chosenFind != match.All || o.out.Output == "" || !o.chosenJoin.Matches() || n == 0 || float64(n)*float64(data) < job.Large.Pairs {
		return
	}
	opt.Sample = job.SampledRows(n, data)
	opt.Foresee = func(pairs []match.Pair) error {
		total := float64(len(pairs)) * float64(n) / float64(len(opt.Sample))
		if total >= job.Large.Pairs {
			o.announce(ctx, d, catalogRows(d, pairs[:min(len(pairs), job.SamplePairs)], unit), total, unit, meta)
		}
		return nil
	}
}

// announce says what is to be expected of a table of so many matches, some of
// which are found.
func (o *matchOptions) announce(ctx context.Context, d *job.Duo, some []match.Row, total float64, unit string, meta []catalog.KeyValue) {
	all, _, err := o.kept(d)
	if err != nil {
		return // to write the table will tell
	}
	size := job.TableBytes(o.out.Output, func(path string) error {
		to := o.out
		to.Output = path
		return o.writeRows(ctx, d, &to, some, all, unit, meta, nil)
	})
	d.Announce(job.Forecast{Pairs: total, Bytes: total / max(float64(len(some)), 1) * size}, o.out.Output)
}
