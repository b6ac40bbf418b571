package dbscan

import (
	"cmp"
	"context"
	"slices"

	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/dbscan"
)

// hint says what to try where the radius separates nothing. With a radius of 0,
// duplicates exist or not, and there is nothing to try.
func (o *Options) hint(ctx context.Context, j *job.Job, res *dbscan.Result) error {
	n := int64(len(res.Labels))
	if !j.Hints() || n < 2 || o.eps.Value == 0 {
		return nil
	}
	if o.weights != "" {
		o.hintWeights(j, res, n)
		return nil
	}
	wrong, k := "", int(min(o.minPoints.Value, float64(n)))-1
	switch least := int64(k + 1); {
	case o.minPoints.Value > float64(n):
		j.Sum.Hint("--min-points %v is more than the %s that can be used, so no row is core", o.minPoints.Value, human.Plural(n, "row", "rows"))
		return nil
	case int64(res.Clusters()) == n:
		wrong, k = "no two rows are within --eps "+o.eps.Text+": each is a cluster by itself", 1
	case res.Clusters() == 0:
		wrong = "all rows are noise: none has " + human.Plural(least-1, "other", "others") + " within --eps " + o.eps.Text
	case res.Clusters() == 1 && res.NoiseCount == 0:
		wrong = "all rows are in one cluster: --eps " + o.eps.Text + " separates nothing"
	case res.CoreCount == n && least == 1:
		wrong, k = "all rows are core, as --min-points 1 makes them; those alone are noise with --min-points 2", 1
	case res.CoreCount == n:
		wrong = "all rows are core: a smaller --eps than " + o.eps.Text + " tells dense places from others"
	default:
		return nil
	}
	return j.HintRadius(ctx, max(k, 1), cmp.Or(o.eps.Unit, "arcsec"), wrong)
}

// hintWeights is hint for weighted rows, for which k-distances are no guide.
func (o *Options) hintWeights(j *job.Job, res *dbscan.Result, n int64) {
	if res.Clusters() == 1 && res.NoiseCount == 0 {
		j.Sum.Hint("all rows are in one cluster: --eps %s separates nothing, or --min-points %v is too small", o.eps.Text, o.minPoints.Value)
		return
	}
	if res.Clusters() > 0 && res.CoreCount < n {
		return
	}
	what := "all rows are noise: no sum of weights within --eps %s reaches --min-points %v"
	if res.Clusters() > 0 {
		what = "all rows are core: every sum of weights within --eps %s reaches --min-points %v"
	}
	sorted := slices.Sorted(slices.Values(j.Sel.Weights))
	j.Sum.Hint(what+"; half of the rows have a weight of at least %v", o.eps.Text, o.minPoints.Value, sorted[len(sorted)/2])
}
