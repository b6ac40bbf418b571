package catalog

import (
	"skyjoin/internal/frame"
	"skyjoin/neighbors"
)

// A Request asks for points.
type Request struct {
	Columns  []string         // coordinates in order; numbers
	Metric   neighbors.Metric // says whether declinations and distances are checked
	Sky      bool             // the first two are RA, Dec: units other than degrees are converted
	Units    []string         // of RA and Dec where the files do not say: [Catalog.Units]
	Frame    string           // of the first two on the sky, which are converted to ICRS: "fk5", "galactic", "ecliptic"; "" and "icrs" are not
	Weights  string           // column of weights, "" none
	Where    string           // row filter, "" none
	Strict   bool             // a row that cannot be used is an error
	Empty    bool             // no usable row is a selection of none, not an error
	Progress func(rows int64) // receives rows read, from several goroutines; may be nil
}

// onSky reports whether the first two columns are RA and Dec.
func (r *Request) onSky() bool { return r.Sky || r.Metric.PositionColumns() > 0 }

// unit is the unit of a column that the files say has another, or none.
func (r *Request) unit(i int, unit string) string {
	if i < len(r.Units) && r.Units[i] != "" {
		return r.Units[i]
	}
	return unit
}

// rotated reports whether the first two columns are converted to ICRS.
func (r *Request) rotated() bool {
	_, ok := frame.Of(r.Frame)
	return ok && r.onSky()
}

// names returns the columns that are read, the weights last.
func (r *Request) names() []string {
	if r.Weights == "" {
		return r.Columns
	}
	return append(r.Columns[:len(r.Columns):len(r.Columns)], r.Weights)
}

// A Selection is the points of the usable rows.
type Selection struct {
	Points   *neighbors.Points
	Rows     []uint32  // catalog row of each point, ascending; nil when every row is used
	Total    int64     // rows of the catalog
	Weights  []float64 // parallel to the points; nil without weights
	Skipped  []Skip    // rows that cannot be used, by column and reason
	Filtered int64     // rows that the filter dropped
	Passed   []bool    // rows of the catalog that the filter keeps, usable or not; nil without a filter
	Fields   []Field   // of the coordinate columns; units as the points have them
}

// A Skip is rows left out for one reason.
type Skip struct {
	Why    string  // one of the Why constants, or the Reason of a limit
	Column string  // the first column of the row that is at fault
	Rows   int64   // how many
	First  []int64 // the first of them, at most 5
}

// Reasons why a row cannot be used. Another is [neighbors.Limit.Reason]: a value is no
// position.
const (
	WhyNull     = "null"
	WhySentinel = "sentinel" // a placeholder for a missing value, as -999, that Options.Null names
	WhyNaN      = "NaN"
	WhyInfinite = "infinite"
	WhyText     = "no angle"
)

// Reason returns Why with the column, for people to read.
func (k Skip) Reason() string {
	if k.Why == WhySentinel {
		return "placeholder for missing"
	}
	return k.Why
}
