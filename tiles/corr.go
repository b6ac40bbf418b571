package tiles

import (
	"context"
	"fmt"

	"skyjoin/stats2b"
)

// patching returns the patches and how many there are.
func (p *Plan) patching() (*stats2b.Patching, int, error) {
	if p.Corr.Patches == nil {
		return nil, 0, nil
	}
	made, err := p.Corr.Patches.Patching(p.metric())
	if err != nil {
		return nil, 0, planf("the patches of %s are damaged; make the plan anew: %w", p.dir, err)
	}
	return made, made.Len(), nil
}

// runCorr counts the pairs of the tile's own rows in both sets.
func (p *Plan) runCorr(ctx context.Context, dir string, sets []*rows, q *Piece, opt *Options) error {
	c := &pairCounter{plan: p, sets: sets, piece: q, opt: opt}
	var err error
	if c.patching, _, err = p.patching(); err != nil {
		return err
	}
	for _, name := range p.Corr.Pairs {
		if c.binning, err = p.Corr.of(name).Binning(); err != nil {
			return err
		}
		of := corrPairs[name]
		if err := c.count(ctx, dir, name, of[0], of[len(of)-1]); err != nil {
			return err
		}
	}
	return nil
}

// A Correlated is the merged answer of a correlation function.
type Correlated struct {
	Plan    string  `json:"plan"`
	Rows    []int64 `json:"rows"` // of data and of randoms
	Used    []int64 `json:"used"`
	Patches int     `json:"patches,omitempty"`

	Tallies stats2b.Tallies `json:"-"`
}

// MergeCorr puts the pieces of a correlation function together.
func (p *Plan) MergeCorr(ctx context.Context) (*Correlated, error) {
	c := &Correlated{Plan: p.id}
	var err error
	if c.Rows, c.Used, err = p.used(); err != nil {
		return nil, err
	}
	if _, c.Patches, err = p.patching(); err != nil {
		return nil, err
	}
	to := map[string]**stats2b.Tally{"dd": &c.Tallies.DD, "dr": &c.Tallies.DR, "rr": &c.Tallies.RR, CrossPairs: &c.Tallies.DD}
	for _, name := range p.Corr.Pairs {
		s, err := p.pairLayout(p.Corr.of(name), c.Patches, corrPairs[name]...)
		if err != nil {
			return nil, err
		}
		if *to[name], err = p.mergePairs(ctx, name, &s); err != nil {
			return nil, err
		}
	}
	return c, p.answered(c)
}

// used returns how many rows each set has and how many of them are usable, once all
// tiles are done. A set without a usable row is an error.
func (p *Plan) used() (rows, used []int64, err error) {
	pieces, err := p.pieces()
	if err != nil {
		return nil, nil, err
	}
	rows, used = make([]int64, len(p.Sets)), make([]int64, len(p.Sets))
	for _, q := range pieces {
		for k, n := range q.Rows {
			used[k] += n
		}
	}
	for k, s := range p.Sets {
		if rows[k] = s.Rows; used[k] == 0 && !s.Empty {
			return nil, nil, fmt.Errorf("%s: none of the %d rows can be used", s.Files[0].Path, s.Rows)
		}
	}
	return rows, used, nil
}
