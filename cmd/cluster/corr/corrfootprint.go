package corr

import (
	"context"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/stats2b"
)

// strayShare is the share of the data outside of the randoms that is pointed
// out: an estimate takes every row of data for one of the footprint.
const strayShare = 0.01

// checkFootprint refuses data that have nothing to do with the randoms, of
// which the estimators make numbers all the same, and points out data that
// partly lie elsewhere. unit is that of printed distances.
func checkFootprint(ctx context.Context, d *job.Duo, data, randoms *stats2b.Sample, unit string) error {
	if randoms == nil {
		return nil
	}
	var f *stats2b.Footprint
	err := exit.Await(ctx, func() (err error) {
		f, err = stats2b.Compare(ctx, data, randoms, d.Metric, stats2b.Options{Threads: d.Run.Count(), Memory: d.Run.Memory.Bytes})
		return err
	})
	if err != nil {
		return exit.OverMemory(err)
	}
	switch {
	case f.Outside == 0:
	case f.Outside == f.Rows:
		per := 1.0
		if d.Geo.Angle {
			per = flags.Radians(unit)
		}
		length := func(v float64) string { return strings.TrimSpace(strconv.FormatFloat(v/per, 'g', 4, 64) + " " + unit) }
		return exit.Usagef("no row of the data lies among the randoms: the nearest is %s from any, and randoms are within %s of each other; do columns and units of both catalogs agree?",
			length(f.Nearest), length(f.Spacing))
	case f.Share() >= strayShare:
		if d.Run.JSON {
			d.Sum.Result.Set("data_without_randoms", f.Share())
		}
		d.Sum.Note("randoms", "%.2g%% of the data lie where there are none, and ξ says nothing of them", 100*f.Share())
	}
	return nil
}
