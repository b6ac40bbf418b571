package parquet

import (
	"context"
	"fmt"
	"sync/atomic"

	"skyjoin/internal/format"
)

// read implements source. Its units of work are the chunks: row groups times
// columns.
func (s *reader) Read(ctx context.Context, j format.Job) error {
	openers := make([]chunkOpener, len(j.Refs))
	for i, r := range j.Refs {
		var err error
		if openers[i], err = s.opener(r, j.Dst[i].Field); err != nil {
			return err
		}
	}
	f, err := s.open()
	if err != nil {
		return err
	}
	defer f.Close()
	var groups []int
	for i := range s.groups {
		if g := &s.groups[i]; j.Skip == nil || !j.Skip(g.first, g.rows) {
			groups = append(groups, i)
		} else {
			j.Add(g.rows)
		}
	}
	columns := len(j.Refs)
	left := make([]countdown, len(groups))
	for i, g := range groups {
		left[i].rows = s.groups[g].rows
		left[i].left.Store(int64(columns))
	}
	return j.Pool.Run(ctx, len(groups)*columns, func(i int) error {
		to := i % columns
		r, g := j.Refs[to], &s.groups[groups[i/columns]]
		l := &s.leaves[r.Field]
		err := format.Fenced(func() error {
			c := g.chunks[r.Field].Chunk
			rows := openers[to](f, &c, l)
			if err := readRef(r, rows, j.Dst[to], j.At+g.first, g.rows); err != nil {
				return err
			}
			return rows.end()
		})
		if err != nil {
			return cannotRead(l, groups[i/columns], err)
		}
		left[i/columns].done(j.Add)
		return nil
	})
}

// opener returns how chunks of a leaf are opened to be read as the field.
func (s *reader) opener(r format.Ref, as format.Field) (chunkOpener, error) {
	if as.Type == format.List {
		as = *as.Elem
	}
	l := &s.leaves[r.Field]
	o := readings[readingKey{l.physical, l.kind.Storage(), l.layout, as.Type.Storage()}]
	if l.kind == format.Unsupported || o == nil {
		return nil, fmt.Errorf("column %s: %s cannot be read as %v", l.name, s.field[r.Field].Text, as.Type)
	}
	return o, nil
}

// check implements source: the chunks of the leaf can be what they claim, and
// have a codec that can be read.
func (s *reader) Check(r format.Ref) error {
	l := &s.leaves[r.Field]
	for i := range s.groups {
		g := &s.groups[i]
		c := &g.chunks[r.Field].Chunk
		err := c.Check(s.size)
		switch {
		case err != nil:
		case !c.Codec.Supported():
			err = c.Codec.unsupported()
		case c.MaxRep == 0 && c.Values != g.rows:
			err = fmt.Errorf("the footer says %d values for %d rows", c.Values, g.rows)
		case c.MaxRep > 0 && c.Values < g.rows:
			err = fmt.Errorf("the footer says %d values for %d lists", c.Values, g.rows)
		}
		if err != nil {
			return cannotRead(l, i, err)
		}
	}
	return nil
}

func cannotRead(l *leaf, group int, err error) error {
	return fmt.Errorf("column %s in row group %d cannot be read: %w", l.name, group, err)
}

// A countdown reports the rows of a part when the last of its columns is done.
type countdown struct {
	left atomic.Int64
	rows int64
}

func (c *countdown) done(add func(rows int64)) {
	if c.left.Add(-1) == 0 {
		add(c.rows)
	}
}
