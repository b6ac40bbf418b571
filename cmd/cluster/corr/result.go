package corr

import (
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/stats2b"
)

// Result is that of the command, and of a plan that was merged, which has tiles.
type Result struct {
	*stray
	*savedPairs
	*compared
	pairsOf
	*resampled
	*emptyPatches
	report.Bins
	*covariance
	*tiled.Tiles
}

// Planned is the result of a plan.
type Planned struct {
	*stray
	tiled.Planned
}

type stray struct {
	Share float64 `json:"data_without_randoms" jsonschema:"share of the data that lie where there are no randoms"`
}

type savedPairs struct {
	From string `json:"random_pairs_from" jsonschema:"file of --rr"`
}

type compared struct {
	With string `json:"compared_with" jsonschema:"table that ratio compares xi with"`
}

// pairsOf are rows and pairs: all that were compared, whatever their distance.
type pairsOf struct {
	Data     int64         `json:"data" jsonschema:"rows of the data"`
	Randoms  *int64        `json:"randoms,omitempty" jsonschema:"rows of the random catalog"`
	DataB    *int64        `json:"data_b,omitempty" jsonschema:"rows of the second catalog of data"`
	DD       *int64        `json:"dd_pairs,omitempty" jsonschema:"pairs of data"`
	DDWeight *report.Float `json:"dd_weight,omitempty" jsonschema:"sum of the products of their weights"`
	DR       *int64        `json:"dr_pairs,omitempty" jsonschema:"pairs of data with randoms"`
	DRWeight *report.Float `json:"dr_weight,omitempty" jsonschema:"sum of the products of their weights"`
	RR       *int64        `json:"rr_pairs,omitempty" jsonschema:"pairs of randoms"`
	RRWeight *report.Float `json:"rr_weight,omitempty" jsonschema:"sum of the products of their weights"`
}

type resampled struct {
	Patches      int64 `json:"patches" jsonschema:"patches of the sky or of the box"`
	Realisations int64 `json:"realisations" jsonschema:"estimates that the errors follow from"`
}

type emptyPatches struct {
	Empty int64 `json:"patches_without_data" jsonschema:"patches that hold randoms alone"`
}

type covariance struct {
	Covariance report.Matrix `json:"covariance" jsonschema:"of xi, by bins"`
}

// totals are all pairs, and the sum of their weights where they have some.
func totals(c *stats2b.Counts) (pairs *int64, weight *report.Float) {
	switch {
	case c == nil:
		return nil, nil
	case c.Weights != nil:
		weight = new(report.Float(c.TotalWeight))
	}
	return new(int64(c.Total)), weight
}
