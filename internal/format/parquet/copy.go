package parquet

import (
	"context"
	"fmt"
	"os"
	"slices"

	"skyjoin/internal/format"
)

// copiesOf returns how files are copied: as bytes, if all are Parquet.
func copiesOf(files []format.Reader) format.Copy {
	for _, f := range files {
		if _, ok := f.(*reader); !ok {
			return nil
		}
	}
	return copyFiles
}

// copyFiles copies files into one and adds columns. Row groups stay as they are
// and follow each other in the order of the files.
func copyFiles(ctx context.Context, out format.Sink, from format.Table, added format.Added, opt format.WriteOptions) error {
	asm, err := newAssembly(out)
	if err != nil {
		return err
	}
	c := &fileCopy{asm: asm, added: added, opt: opt}
	for _, f := range from.Files {
		if err := c.file(ctx, f); err != nil {
			return err
		}
	}
	return c.finish()
}

// A fileCopy is a copy in the making.
type fileCopy struct {
	asm    *assembly
	added  format.Added
	opt    format.WriteOptions
	first  topColumns // whose schema the copy gets
	meta   fileMeta   // of the first file, which the copy gets
	newest int32      // format version of the files
	row    int64      // rows copied
}

// file copies one file, of which the catalog has counted the rows.
func (c *fileCopy) file(ctx context.Context, from format.File) error {
	f, meta, err := from.Reader.(*reader).footer()
	if err != nil {
		return fmt.Errorf("%s: %w", from.Path, err)
	}
	defer f.Close()
	cols, err := columnsOf(from.Path, meta.Schema)
	if err != nil {
		return fmt.Errorf("%s: %w", from.Path, err)
	}
	if c.first.path == "" {
		c.first, c.meta = cols, *meta
	}
	leaves, err := c.first.match(cols)
	if err != nil {
		return err
	}
	c.newest = max(c.newest, meta.Version)
	for _, g := range meta.Groups {
		if slices.ContainsFunc(g.Columns, func(c columnMeta) bool { return c.Meta == nil }) {
			return changed(from)
		}
	}
	if err := distrust(from.Path, meta); err != nil {
		return err
	}
	start := c.row
	for i := range meta.Groups {
		g := &meta.Groups[i]
		if err := checkPages(f, from.Reader.(*reader).size, g); err != nil {
			return fmt.Errorf("%s: %w", from.Path, err)
		}
		if g.Rows > from.Rows()-(c.row-start) {
			return changed(from)
		}
		if err := c.added.Advance(ctx, c.row, c.row+g.Rows); err != nil {
			return err
		}
		added, err := encodeColumns(ctx, c.sources(g.Rows), c.opt.Threads)
		if err != nil {
			return err
		}
		if err := c.asm.add(ctx, f, *g, leaves, added); err != nil {
			return err
		}
		c.row += g.Rows
		c.opt.Progress(g.Rows)
	}
	if c.row-start != from.Rows() {
		return changed(from)
	}
	return nil
}

// checkPages reports a row group whose pages are not where its chunks should have
// them, so that no output is made of a damaged file. The values themselves are
// copied unread.
func checkPages(f *os.File, size int64, g *groupMeta) error {
	for i, c := range g.Columns {
		chunk := Chunk{Offset: c.Meta.start(), Size: c.Meta.Compressed, Values: c.Meta.Values}
		if chunk.Size == 0 {
			continue // no rows: some writers leave offsets of 0
		}
		err := chunk.Check(size)
		if err == nil {
			err = walkPages(f, &chunk)
		}
		if err != nil {
			return fmt.Errorf("column chunk %d is damaged: %w", i, err)
		}
	}
	return nil
}

// sources returns the columns to add for the next rows.
func (c *fileCopy) sources(rows int64) []columnSource {
	fields := c.added.Fields()
	out := make([]columnSource, len(fields))
	for i, f := range fields {
		at := c.row
		out[i] = columnSource{f, int(rows), func(lo, hi int) format.Column { return c.added.Block(i, at+int64(lo), at+int64(hi)) }}
	}
	return out
}

func changed(f format.File) error {
	return fmt.Errorf("%s: it no longer has the %d rows it had when it was opened", f.Path, f.Rows())
}

func (c *fileCopy) finish() error {
	f := fileMeta{Version: c.newest, Schema: c.meta.Schema}
	fields := c.added.Fields()
	for _, a := range fields {
		if err := f.addColumn(a); err != nil {
			return err
		}
	}
	// Without column orders the minima and maxima of a file are not to be
	// trusted, and nothing here makes them better.
	if f.Orders = c.meta.Orders; len(f.Orders) > 0 {
		f.Orders = append(f.Orders, slices.Repeat([]columnOrder{byType}, len(fields))...)
	}
	old := c.meta.KeyValues
	var more []format.KeyValue
	if s, err := extendArrow(findKey(old, arrowKey), fields); err == nil {
		more = append(more, format.KeyValue{Key: arrowKey, Value: s})
	} else {
		old = slices.DeleteFunc(old, func(kv keyValue) bool { return kv.Key == arrowKey })
		for _, f := range fields {
			more = append(more, notesOf(f.Name, f)...)
		}
	}
	old = slices.DeleteFunc(old, func(kv keyValue) bool { return c.opt.Replaced(kv.Key) })
	f.KeyValues = withKeys(old, append(more, c.opt.Metadata...))
	return c.asm.finish(f)
}

// findKey returns the value of a key, "" if there is none.
func findKey(kvs []keyValue, key string) string {
	for _, kv := range kvs {
		if kv.Key == key {
			return or(kv.Value)
		}
	}
	return ""
}
