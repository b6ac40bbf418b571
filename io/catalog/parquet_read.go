package catalog

import (
	"context"
	"fmt"
	"os"
)

// read implements source. Its units of work are the chunks: row groups times
// columns.
func (s *parquetSource) read(ctx context.Context, j job) error {
	openers := make([]chunkOpener, len(j.refs))
	for i, r := range j.refs {
		var err error
		if openers[i], err = s.opener(r, j.dst[i].Field); err != nil {
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
		if g := &s.groups[i]; j.skip == nil || !j.skip(g.first, g.rows) {
			groups = append(groups, i)
		} else {
			j.add(g.rows)
		}
	}
	columns := len(j.refs)
	left := make([]countdown, len(groups))
	for i, g := range groups {
		left[i].rows = s.groups[g].rows
		left[i].left.Store(int64(columns))
	}
	return j.pool.run(ctx, len(groups)*columns, func(i int) error {
		to := i % columns
		r, g := j.refs[to], &s.groups[groups[i/columns]]
		l := &s.leaves[r.field]
		err := fenced(func() error {
			c := g.chunks[r.field].Chunk
			rows := openers[to](f, &c, l)
			if err := r.read(rows, j.dst[to], j.at+g.first, g.rows); err != nil {
				return err
			}
			return rows.end()
		})
		if err != nil {
			return cannotRead(l, groups[i/columns], err)
		}
		left[i/columns].done(j.add)
		return nil
	})
}

// open opens the file, which must be what it was.
func (s *parquetSource) open() (*os.File, error) {
	f, err := openRegular(s.path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() != s.size {
		err = fmt.Errorf("the file has changed since it was opened: it had %d bytes and has %d", s.size, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, bare(err)
	}
	return f, nil
}

// opener returns how chunks of a leaf are opened to be read as the field.
func (s *parquetSource) opener(r ref, as Field) (chunkOpener, error) {
	if as.Type == List {
		as = *as.Elem
	}
	l := &s.leaves[r.field]
	o := readings[readingKey{l.physical, familyOf(l.kind), l.layout, as.Type.storage()}]
	if l.kind == Unsupported || o == nil {
		return nil, fmt.Errorf("column %s: %s cannot be read as %v", l.name, s.field[r.field].Text, as.Type)
	}
	return o, nil
}

// check implements source: the chunks of the leaf can be what they claim, and
// have a codec that can be read.
func (s *parquetSource) check(r ref) error {
	l := &s.leaves[r.field]
	for i := range s.groups {
		g := &s.groups[i]
		c := &g.chunks[r.field].Chunk
		err := c.Check(s.size)
		switch {
		case err != nil:
		case !c.Codec.Supported():
			err = fmt.Errorf("codec %v is not supported; write the file again with ZSTD or SNAPPY", c.Codec)
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
