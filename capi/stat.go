package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"skyjoin/gpu"
	"skyjoin/internal/column"
	"skyjoin/internal/hook"
	"skyjoin/internal/pairfunc"
	"skyjoin/internal/size"
	"skyjoin/internal/space"
	"skyjoin/neighbors"
)

//export skyjoin_stat_start
func skyjoin_stat_start(a C.uint64_t, metric *C.skyjoin_metric, what *C.skyjoin_stat, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	r, err := read(a, metric, options, what.size, unsafe.Sizeof(*what), "stat")
	p := &pairfunc.Job{Reduction: pairfunc.Reduction(what.reduction), PerRow: what.flags&C.SKYJOIN_PER_ROW != 0, Edges: doubles(what.edges, what.nedges)}
	if err == nil {
		err = pairsOf(p, &r, metric, what)
	}
	if err == nil {
		r.settings, err = readOptions(options, int(min(p.Total(), 1<<40)/1024)) // a pair takes less than a row of other jobs
	}
	if err != nil {
		return tell(err, e)
	}
	p.Threads, p.Memory = r.threads, r.memory
	return start(to, e, r.settings, nil, func(j *job) (*result, error) {
		p.Progress = func(pairs int64) {
			j.of.Store(int64(p.Total()))
			j.at.Add(pairs)
		}
		var l pairList
		found, err := reduced(j.ctx, r.settings, p, &l)
		if err != nil {
			return nil, err
		}
		return &result{fields: statFields(p, found, &l)}, nil
	})
}

// pairsOf reads the expression, the columns that it takes and whether pairs of one
// catalog are met both ways.
func pairsOf(p *pairfunc.Job, r *request, metric *C.skyjoin_metric, what *C.skyjoin_stat) (err error) {
	b := r.points
	if p.Self = what.b == 0; !p.Self {
		if b, err = held[*neighbors.Points](uint64(what.b)); err != nil {
			return err
		}
	}
	if what.reduction < C.SKYJOIN_SUM || what.reduction > C.SKYJOIN_MOST {
		return fmt.Errorf("%w: reduction %d, it must be of enum skyjoin_reduction", neighbors.ErrRequest, what.reduction)
	}
	if metric != nil && metric.scales != nil {
		return fmt.Errorf("%w: scales with an expression, which can divide by them itself", neighbors.ErrRequest)
	}
	if what.expression == nil {
		return fmt.Errorf("%w: there is no expression", neighbors.ErrRequest)
	}
	one, err := sideOf(r.points, what.names_a, what.coordinates_a, what.ncoordinates)
	if err != nil {
		return err
	}
	two := one
	if !p.Self {
		if two, err = sideOf(b, what.names_b, what.coordinates_b, what.ncoordinates); err != nil {
			return err
		}
	}
	s := pairfunc.Schema{Coordinates: one.coordinates, CoordinatesB: two.coordinates}
	if metric != nil {
		switch metric.kind {
		case C.SKYJOIN_PERIODIC:
			s.Sides = doubles(metric.sides, C.int64_t(metric.nsides))
		case C.SKYJOIN_SKY, C.SKYJOIN_SKY_DISTANCE:
			s.Sides = make([]float64, what.ncoordinates)
			if n := 2 + metric.kind - C.SKYJOIN_SKY; what.ncoordinates != n {
				return fmt.Errorf("%w: %d coordinates on the sky, they must be %d", neighbors.ErrRequest, what.ncoordinates, n)
			}
			s.Sides[0], s.Position = 360, positionNames
		}
	}
	if p.Function, err = pairfunc.Compile(C.GoString(what.expression), s); err != nil {
		return fmt.Errorf("%w: %w", neighbors.ErrRequest, err)
	}
	p.Ordered = p.Self && (what.flags&C.SKYJOIN_MEET_BOTH != 0 || what.flags&C.SKYJOIN_MEET_ONCE == 0 && !p.Commutes())
	namesA, namesB := p.Columns()
	if p.A, err = one.table(namesA, r.metric); err != nil {
		return err
	}
	if p.B, err = two.table(namesB, r.metric); err != nil {
		return err
	}
	if err := p.Check(); err != nil {
		return fmt.Errorf("%w: %w", neighbors.ErrRequest, err)
	}
	return nil
}

// positionNames are columns of positions on the sky. No expression can name them.
var positionNames = []string{"\x00x", "\x00y", "\x00z"}

// A statSide is the columns of one catalog by name.
type statSide struct {
	points      *neighbors.Points
	names       []string
	coordinates []string
	position    *neighbors.Points // of the coordinates
}

