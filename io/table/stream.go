package table

import (
	"context"
	"fmt"
	"iter"

	"skyjoin/internal/format"
	"skyjoin/io/catalog"
)

// A Stream is columns to add to a catalog whose values are computed while it is
// written, so that they need not all be in memory.
type Stream struct {
	Fields []catalog.Field
	// Blocks yields the values of the fields for consecutive rows of the
	// catalog, from row 0 on.
	Blocks iter.Seq2[[]catalog.Column, error]
}

// A streaming is a Stream that is being written, with the rows that are loaded.
type streaming struct {
	fields []format.Field
	next   func() ([]catalog.Column, error, bool)
	stop   func()
	first  int64 // row of the catalog that cols begin with
	cols   []format.Column
}

func (s *Stream) start() *streaming {
	out := &streaming{fields: rawFields(s.Fields)}
	out.next, out.stop = iter.Pull2(s.Blocks)
	return out
}

// load loads the rows [lo, hi). lo must not decrease from call to call.
func (s *streaming) load(lo, hi int64) error {
	if n := int64(s.len()); s.first < lo && n > 0 {
		drop := min(n, lo-s.first)
		for i := range s.cols {
			s.cols[i] = s.cols[i].Slice(int(drop), int(n))
		}
		s.first += drop
	}
	for s.first+int64(s.len()) < hi {
		cols, err, ok := s.next()
		if err != nil {
			return err
		}
		if !ok || len(cols) != len(s.fields) {
			return fmt.Errorf("the added columns end at row %d, there are more", s.first+int64(s.len()))
		}
		raw := rawColumns(cols)
		if s.len() > 0 {
			for i := range raw {
				joined := format.Column{Field: s.fields[i]}
				joined.Append(&s.cols[i])
				joined.Append(&raw[i])
				raw[i] = joined
			}
		}
		s.cols = raw
	}
	return nil
}

// end asks the blocks, after the last row, whether anything is wrong with them.
func (s *streaming) end() error {
	cols, err, _ := s.next()
	if err == nil && len(cols) > 0 {
		err = fmt.Errorf("the added columns have rows that the catalog has not")
	}
	return err
}

// len returns the number of loaded rows.
func (s *streaming) len() int {
	if len(s.cols) == 0 {
		return 0
	}
	return s.cols[0].Len()
}

// derivedColumns returns the columns of a catalog that are in no file.
func derivedColumns(ctx context.Context, cat *catalog.Catalog) Stream {
	s := Stream{Fields: cat.Derived()}
	var names []string
	for _, f := range s.Fields {
		names = append(names, f.Name)
	}
	s.Blocks = func(yield func([]catalog.Column, error) bool) {
		for b, err := range cat.Scan(ctx, catalog.Scan{Columns: names}) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(b.Columns, nil) {
				return
			}
		}
	}
	return s
}
