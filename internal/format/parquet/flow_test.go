package parquet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// fileSink is a file that a table is written to.
type fileSink struct{ *os.File }

func (s fileSink) CopyFrom(context.Context, *os.File, int64, int64) error { return nil }
func (s fileSink) Scratch() (*os.File, error)                             { return nil, os.ErrInvalid }
func (s fileSink) Failed(err error) error                                 { return err }

// The blocks of a wide table have fewer rows, and what is passed on at a time does
// not grow with the number of columns; row groups follow the memory there is.
func TestBlocksOfWideTables(t *testing.T) {
	const rows, columns = 20_000, 80
	var cols []format.Column
	var fields []format.Field
	var refs []format.Ref
	for i := range columns {
		f := format.Field{Name: fmt.Sprint("c", i), Type: format.Float64}
		c := format.MakeColumn(f, rows, false)
		for row := range c.Float64 {
			c.Float64[row] = float64(row * (i + 1))
		}
		cols, fields, refs = append(cols, c), append(fields, f), append(refs, format.Ref{Field: i, Elem: -1})
	}
	for _, memory := range []int64{0, 1 << 20} {
		testBlocks(t, memory, fields, refs, cols)
	}
}

func testBlocks(t *testing.T, memory int64, fields []format.Field, refs []format.Ref, cols []format.Column) {
	rows, columns := int64(cols[0].Len()), int64(len(cols))
	path := filepath.Join(t.TempDir(), "wide.parquet")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	ctx := context.Background()
	w, err := createFile(fileSink{out}, fields, format.WriteOptions{Memory: memory, Progress: func(int64) {}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Rows(ctx, cols); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	in, err := openFile(ctx, path, format.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range in.(*reader).Groups() {
		if memory > 0 && n*columns*8 > memory {
			t.Errorf("row group %d takes %d bytes, %d are allowed", i, n*columns*8, memory)
		}
	}
	row := int64(0)
	err = in.Flow(ctx, format.Flow{Refs: refs, Fields: fields, Pool: par.NewPool(2), Visit: func(n int64, cols []format.Column) error {
		if n*columns*8 > format.FlowBytes {
			t.Errorf("a block of %d bytes", n*columns*8)
		}
		for i := range cols {
			for k, v := range cols[i].Float64 {
				if want := float64((row + int64(k)) * int64(i+1)); v != want {
					return fmt.Errorf("row %d, column %d: %v, want %v", row+int64(k), i, v, want)
				}
			}
		}
		row += n
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if row != rows {
		t.Errorf("%d rows, want %d", row, rows)
	}
}

// Chunks that are read at the same time hand buffers on to each other, and nothing of
// a chunk is in a buffer that it has given away.
func TestSharedBuffers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var wait sync.WaitGroup
	for _, sizes := range [][]int{{50_000}, {2_000, 2_000, 2_000, 2_000, 2_000}} { // pages of 400 and 16 KB
		w := &chunkWriter{t: t, c: Chunk{Physical: Double, Codec: Zstd}}
		var want []uint64
		for i, n := range sizes {
			v := make([]uint64, n)
			for k := range v {
				v[k] = r.Uint64()
			}
			want = append(want, v...)
			w.data(1+i%2, Plain, nil, nil, n, plain8(v))
		}
		c, src := w.chunk()
		for range 4 {
			wait.Go(func() {
				for range 100 {
					own := *c
					got, _, _, err := readAll(newReader64(src, &own), &own)
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%d values of %d, or others: %v", len(got), len(want), err)
						return
					}
				}
			})
		}
	}
	wait.Wait()
}
