package kdist

import (
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
)

// Result is that of the command.
type Result struct {
	curve
	*advised
	*Plateau
	*job.Lengths
	density
}

type curve struct {
	Rows   int64        `json:"rows" jsonschema:"rows whose distances were computed"`
	Min    report.Float `json:"min" jsonschema:"smallest distance to the K-th nearest other row"`
	Median report.Float `json:"median" jsonschema:"median of these distances"`
	Max    report.Float `json:"max" jsonschema:"largest of them"`
	Elbow  report.Float `json:"elbow" jsonschema:"distance at which the curve turns up first; null if it does not"`
	Knee   report.Float `json:"knee" jsonschema:"distance at which the curve turns most; null if it does not"`
}

type advised struct {
	Eps  float64 `json:"eps" jsonschema:"radius to begin with"`
	From string  `json:"eps_from" jsonschema:"plateau or knee"`
}

// A Plateau is of results of curves that a scan found one in.
type Plateau struct {
	Range report.Range `json:"plateau" jsonschema:"radii over which most clusters last"`
}

type density struct {
	MinPoints int64 `json:"min_points" jsonschema:"--min-points of dbscan that goes with K"`
}
