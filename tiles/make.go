package tiles

import (
	"context"
	"fmt"
	"math"

	"skyjoin/internal/each"
	"skyjoin/internal/file"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// partRows is how many rows of Parquet files are read at once.
const partRows = 1 << 20

// MaxTiles bounds the number of tiles.
const MaxTiles = 20000

// Make makes a plan in a folder; it replaces a plan that is there (see Replaceable).
func Make(ctx context.Context, dir string, r Request) (*Plan, error) {
	if err := Replaceable(dir); err != nil {
		return nil, err
	}
	p := r.Plan
	if r.Progress == nil {
		r.Progress = func(string, int64, int64) {}
	}
	p.parts = make([][]catalog.Part, len(p.Sets))
	for i, cat := range r.Catalogs {
		if err := p.describeSet(i, cat); err != nil {
			return nil, err
		}
	}
	if s := p.Sets[0]; s.Rows == 0 && len(p.Sets) == 1 && !s.Empty {
		return nil, p.noneUsable(ctx, 0, &r)
	}
	if err := p.largestWeights(ctx, &r); err != nil {
		return nil, err
	}
	if p.Match != nil {
		if err := p.reachOfMatch(ctx); err != nil {
			return nil, err
		}
	}
	s, err := p.sample(ctx, &r)
	if err != nil {
		return nil, err
	}
	if err := p.cut(&r, s); err != nil {
		return nil, err
	}
	d := p.division(-1)
	p.expect(d, s)
	wanted := p.needs(d, &r)
	p.Staged = r.Stage == StageYes || r.Stage != StageNo && wanted > 2*p.Rows()
	if p.Staged {
		for i := range p.Tiles {
			p.Tiles[i].Read = 0
		}
	}
	err = file.Folder(dir, manifest.MatchString, func(tmp string) error {
		if p.Staged {
			if err := p.stage(ctx, tmp, d, &r); err != nil {
				return err
			}
		}
		return p.save(ctx, tmp)
	})
	if err != nil {
		return nil, err
	}
	return Open(ctx, dir)
}

// describeSet records what a set consists of.
func (p *Plan) describeSet(i int, cat *catalog.Catalog) (err error) {
	s := &p.Sets[i]
	if s.Files, err = files(cat); err != nil {
		return err
	}
	s.Rows = cat.Rows()
	p.parts[i] = cat.Parts(partRows)
	// A selection of no rows has the fields that a selection of all rows has.
	none, err := cat.Part(catalog.Part{Groups: 0}).Select(context.Background(), p.request(i))
	if err != nil {
		return err
	}
	s.Units, s.Narrow = nil, nil
	for j, f := range none.Fields {
		s.Units = append(s.Units, f.Unit)
		s.Narrow = append(s.Narrow, none.Points.Column(j).Float32 != nil)
	}
	return nil
}

// largestWeights finds the largest weight of the usable rows, which sets the unit
// that weights are rounded to, or the largest error, which bounds a match. It reads
// all rows.
func (p *Plan) largestWeights(ctx context.Context, r *Request) error {
	for i := range p.Sets {
		if p.Sets[i].Weights == "" {
			continue
		}
		all := each.To(len(p.parts[i]), func(k int) int { return k })
		done := int64(0)
		err := p.eachBlock(ctx, i, all, r.Threads, func(b *block) error {
			for _, w := range b.sel.Weights {
				if w < 0 && p.Match != nil {
					return fmt.Errorf("%w: column %s has the error %v; errors cannot be negative; leave such rows out with --where", neighbors.ErrRequest, p.Sets[i].Weights, w)
				}
				p.Sets[i].Largest = max(p.Sets[i].Largest, math.Abs(w))
			}
			done += b.sel.Total
			r.Progress("weights", done, p.Sets[i].Rows)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// needs finds which parts each tile reads, and returns how many rows all tiles
// decode in total.
func (p *Plan) needs(d division, r *Request) (total int64) {
	p.reads = each.To(len(p.Tiles), func(t int) [][]int { return make([][]int, len(p.Sets)) })
	for set, cat := range r.Catalogs {
		req := p.request(set)
		for k, part := range p.parts[set] {
			need := map[int32]bool{}
			d.touch(cat.Bounds(part, req), need)
			for t := range need {
				p.reads[t][set] = append(p.reads[t][set], k)
				p.Tiles[t].Read += part.Rows
				total += part.Rows
			}
		}
	}
	return total
}
