package tiles

import (
	"context"
	"path/filepath"

	"skyjoin/internal/file"
	"skyjoin/stats2b"
)

// histPairs are the pairs of a histogram.
const histPairs = "all"

// runHist counts the pairs of the own rows of the first set.
func (p *Plan) runHist(ctx context.Context, dir string, sets []*rows, q *Piece, opt *Options) error {
	b, err := p.Hist.Binning.Binning()
	if err != nil {
		return err
	}
	c := &pairCounter{plan: p, sets: sets, binning: b, piece: q, opt: opt}
	return c.count(ctx, dir, histPairs, 0, len(sets)-1)
}

// A Histogram is the merged answer of pair counts.
type Histogram struct {
	Plan string  `json:"plan"`
	Rows []int64 `json:"rows"` // of each catalog
	Used []int64 `json:"used"`

	Bins   stats2b.Bins    `json:"-"`
	Counts *stats2b.Counts `json:"-"`
}

// MergeHist puts the pieces of a histogram together.
func (p *Plan) MergeHist(ctx context.Context) (*Histogram, error) {
	h := &Histogram{Plan: p.id}
	var err error
	if h.Rows, h.Used, err = p.used(); err != nil {
		return nil, err
	}
	sets := []int{0, 1}[:len(p.Sets)]
	s, err := p.pairLayout(&p.Hist.Binning, 0, sets...)
	if err != nil {
		return nil, err
	}
	t, err := p.mergePairs(ctx, histPairs, &s)
	if err != nil {
		return nil, err
	}
	h.Bins, h.Counts = s.binning.Bins, t.Counts()
	return h, p.answered(h)
}

// answered records in the folder that the plan has been merged.
func (p *Plan) answered(answer any) error {
	return file.Folder(filepath.Join(p.dir, mergedDir), ofMerged.MatchString, func(tmp string) error {
		return writeJSON(filepath.Join(tmp, answerFile), answer)
	})
}
