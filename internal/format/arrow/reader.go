package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"skyjoin/internal/format"
	"skyjoin/internal/format/parquet"
)

// magic is at the start of a file, padded to eight bytes, and at its end.
const magic = "ARROW1"

// Input reads files of Arrow.
var Input = format.Input{
	Name: "arrow", Also: []string{"feather"}, Extensions: []string{".arrow", ".feather", ".ipc"},
	Sniff: func(start *format.Start) bool { return strings.HasPrefix(string(start.Bytes), magic+"\x00\x00") },
	Open:  open,
}

// A reader is a file of Arrow.
type reader struct {
	format.Head
	path string
	size int64
}

func open(_ context.Context, path string, _ format.Options) (format.Reader, error) {
	if format.IsCompressed(path) {
		return nil, format.ErrAnywhere
	}
	s := &reader{Head: format.Head{Name: "arrow"}, path: path, size: -1}
	return s, s.withBatches(func(in *ipc.Reader, f *os.File) error {
		rows, err := count(f, s.size)
		if err != nil {
			return err
		}
		schema := in.Schema()
		if err := format.FewColumns(schema.NumFields()); err != nil {
			return err
		}
		s.Count = rows
		for i, f := range schema.Fields() {
			field := fieldOf(f)
			field.Name = format.ColumnName(f.Name, i)
			field.Annotate(parquet.NoteOf(f.Metadata.Keys(), f.Metadata.Values()))
			s.Columns = append(s.Columns, field)
		}
		meta := schema.Metadata()
		for i, key := range meta.Keys() {
			s.Meta = append(s.Meta, format.KeyValue{Key: key, Value: meta.Values()[i]})
		}
		parquet.Annotate(s.Columns, s.Meta)
		return nil
	})
}

// withBatches opens the file, which must be what it was, and calls do with its
// batches.
func (s *reader) withBatches(do func(*ipc.Reader, *os.File) error) error {
	f, err := format.OpenRegular(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return format.Bare(err)
	case s.size >= 0 && info.Size() != s.size:
		return format.ErrChanged
	case info.Size() < 2*int64(len(magic)+2):
		return errors.New("the Arrow file is cut short")
	}
	s.size = info.Size()
	return format.Fenced(func() error {
		in, err := ipc.NewReader(io.NewSectionReader(f, 8, s.size-8), ipc.WithAllocator(bounded{memory.NewGoAllocator(), mostBuffer + 16*int(s.size)}))
		if err != nil {
			return fmt.Errorf("the Arrow file is damaged: %w", err)
		}
		return do(in, f)
	})
}

// Read implements [format.Reader].
func (s *reader) Read(ctx context.Context, j format.Job) error {
	return s.withBlocks(j.Refs, func(b *format.Blocks[arrow.Record]) error { return b.Read(ctx, j) })
}

// Flow implements [format.Reader].
func (s *reader) Flow(ctx context.Context, w format.Flow) error {
	return s.withBlocks(w.Refs, func(b *format.Blocks[arrow.Record]) error { return b.Flow(ctx, w) })
}

// withBlocks calls do with the rows, some of a batch at a time.
func (s *reader) withBlocks(refs []format.Ref, do func(*format.Blocks[arrow.Record]) error) error {
	most := max(1, min(format.FlowRows, format.FlowBytes/int64(8*len(refs)+1)))
	return s.withBatches(func(in *ipc.Reader, _ *os.File) error {
		var batch arrow.Record // of which the rows from at on are left
		at := int64(0)
		return do(&format.Blocks[arrow.Record]{
			Next: func(arrow.Record) (rows arrow.Record, n int64, err error) {
				err = format.Fenced(func() error {
					for batch == nil || at == batch.NumRows() {
						if !in.Next() {
							if in.Err() != nil {
								return in.Err()
							}
							return io.EOF
						}
						batch, at = in.Record(), 0
						batch.Retain()
					}
					n = min(most, batch.NumRows()-at)
					rows = batch.NewSlice(at, at+n)
					at += n
					return nil
				})
				return rows, n, err
			},
			Decode: func(rows arrow.Record, n int64, cols []format.Column) error {
				return format.Fenced(func() error { return decode(rows, int(n), refs, cols) })
			},
		})
	})
}
