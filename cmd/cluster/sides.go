package main

import (
	"context"
	"fmt"
	"slices"

	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// sides are the catalogs of a join: A, and B unless A is joined with itself.
// They share the metric, with the scales that A gives, and the summary.
type sides struct {
	a, b *job
}

// openSides opens the catalogs and finds their coordinates.
func openSides(ctx context.Context, a *app, command string, o *joinOptions, paths []string) (*sides, error) {
	s := &sides{}
	if err := s.open(ctx, a, command, o, paths); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *sides) open(ctx context.Context, a *app, command string, o *joinOptions, paths []string) (err error) {
	if s.a, err = newJob(a, command, &o.run); err != nil {
		return err
	}
	if err := s.a.open(ctx, paths[:1], &o.read); err != nil {
		return err
	}
	if len(paths) > 1 {
		b := *s.a
		b.cat = nil
		if err := b.open(ctx, paths[1:], &o.read); err != nil {
			return err
		}
		s.b = &b
		s.a.also = b.inputs()
	}
	if err := s.a.outputs(&o.out); err != nil {
		return err
	}
	if s.a.geo, err = o.geometry.resolve(s.a.cat); err != nil || s.b == nil {
		return err
	}
	g := o.geometry
	if o.columnsB != nil {
		g.columns = o.columnsB
	}
	g.metric.value = s.a.geo.metricName()
	if s.b.geo, err = g.resolve(s.b.cat); err != nil {
		return fmt.Errorf("in the second catalog: %w", err)
	}
	if n, m := len(s.a.geo.columns), len(s.b.geo.columns); n != m {
		return usagef("A has %d coordinate columns (%s), B has %d (%s)", n, joinList(s.a.geo.columns), m, joinList(s.b.geo.columns))
	}
	return nil
}

func (s *sides) close() {
	for _, j := range []*job{s.a, s.b} {
		if j != nil && j.cat != nil {
			j.cat.Close()
		}
	}
}

// load reads the coordinates of both sides.
func (s *sides) load(ctx context.Context, f *readFlags) error {
	if err := s.a.load(ctx, f, ""); err != nil || s.b == nil {
		return err
	}
	if err := s.b.read(ctx, f, ""); err != nil {
		return fmt.Errorf("in the second catalog: %w", err)
	}
	return s.sameUnits()
}

// sameUnits refuses columns that are in different units. Angles on the sky
// are degrees by now, whatever the file has.
func (s *sides) sameUnits() error {
	a, b := s.a.sel.Fields, s.b.sel.Fields
	first := 0
	if s.a.geo.sky {
		first = 2
	}
	for i := first; i < len(a); i++ {
		if a[i].Unit != b[i].Unit && a[i].Unit != "" && b[i].Unit != "" {
			return usagef("%s of A is in %s, %s of B is in %s: they must be in the same unit", a[i].Name, a[i].Unit, b[i].Name, b[i].Unit)
		}
	}
	return nil
}

// side returns A or B; A is both in a self-join.
func (s *sides) side(i int) *job {
	if i == 1 && s.b != nil {
		return s.b
	}
	return s.a
}

func (s *sides) points(i int) *neighbors.Points { return s.side(i).sel.Points }

// A keptColumn is a column of one side that is written for each pair.
type keptColumn struct {
	side   int
	column catalog.Column
}

// sideSuffix is put behind the name of a column that both sides have.
var sideSuffix = [2]string{"_1", "_2"}

// keep reads the columns to add to the output, each from the side that has it,
// or from both.
func (s *sides) keep(ctx context.Context, names []string) (kept []keptColumn, err error) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, usagef("--keep: %s is there twice", name)
		}
		_, errA := s.a.cat.Field(name)
		_, errB := s.side(1).cat.Field(name)
		if errA != nil && errB != nil {
			return nil, fmt.Errorf("--keep: %w", errA)
		}
		for side, missing := range []error{errA, errB} {
			if missing != nil {
				continue
			}
			cols, err := s.side(side).cat.Read(ctx, []string{name}, nil)
			if err != nil {
				return nil, err
			}
			c := cols[0]
			if errA == nil && errB == nil {
				c.Field.Name += sideSuffix[side]
			}
			c.Field.Nullable = c.Field.Nullable || c.Null != nil
			kept = append(kept, keptColumn{side, c})
		}
	}
	return kept, nil
}
