package match

import (
	"context"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

// chanceFlags ask for the number of matches expected by chance.
type chanceFlags struct {
	trials flags.Integer
	seed   flags.Seed
}

// check refuses trials of matches that are bounded by nothing but K.
func (f *chanceFlags) check(bounded bool) error {
	if f.trials.Value > 0 && !bounded {
		return exit.Usagef("--chance %d: --radius is needed too, as in --radius 1.5arcsec; it, or errors, say how far B is offset", f.trials.Value)
	}
	return nil
}

func (f *chanceFlags) describe(p *report.Parameters) {
	if f.trials.Value > 0 {
		p.Int("chance", f.trials.Value)
		p.Add("seed", uint64(f.seed), f.seed.String())
	}
}

// report carries out the trials, and adds the expected number of matches by
// chance and its standard error to the summary.
func (f *chanceFlags) report(ctx context.Context, j *job.Job, points [2]*neighbors.Points, opt match.Options) error {
	if f.trials.Value == 0 {
		return nil
	}
	phase := j.Rep.Phase("offset trials", int64(points[0].Len())*f.trials.Value)
	defer phase.End()
	opt.Progress = phase.Add
	c, err := compute(ctx, j, points, opt, func(opt match.Options) (*match.Chance, error) {
		return match.ExpectByChance(ctx, points[0], points[1], j.Metric, opt, int(f.trials.Value), uint64(f.seed))
	})
	if err != nil {
		return err
	}
	j.Sum.Result.Add(chance{report.Float(c.Mean), report.Float(c.Error)})
	return nil
}
