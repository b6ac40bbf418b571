package job

import (
	"path/filepath"
	"strings"

	"skyjoin/internal/column"
	"skyjoin/internal/squares"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// WarnOfSquares warns of points, on one side or on both, whose distances are
// computed as 0 although they differ, or as infinite.
func (j *Job) WarnOfSquares(m neighbors.Metric, names []string, points ...*neighbors.Points) {
	text := squares.BadOf(j.Run.Count(), m, names, func(k int) (sides []column.Column) {
		for _, p := range points {
			sides = append(sides, column.Column(p.Column(k)))
		}
		return sides
	})
	if text != "" {
		j.Sum.Warn("%s", text)
	}
}

// warnOfRepeats warns of files that are named twice.
func (j *Job) warnOfRepeats(cat *catalog.Catalog) {
	seen := map[string]bool{}
	for _, f := range cat.Files() {
		name := filepath.Clean(f.Name())
		if seen[name] {
			j.Sum.Warn("%s is named twice, so its rows occur twice", f.Name())
		}
		seen[name] = true
	}
}

// warnOfDigits warns of integers that lose digits in columns of floats.
func (j *Job) warnOfDigits(cat *catalog.Catalog) {
	for _, r := range cat.Roundings() {
		j.Sum.Warn("column %s is %s, in which %s in row %d of %s becomes %.0f", r.Column, r.Type, r.Value, r.Row, r.Path, r.Becomes)
	}
}

// warnOfOverflow names results of queries that a service cut off (DALI, section 4.4.1).
func (j *Job) warnOfOverflow(cat *catalog.Catalog) {
	for i, f := range cat.Files() {
		for _, kv := range cat.MetadataOf(i) {
			if kv.Key == "QUERY_STATUS" && strings.EqualFold(kv.Value, "OVERFLOW") {
				j.Sum.Warn("%s is the beginning of a result: the service that wrote it stopped at its limit of rows (QUERY_STATUS OVERFLOW)", f.Name())
				break
			}
		}
	}
}
