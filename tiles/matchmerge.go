package tiles

import (
	"context"
	"path/filepath"
	"slices"

	"skyjoin/internal/file"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors/match"
)

// Matches is the merged answer of a match; see match.Result.
type Matches struct {
	Plan       string   `json:"plan"`
	Rows       [2]int64 `json:"rows"` // of both catalogs
	Used       [2]int64 `json:"used"`
	Matches    int64    `json:"matches"`
	Candidates int64    `json:"candidates"`
	AmbiguousA int64    `json:"ambiguous_a"`
	AmbiguousB int64    `json:"ambiguous_b"`

	Pairs []Pair `json:"-"` // ordered by (A, B)
}

const matchesFile = "matches.parquet" // a, b, distance

// MergeMatch puts the pieces of a match together.
func (p *Plan) MergeMatch(ctx context.Context) (*Matches, error) {
	dir := filepath.Join(p.dir, mergedDir)
	var m Matches
	if err := readJSON(filepath.Join(dir, answerFile), &m); err == nil && m.Plan == p.id {
		c, err := readTable(ctx, filepath.Join(dir, matchesFile), "a", "b", "distance")
		if err != nil {
			return nil, err
		}
		for i := range c[0].Int64 {
			m.Pairs = append(m.Pairs, Pair{c[0].Int64[i], c[1].Int64[i], c[2].Float64[i]})
		}
		return &m, nil
	}
	pieces, err := p.pieces()
	if err != nil {
		return nil, err
	}
	find, err := match.ParseFind(p.Match.Find)
	if err != nil {
		return nil, err
	}
	m = Matches{Plan: p.id, Rows: [2]int64{p.Sets[0].Rows, p.Sets[1].Rows}}
	var open []Pair
	times := map[int64]int64{}
	for i, q := range pieces {
		m.Used[0], m.Used[1] = m.Used[0]+q.Rows[0], m.Used[1]+q.Rows[1]
		m.Candidates += q.Found
		m.AmbiguousA += q.AmbiguousA
		m.AmbiguousB += q.AmbiguousB
		c, err := readTable(ctx, filepath.Join(p.piecePath(i), pairsFile), "a", "b", "distance", "settled")
		if err != nil {
			return nil, err
		}
		for k, settled := range c[3].Bool {
			pair := Pair{c[0].Int64[k], c[1].Int64[k], c[2].Float64[k]}
			if settled {
				m.Pairs = append(m.Pairs, pair)
			} else {
				open = append(open, pair)
			}
		}
		if c, err = readTable(ctx, filepath.Join(p.piecePath(i), timesFile), "b", "candidates"); err != nil {
			return nil, err
		}
		for k, b := range c[0].Int64 {
			times[b] += c[1].Int64[k]
		}
	}
	for _, n := range times {
		if n > 1 {
			m.AmbiguousB++
		}
	}
	m.Pairs = append(m.Pairs, choose(find, open)...)
	slices.SortFunc(m.Pairs, byRows)
	m.Matches = int64(len(m.Pairs))
	return &m, file.Folder(dir, ofMerged.MatchString, func(tmp string) error {
		var a, b []int64
		var distance []float64
		for _, f := range m.Pairs {
			a, b, distance = append(a, f.A), append(b, f.B), append(distance, f.Distance)
		}
		err := table.Write(ctx, filepath.Join(tmp, matchesFile), []catalog.Column{
			integers("a", "row of the first catalog", a), integers("b", "row of the second catalog", b), floats("distance", "", "as the metric has it", distance),
		}, table.Options{Threads: 1})
		if err != nil {
			return err
		}
		return writeJSON(filepath.Join(tmp, answerFile), &m)
	})
}
