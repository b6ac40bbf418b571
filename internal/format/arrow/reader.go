package arrow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	at   [2]int64 // where the messages begin and end
}

func open(_ context.Context, path string, _ format.Options) (format.Reader, error) {
	if format.IsCompressed(path) {
		return nil, format.ErrAnywhere
	}
	s := &reader{Head: format.Head{Name: "arrow"}, path: path, size: -1}
	return s, s.withBatches(func(in *ipc.Reader, _ *bounded) error {
		schema := in.Schema()
		if err := format.FewColumns(schema.NumFields()); err != nil {
			return err
		}
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

// memory is what a batch may take.
func (s *reader) memory() *bounded {
	return &bounded{memory.NewGoAllocator(), mostBatch + 64*int(s.size)}
}

// withBatches opens the file, which must be what it was, and calls do with its
// batches.
func (s *reader) withBatches(do func(*ipc.Reader, *bounded) error) error {
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
	err = format.Fenced(func() error {
		if s.size < 0 { // for the first time
			s.size = info.Size()
			if s.at[0], s.at[1], err = stretch(f, s.size); err != nil {
				return err
			}
			if s.Count, err = count(f, s.at[0], s.at[1]); err != nil {
				return err
			}
		}
		mem := s.memory()
		in, err := ipc.NewReader(io.NewSectionReader(f, s.at[0], s.at[1]-s.at[0]), ipc.WithAllocator(mem))
		if err != nil {
			return fmt.Errorf("the Arrow file is damaged: %w", err)
		}
		return do(in, mem)
	})
	if err != nil && strings.HasPrefix(err.Error(), "runtime error") { // of the library, which trusts the file
		err = errDamaged
	}
	return err
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
	return s.withBatches(func(in *ipc.Reader, mem *bounded) error {
		var batch arrow.Record // of which the rows from at on are left
		at, left := int64(0), s.Count
		return do(&format.Blocks[arrow.Record]{
			Next: func(arrow.Record) (rows arrow.Record, n int64, err error) {
				if left == 0 { // some writers have no message for the end
					return nil, 0, io.EOF
				}
				err = format.Fenced(func() error {
					for batch == nil || at == batch.NumRows() {
						if *mem = *s.memory(); !in.Next() {
							return cmp.Or(in.Err(), format.ErrChanged)
						}
						batch, at = in.Record(), 0
						batch.Retain()
					}
					n = min(most, batch.NumRows()-at)
					rows = batch.NewSlice(at, at+n)
					at, left = at+n, left-n
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
