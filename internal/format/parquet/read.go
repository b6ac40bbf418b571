package parquet

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"skyjoin/internal/format"
)

// A columnSet is columns that are read together.
type columnSet struct {
	s       *reader
	f       *os.File
	refs    []format.Ref
	openers []chunkOpener // of their chunks
}

// columns opens the file for columns that are read as fields.
func (s *reader) columns(refs []format.Ref, as func(i int) format.Field) (*columnSet, error) {
	c := &columnSet{s: s, refs: refs}
	for i, r := range refs {
		o, err := s.opener(r, as(i))
		if err != nil {
			return nil, err
		}
		c.openers = append(c.openers, o)
	}
	var err error
	c.f, err = s.open()
	return c, err
}

// rows opens the chunk of a column in a row group.
func (c *columnSet) rows(i, group int) chunkRows {
	leaf := c.refs[i].Field
	chunk := c.s.groups[group].chunks[leaf].Chunk
	return c.openers[i](c.f, &chunk, &c.s.leaves[leaf])
}

// about runs do, whose errors are about a column in a row group.
func (c *columnSet) about(i, group int, do func() error) error {
	if err := format.Fenced(do); err != nil {
		return cannotRead(&c.s.leaves[c.refs[i].Field], group, err)
	}
	return nil
}

// Read implements format.Reader. Its units of work are the chunks: row groups
// times columns.
func (s *reader) Read(ctx context.Context, j format.Job) error {
	cols, err := s.columns(j.Refs, func(i int) format.Field { return j.Dst[i].Field })
	if err != nil {
		return err
	}
	defer cols.f.Close()
	var groups []int
	for i := range s.groups {
		if g := &s.groups[i]; j.Skip == nil || !j.Skip(g.first, g.rows) {
			groups = append(groups, i)
		} else {
			j.Add(g.rows)
		}
	}
	left := make([]atomic.Int64, len(groups)) // columns, of each group
	for i := range left {
		left[i].Store(int64(len(j.Refs)))
	}
	return j.Pool.Run(ctx, len(groups)*len(j.Refs), func(i int) error {
		group, to := i/len(j.Refs), i%len(j.Refs)
		g := &s.groups[groups[group]]
		err := cols.about(to, groups[group], func() error {
			rows := cols.rows(to, groups[group])
			if err := readRef(j.Refs[to], rows, j.Dst[to], j.At+g.first, g.rows); err != nil {
				return err
			}
			return rows.end()
		})
		if err == nil && left[group].Add(-1) == 0 {
			j.Add(g.rows)
		}
		return err
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

// Check implements format.Reader: the chunks of the leaf can be what they claim, and
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