func sideOf(p *neighbors.Points, names **C.char, coordinates *C.int32_t, n C.int32_t) (s statSide, err error) {
	if names == nil || n < 0 || n > 0 && coordinates == nil {
		return s, fmt.Errorf("%w: columns of an expression need names, and %d coordinates their numbers", neighbors.ErrRequest, n)
	}
	s.points = p
	for _, name := range unsafe.Slice(names, p.Dim()) {
		s.names = append(s.names, C.GoString(name))
	}
	var columns []neighbors.Column
	for _, k := range unsafe.Slice(coordinates, int(n)) {
		if k < 0 || int(k) >= p.Dim() {
			return s, fmt.Errorf("%w: coordinate in column %d, there are %d columns", neighbors.ErrRequest, k, p.Dim())
		}
		s.coordinates = append(s.coordinates, s.names[k])
		columns = append(columns, p.Column(int(k)))
	}
	if n > 0 {
		s.position, err = neighbors.NewPoints(columns...)
	}
	return s, err
}

// lowered turns coordinates into plain ones, those of the sky into positions.
var lowered = hook.Get[func(neighbors.Metric, *neighbors.Points) (*space.Space, error)]("neighbors.Lower")

// table returns columns as float64.
func (s *statSide) table(names []string, metric neighbors.Metric) (pairfunc.Table, error) {
	t := pairfunc.Table{Rows: s.points.Len()}
	var position []column.Column
	for _, name := range names {
		if name[0] == 0 {
			if position == nil {
				found, err := lowered(metric, s.position)
				if err != nil {
					return t, err
				}
				position = found.Columns
			}
			t.Columns = append(t.Columns, position[name[1]-'x'].Float64)
			continue
		}
		k := slices.Index(s.names, name)
		if k < 0 {
			return t, fmt.Errorf("%w: there is no column %s, columns are %s", neighbors.ErrRequest, name, strings.Join(s.names, ", "))
		}
		v := make([]float64, t.Rows)
		column.Column(s.points.Column(k)).Copy(v, 0)
		t.Columns = append(t.Columns, v)
	}
	return t, nil
}

// A pairList is the pairs for which an expression is true.
type pairList struct{ a, b []uint32 }

// statGPURows is from how many rows a thread SKYJOIN_AUTO evaluates an expression on
// a GPU, which has to be started and to compile it.
const statGPURows = 10_000

// onCards evaluates a job on GPUs.
var onCards = hook.Get[func(*gpu.Cards, context.Context, *pairfunc.Job, func(a, b []uint32) error) (*pairfunc.Result, error)]("gpu.Reduce")

// reduced evaluates a job where the settings say. Pairs go to the list.
func reduced(ctx context.Context, s settings, p *pairfunc.Job, l *pairList) (*pairfunc.Result, error) {
	if s.memory > 0 && p.Least() > s.memory {
		return nil, overMemory(p.Least(), s.memory)
	}
	take := func(a, b []uint32) error {
		if n := int64(len(l.a)+len(a)) * pairBytes; s.memory > 0 && n > s.memory {
			return overMemory(n, s.memory)
		}
		l.a, l.b = append(l.a, a...), append(l.b, b...)
		return nil
	}
	if s.device == C.SKYJOIN_CPU || s.device == C.SKYJOIN_AUTO && max(p.A.Rows, p.B.Rows) < statGPURows*s.threads {
		return p.Run(ctx, take)
	}
	cards, err := gpu.OpenCards(gpu.Config{Memory: s.memory})
	if err == nil {
		defer cards.Close()
		var r *pairfunc.Result
		if r, err = onCards(cards, ctx, p, take); err == nil {
			return r, nil
		}
	}
	if s.device == C.SKYJOIN_AUTO && gpu.IsFailure(err) {
		*l = pairList{}
		return p.Run(ctx, take)
	}
	return nil, err
}

// pairBytes is what a pair of a list takes, in the list and in the caller's arrays.
const pairBytes = 8 + 16

func overMemory(need, allowed int64) error {
	n, a := size.Texts(need, allowed)
	return fmt.Errorf("%w: the statistic needs %s, %s are allowed", neighbors.ErrMemory, n, a)
}

func statFields(p *pairfunc.Job, r *pairfunc.Result, l *pairList) map[C.int32_t]field {
	switch {
	case p.PerRow && p.Reduction == pairfunc.Count:
		return map[C.int32_t]field{C.SKYJOIN_COUNTS: values[int64](r.Counts)}
	case p.PerRow:
		fields := map[C.int32_t]field{C.SKYJOIN_VALUES: values[float64](r.Row)}
		if r.Other != nil {
			fields[C.SKYJOIN_ROWS_B] = values[int64](r.Other)
		}
		return fields
	}
	switch p.Reduction {
	case pairfunc.Sum:
		return map[C.int32_t]field{C.SKYJOIN_VALUES: values[float64]([]float64{r.Sum})}
	case pairfunc.Histogram:
		return map[C.int32_t]field{
			C.SKYJOIN_PAIRS:  values[uint64](r.Bins),
			C.SKYJOIN_TOTALS: values[uint64]([]uint64{r.Under, r.Over, p.Total(), r.NaN}),
		}
	case pairfunc.Pairs:
		return map[C.int32_t]field{C.SKYJOIN_ROWS_A: values[int64](l.a), C.SKYJOIN_ROWS_B: values[int64](l.b)}
	}
	return map[C.int32_t]field{C.SKYJOIN_COUNTS: values[int64]([]uint64{r.Count})}
}
