package table

import (
	"context"
	"fmt"

	"skyjoin/io/catalog"
)

// parquetCopy copies the Parquet files of a catalog into one and adds
// columns. Row groups stay as they are and follow each other in the order of
// the files.
type parquetCopy struct {
	asm    *assembly
	adds   []addition
	opt    Options
	first  *parquetFile // whose schema and metadata the copy gets
	widest int64        // newest format version of the files
	row    int64        // rows copied
}

func appendParquet(ctx context.Context, out *output, cat *catalog.Catalog, adds []addition, opt Options) error {
	return copyParquet(ctx, out, cat.Files(), adds, opt)
}

func copyParquet(ctx context.Context, out *output, files []catalog.File, adds []addition, opt Options) error {
	asm, err := newAssembly(out)
	if err != nil {
		return err
	}
	c := &parquetCopy{asm: asm, adds: adds, opt: opt}
	for _, f := range files {
		p, err := openParquet(f.Path)
		if err != nil {
			return err
		}
		err = c.file(ctx, p, f.Rows)
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
		if err := advance(ctx, c.adds, c.row, c.row+g.rows); err != nil {
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
		c.opt.progress(g.rows)
	}
	if c.row-start != rows {
		return changed(p.path, rows)
	}
	return nil
}

// sources returns the columns to add for the next rows.
func (c *parquetCopy) sources(rows int64) []columnSource {
	out := make([]columnSource, len(c.adds))
	for i := range c.adds {
		a, at := &c.adds[i], c.row
		out[i] = columnSource{a.field, int(rows), func(lo, hi int) catalog.Column { return a.block(at+int64(lo), at+int64(hi)) }}
	}
	return out
}

func changed(path string, rows int64) error {
	return fmt.Errorf("%s: it no longer has the %d rows it had when it was opened", path, rows)
}

func (c *parquetCopy) finish() error {
	f := footer{version: c.widest}
	var fields []catalog.Field
	var added [][]record
	for _, a := range c.adds {
		fields = append(fields, a.field)
		e, err := elements(a.field)
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
		for range c.adds {
			f.orders = append(f.orders, typeOrder())
		}
	}
	return c.asm.finish(f)
}

func (c *parquetCopy) keyValues(added []catalog.Field) ([][]byte, error) {
	old, err := c.first.meta.list(fileKeyValues, kindStruct)
	if err != nil {
		return nil, err
	}
	var more []catalog.KeyValue
	if s, err := extendArrow(findKey(old, arrowKey), added); err == nil {
		more = append(more, catalog.KeyValue{Key: arrowKey, Value: s})
	} else {
		old = dropKeys(old, func(key string) bool { return key == arrowKey })
		for _, f := range added {
			more = append(more, notes(f.Name, f)...)
		}
	}
	return keyValues(dropKeys(old, c.opt.replaced), append(more, c.opt.Metadata...))
}
