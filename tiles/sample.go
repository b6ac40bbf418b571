package tiles

import (
	"context"
	"errors"
	"math"
	"slices"

	"skyjoin/io/catalog"
)

// A sample has some rows of each set, and the positions where partitions of the sky
// begin.
type sample struct {
	sky    []skyPoint
	box    []boxPoint
	bounds []int64
	lower  lowering
}

const (
	mostSampled  = 400_000  // rows of a sample
	leastSampled = 10_000   // where memory is short
	sampleReads  = 16 << 20 // rows that are read for one, at most
)

// sampleSize returns how many rows a sample may have: with the copies that cutting
// makes of it, it takes a quarter of the memory of a tile.
func (r *Request) sampleSize() int64 {
	if r.Memory == 0 {
		return mostSampled
	}
	of := int64(0) // a row, with its copies
	for _, s := range r.Plan.Sets {
		of = max(of, int64(3*(40+8*(len(s.Columns)+1))))
	}
	return min(max(r.Memory/4/of, leastSampled), mostSampled)
}

// sample reads parts of the sets, evenly spread over each. For the other parts, the
// footers say between which bounds their rows lie; they are assumed to be spread
// evenly there.
func (p *Plan) sample(ctx context.Context, r *Request) (*sample, error) {
	s := &sample{lower: p.Metric.lowering()}
	total, done := p.Rows(), int64(0)
	size := r.sampleSize()
	step := max(1, (total+size-1)/size)
	for set, cat := range r.Catalogs {
		if p.Metric.onSky() {
			s.bounds = append(s.bounds, partitions(&p.Sets[set])...)
		}
		parts := p.parts[set]
		every := int((total + sampleReads - 1) / sampleReads)
		var read []int
		for k := range parts {
			if k%max(every, 1) == every/2 {
				read = append(read, k)
			} else {
				s.guess(p, cat.Bounds(parts[k], p.request(set)), parts[k], step)
			}
		}
		used := 0
		known := len(s.sky)+len(s.box) > 0 // of other parts
		err := p.eachBlock(ctx, set, read, r.Threads, func(b *block) error {
			n := b.sel.Points.Len()
			weight := float64(step)
			if every > 1 && !known { // the parts stand for all others
				weight *= float64(every)
			}
			for i := int(b.first % step); i < n; i += int(step) {
				s.add(p, b, i, weight)
			}
			used += n
			done += b.sel.Total
			r.Progress("sample", done, min(total, sampleReads))
			return ctx.Err()
		})
		if err == nil && used == 0 {
			err = p.someUsable(ctx, set, read, r)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(s.bounds)
	s.bounds = slices.Compact(s.bounds)
	return s, nil
}

// someUsable makes sure that a set has a usable row when the sampled parts have
// none, for commands that need one. Its error is that of a single run.
func (p *Plan) someUsable(ctx context.Context, set int, read []int, r *Request) error {
	if commands[p.Command].empty || p.Sets[set].Empty {
		return nil
	}
	var rest []int
	for k := range p.parts[set] {
		if !slices.Contains(read, k) {
			rest = append(rest, k)
		}
	}
	found := errors.New("a usable row")
	err := p.eachBlock(ctx, set, rest, r.Threads, func(b *block) error {
		if b.sel.Points.Len() > 0 {
			return found
		}
		return ctx.Err()
	})
	if err != nil {
		if errors.Is(err, found) {
			return nil
		}
		return err
	}
	return p.noneUsable(ctx, set, r)
}

// noneUsable returns the error that a single run gives for a set without a usable
// row.
func (p *Plan) noneUsable(ctx context.Context, set int, r *Request) error {
	req := p.request(set)
	req.Empty = false
	_, err := r.Catalogs[set].Select(ctx, req)
	return err
}

func (s *sample) add(p *Plan, b *block, i int, weight float64) {
	if p.Metric.onSky() {
		s.sky = append(s.sky, skyPoint{cellOf(b.sel.Points.Column(0).At(i), b.sel.Points.Column(1).At(i)), weight})
		return
	}
	s.box = append(s.box, boxPoint{x: s.lower.row(nil, b.sel.Points, i), weight: weight, rows: weight})
}

// guess adds points for a part that is not read, spread evenly within its bounds; on
// the sky, evenly by area.
func (s *sample) guess(p *Plan, b []catalog.Interval, part catalog.Part, step int64) {
	for _, v := range b {
		if math.IsInf(v.Lo, 0) || math.IsInf(v.Hi, 0) {
			return // nothing is known
		}
	}
	if s.lower.position == 3 {
		return
	}
	n := min(max(1, part.Rows/step), 256)
	for i := range n {
		// A Kronecker sequence is even in any number of dimensions.
		at := func(j int, v catalog.Interval) float64 {
			f := float64(i+1) * math.Sqrt(float64([...]int{2, 3, 5, 7, 11, 13, 17, 19}[j%8]))
			f -= math.Floor(f)
			return v.Lo + float64(f*(v.Hi-v.Lo))
		}
		weight := float64(part.Rows) / float64(n)
		if p.Metric.onSky() {
			const degree = math.Pi / 180
			z := at(1, catalog.Interval{Lo: math.Sin(max(b[1].Lo, -90) * degree), Hi: math.Sin(min(b[1].Hi, 90) * degree)})
			s.sky = append(s.sky, skyPoint{cellOf(at(0, b[0]), math.Asin(z)/degree), weight})
			continue
		}
		x := make([]float64, len(b))
		for j := range b {
			lo, hi := s.lower.bounds(j, b[j])
			x[j] = at(j, catalog.Interval{Lo: lo, Hi: hi})
		}
		s.box = append(s.box, boxPoint{x: x, weight: weight, rows: weight})
	}
}
