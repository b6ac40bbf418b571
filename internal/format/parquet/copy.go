package parquet

import (
	"context"
	"fmt"

	"skyjoin/internal/format"
)

// parquetCopy copies the Parquet files of a catalog into one and adds
// columns. Row groups stay as they are and follow each other in the order of
// the files.
type parquetCopy struct {
	asm    *assembly
	added  format.Added
	opt    format.WriteOptions
	first  *parquetFile // whose schema and metadata the copy gets
	widest int64        // newest format version of the files
	row    int64        // rows copied
}

// copies returns how files are copied: as bytes, if all are Parquet.
func copies(files []format.Reader) format.Copy {
	for _, f := range files {
		if _, ok := f.(*reader); !ok {
			return nil
		}
	}
	return copyFiles
}

func copyFiles(ctx context.Context, out format.Sink, from format.Table, added format.Added, opt format.WriteOptions) error {
	asm, err := newAssembly(out)
	if err != nil {
		return err
	}
	c := &parquetCopy{asm: asm, added: added, opt: opt}
	for _, f := range from.Files {
		p, err := openParquet(f.Path)
		if err != nil {
			return err
		}
		err = c.file(ctx, p, f.Rows())
		p.f.Close()
		if err != nil {
			return err
		}
	}
	return c.finish()
}

// file copies one file, of which the catalog has counted the rows.
func (c *parquetCopy) file(ctx context.Context, p *parquetFile, rows int64) error {
	if c.first == nil {
		c.first = p
	}
	leaves, err := matchColumns(c.first, p)
	if err != nil {
		return err
	}
	version, _, err := p.meta.integer(fileVersion)
	if err != nil {
		return err
	}
	c.widest = max(c.widest, version)
	start := c.row
	for i := range p.groups {
		g, err := p.group(i)
		if err != nil {
			return err
		}
		if err := p.distrust(g); err != nil {
			return err
		}
		if err := p.walk(g); err != nil {
			return err
		}
		if g.rows > rows-(c.row-start) {
			return changed(p.path, rows)
		}
		if err := c.added.Advance(ctx, c.row, c.row+g.rows); err != nil {
			return err
		}
		added, err := encodeColumns(ctx, c.sources(g.rows), c.opt.Threads)
		if err != nil {
			return err
		}
		if err := c.asm.add(ctx, p.f, g, leaves, added); err != nil {
			return err
		}
		c.row += g.rows
		c.opt.Progress(g.rows)
	}
	if c.row-start != rows {
		return changed(p.path, rows)
	}
	return nil
}

// sources returns the columns to add for the next rows.
func (c *parquetCopy) sources(rows int64) []columnSource {
	fields := c.added.Fields()
	out := make([]columnSource, len(fields))
	for i, f := range fields {
		at := c.row
		out[i] = columnSource{f, int(rows), func(lo, hi int) format.Column { return c.added.Block(i, at+int64(lo), at+int64(hi)) }}
	}
	return out
}

func changed(path string, rows int64) error {
	return fmt.Errorf("%s: it no longer has the %d rows it had when it was opened", path, rows)
}

func (c *parquetCopy) finish() error {
	f := footer{version: c.widest}
	fields := c.added.Fields()
	var added [][]record
	for _, a := range fields {
		e, err := elements(a)
		if err != nil {
			return err
		}
		added = append(added, e)
	}
	var err error
	if f.schema, err = extendSchema(c.first.elements, added); err != nil {
		return err
	}
	if f.keyValues, err = c.keyValues(fields); err != nil {
		return err
	}
	// Without column orders the minima and maxima of a file are not to be
	// trusted, and nothing here makes them better.
	if f.orders, err = c.first.meta.list(fileColumnOrders, kindStruct); err != nil {
		return err
	}
	if len(f.orders) > 0 {
		for range fields {
			f.orders = append(f.orders, typeOrder())
		}
	}
	return c.asm.finish(f)
}

func (c *parquetCopy) keyValues(added []format.Field) ([][]byte, error) {
	old, err := c.first.meta.list(fileKeyValues, kindStruct)
	if err != nil {
		return nil, err
	}
	var more []format.KeyValue
	if s, err := extendArrow(findKey(old, arrowKey), added); err == nil {
		more = append(more, format.KeyValue{Key: arrowKey, Value: s})
	} else {
		old = dropKeys(old, func(key string) bool { return key == arrowKey })
		for _, f := range added {
			more = append(more, notes(f.Name, f)...)
		}
	}
	return keyValues(dropKeys(old, c.opt.Replaced), append(more, c.opt.Metadata...))
}
