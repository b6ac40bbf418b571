package match

import "skyjoin/cmd/cluster/internal/report"

// Result is that of two catalogs.
type Result struct {
	matches
	unmatched
	written
	*chance
}

// Groups is the result of one catalog.
type Groups struct {
	Matches int64 `json:"matches" jsonschema:"pairs within the radius"`
	Groups  int64 `json:"groups" jsonschema:"groups of rows that pairs link"`
	Grouped int64 `json:"grouped" jsonschema:"rows in groups"`
	Largest int64 `json:"largest" jsonschema:"rows of the largest group"`
}

// Merged is the result of a plan that was merged.
type Merged struct {
	matches
	*written
}

type matches struct {
	Matches    int64 `json:"matches" jsonschema:"pairs that match"`
	Candidates int64 `json:"candidates" jsonschema:"pairs within the radius, of which --find takes the matches"`
	Ambiguous1 int64 `json:"ambiguous_1" jsonschema:"rows of the first catalog with several candidates"`
	Ambiguous2 int64 `json:"ambiguous_2" jsonschema:"rows of the second catalog with several candidates"`
}

type unmatched struct {
	Unmatched1 int64 `json:"unmatched_1" jsonschema:"rows of the first catalog without a match"`
	Unmatched2 int64 `json:"unmatched_2" jsonschema:"rows of the second catalog without a match"`
}

type written struct {
	Rows int64 `json:"rows" jsonschema:"rows of the output, as --join takes them"`
}

type chance struct {
	Matches report.Float `json:"chance_matches" jsonschema:"matches that are expected by chance"`
	Error   report.Float `json:"chance_error" jsonschema:"standard error of that number"`
}
