package tiles

import (
	"context"
	"fmt"
	"path/filepath"

	"skyjoin/stats2b"
)

// A Histogram is what merged counts of pairs come to.
type Histogram struct {
	Plan string  `json:"plan"`
	Rows []int64 `json:"rows"` // of each catalog
	Used []int64 `json:"used"`

	Bins   stats2b.Bins    `json:"-"`
	Counts *stats2b.Counts `json:"-"`
}

// MergeHist puts the pieces of a histogram together.
func (p *Plan) MergeHist(ctx context.Context) (*Histogram, error) {
	pieces, err := p.pieces()
	if err != nil {
		return nil, err
	}
	h := &Histogram{Plan: p.id, Rows: make([]int64, len(p.Sets)), Used: make([]int64, len(p.Sets))}
	var weighted []bool
	any := false
	for _, s := range p.Sets {
		weighted = append(weighted, s.Weights != "")
		any = any || s.Weights != ""
	}
	var sum *stats2b.Share
	for i, q := range pieces {
		for k, n := range q.Rows {
			h.Used[k] += n
		}
		s, err := p.readShare(ctx, i, any)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = s
		} else if err := sum.Add(s); err != nil {
			return nil, planf("%s is damaged; run tile %d again with --force", p.piecePath(i), i)
		}
	}
	for k, s := range p.Sets {
		if h.Rows[k] = s.Rows; h.Used[k] == 0 {
			return nil, fmt.Errorf("none of the %d rows can be used", s.Rows)
		}
	}
	if h.Bins, err = p.Hist.bins(); err != nil {
		return nil, err
	}
	if h.Counts, err = sum.Counts(h.Bins, weighted...); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(p.dir, tilesDir), err)
	}
	return h, folder(filepath.Join(p.dir, mergedDir), false, func(tmp string) error {
		return writeJSON(filepath.Join(tmp, answerFile), h)
	})
}
