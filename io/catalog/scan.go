package catalog

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"skyjoin/internal/expr"
	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// A Scan says what [Catalog.Scan] reads.
type Scan struct {
	Columns []string // of any type that can be read; lists are whole
	Where   string   // row filter, "" none
	Rows    int      // of every block except the last; 0 for a convenient number

	// Skip, if it is not nil, says of rows that follow each other, of which first is the
	// first, that all of them may have zero values, which spares reading them.
	Skip func(first, rows int64) bool
}

// A Block is consecutive rows of a catalog.
type Block struct {
	First   int64    // row of the catalog
	Rows    int64    // how many
	Keep    []bool   // rows that the filter keeps; nil without a filter
	Columns []Column // those of the scan, of all rows of the block
}

// Scan reads columns in blocks of consecutive rows, in order, so that memory
// does not grow with the catalog. Values are those of [Catalog.ReadAll], except
// that rows which cannot pass the filter according to the statistics of the files
// may have zero values. Blocks belong to the caller. The scan ends after the first
// error.
func (c *Catalog) Scan(ctx context.Context, s Scan) iter.Seq2[*Block, error] {
	return func(yield func(*Block, error) bool) {
		for b, err := range c.scan(ctx, s) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(b.public(), nil) {
				return
			}
		}
	}
}

// A block is a Block in the types of package format.
type block struct {
	first, rows int64
	keep        []bool
	cols        []format.Column
}

func (b *block) public() *Block { return &Block{b.first, b.rows, b.keep, publicColumns(b.cols)} }

// scan is Scan.
func (c *Catalog) scan(ctx context.Context, s Scan) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		p, err := c.newScanner(s)
		if err != nil {
			yield(nil, err)
			return
		}
		blocks := p.blocks(ctx)
		if s.Rows > 0 {
			blocks = regroup(blocks, s.Rows)
		}
		for b, err := range blocks {
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// ScanMemory estimates how many bytes a scan takes: the blocks that are read ahead,
// and what readers hold of each column.
func (c *Catalog) ScanMemory(s Scan) (int64, error) {
	p, err := c.newScanner(s)
	if err != nil {
		return 0, err
	}
	width, held := int64(1), int64(0)
	for _, f := range p.fields {
		width += f.Type.Bytes()
	}
	for file, source := range p.c.sources {
		if h, ok := source.(format.Holder); ok {
			n, err := h.Held(slices.DeleteFunc(c.inFileAll(file, p.refs), func(r format.Ref) bool { return r.Field < 0 }))
			if err != nil {
				return 0, fmt.Errorf("%s: %w", c.files[file].Path, err)
			}
			held = max(held, n)
		}
	}
	const ahead = 6 // blocks
	return held + ahead*min(format.FlowBytes, format.FlowRows*width, c.rows*width), nil
}

// Letters estimates how many bytes the texts of a row have in the named columns: by
// what the files say, or else by their first rows.
func (c *Catalog) Letters(ctx context.Context, names ...string) (bytes int64, err error) {
	var ask []string
	for _, name := range names {
		f, r, err := c.lookup(name)
		if err != nil {
			return 0, err
		}
		if f.Type != String || len(c.sources) == 0 {
			continue
		}
		h, ok := c.sources[0].(format.Holder)
		if at := c.inFile(0, r).Field; ok && c.program(name) == nil && at >= 0 {
			bytes += h.Letters(at)
		} else {
			ask = append(ask, name)
		}
	}
	if len(ask) == 0 {
		return bytes, nil
	}
	for b, err := range c.Scan(ctx, Scan{Columns: ask}) {
		if err != nil {
			return 0, err
		}
		all := int64(0)
		for _, column := range b.Columns {
			for _, s := range column.String {
				all += int64(len(s))
			}
		}
		return bytes + all/max(b.Rows, 1), nil
	}
	return bytes, nil
}

// A scanner carries out a scan.
type scanner struct {
	c      *Catalog
	names  []string       // requested names
	stored []string       // columns that are read from the files
	fields []format.Field // of stored
	refs   []format.Ref
	place  map[string]int // of a name in the columns of a block: stored, then derived
	derive []string       // derived columns, each after those that it uses
	filter *expr.Program
	except spans // rows that the filter cannot keep
	skip   func(first, rows int64) bool
}

func (c *Catalog) newScanner(s Scan) (*scanner, error) {
	p := &scanner{c: c, names: s.Columns, place: map[string]int{}, skip: s.Skip}
	need := s.Columns
	if s.Where != "" {
		e, f, err := c.parseFilter(s.Where)
		if err != nil {
			return nil, err
		}
		p.filter, p.except = f, c.excluded(e)
		need = append(slices.Clone(need), f.Columns()...)
	}
	for _, name := range need {
		if err := p.want(name); err != nil {
			return nil, err
		}
	}
	for i, name := range p.derive {
		p.place[name] = len(p.stored) + i
	}
	return p, nil
}

// want adds a column, and the columns it is derived from, to the scan.
func (p *scanner) want(name string) error {
	if _, ok := p.place[name]; ok {
		return nil
	}
	f, r, err := p.c.lookup(name)
	if err == nil && f.Type != List {
		f, r, err = p.c.column(name)
	}
	if err != nil {
		return err
	}
	if program := p.c.program(name); program != nil {
		for _, input := range program.Columns() {
			if err := p.want(input); err != nil {
				return err
			}
		}
		p.place[name] = 0 // set when all are known
		p.derive = append(p.derive, name)
		return nil
	}
	if err := p.c.check(name, r); err != nil {
		return err
	}
	p.place[name] = len(p.stored)
	p.stored, p.fields, p.refs = append(p.stored, name), append(p.fields, f.raw()), append(p.refs, r)
	return nil
}

// blocks reads the files, one block ahead of the caller.
func (p *scanner) blocks(ctx context.Context) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		ready := make(chan *block, 1)
		var err error
		var reading par.Group
		reading.Go(func() {
			defer close(ready)
			err = p.run(ctx, func(b *block) error {
				select {
				case ready <- b:
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			})
		})
		defer func() { // no goroutine outlives the loop
			cancel()
			for range ready {
			}
			reading.Wait()
		}()
		for b := range ready {
			if !yield(b, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// run passes the blocks on.
func (p *scanner) run(ctx context.Context, visit func(*block) error) error {
	row := int64(0)
	for file, s := range p.c.sources {
		first := p.c.first[file]
		if row != first {
			return fmt.Errorf("%s: %w", p.c.files[file-1].Path, format.ErrChanged)
		}
		w := format.Flow{Refs: p.c.inFileAll(file, p.refs), Fields: p.fields, Pool: p.c.pool, Sentinels: len(p.c.opt.Null) > 0}
		if p.except != nil || p.skip != nil {
			w.Skip = func(at, n int64) bool {
				return p.except.covers(first+at, n) || p.skip != nil && p.skip(first+at, n)
			}
		}
		var visiting error // not of the file
		w.Visit = func(n int64, cols []format.Column) error {
			b := &block{first: row, rows: n}
			row += n
			if visiting = p.finish(b, cols); visiting == nil {
				visiting = visit(b)
			}
			return visiting
		}
		if err := s.Flow(ctx, w); err != nil {
			if visiting != nil || ctx.Err() != nil {
				return err
			}
			return fmt.Errorf("%s: %w", p.c.files[file].Path, err)
		}
	}
	if row != p.c.rows {
		return fmt.Errorf("%s: %w", p.c.files[len(p.c.files)-1].Path, format.ErrChanged)
	}
	return ctx.Err()
}

// finish completes a block from the columns that were read: it marks sentinels,
// derives columns and applies the filter. cols is nil for rows that the filter
// cannot keep.
func (p *scanner) finish(b *block, cols []format.Column) error {
	if cols == nil {
		w := format.Flow{Fields: p.fields}
		cols = w.Columns(b.rows)
		for i := range cols {
			for l := (format.ListColumn{Column: &cols[i]}); l.List != nil && int64(len(l.Null)) < b.rows; {
				l.End(false)
			}
		}
	}
	for i := range cols {
		cols[i].Null = anyNull(cols[i].Null)
		if cols[i].List != nil {
			cols[i].List.Elem.Null = anyNull(cols[i].List.Elem.Null)
			continue
		}
		applySentinels(&cols[i], p.c.opt.Null)
	}
	for _, name := range p.derive {
		program := p.c.program(name)
		derived, err := p.c.derivedColumn(name, program, p.vectors(program, cols), b.first, b.rows)
		if err != nil {
			return err
		}
		derived.Null = anyNull(derived.Null)
		cols = append(cols, derived)
	}
	if p.filter != nil {
		b.keep = make([]bool, b.rows)
		if !p.except.covers(b.first, b.rows) {
			if err := p.filter.Filter(p.vectors(p.filter, cols), b.first, b.keep); err != nil {
				return whereError(p.filter.String(), err)
			}
			for _, s := range p.except {
				lo, hi := max(s.lo-b.first, 0), min(s.hi-b.first, b.rows)
				if lo < hi {
					clear(b.keep[lo:hi])
				}
			}
		}
	}
	for _, name := range p.names {
		b.cols = append(b.cols, cols[p.place[name]])
	}
	return nil
}

// vectors are the columns of a program.
func (p *scanner) vectors(program *expr.Program, cols []format.Column) []expr.Vector {
	var out []expr.Vector
	for _, name := range program.Columns() {
		c := &cols[p.place[name]]
		out = append(out, p.c.vector(c, 0, int64(c.Len())))
	}
	return out
}

// regroup makes blocks of exactly the given number of rows, except the last.
func regroup(blocks iter.Seq2[*block, error], rows int) iter.Seq2[*block, error] {
	return func(yield func(*block, error) bool) {
		var have *block // fewer than rows
		for b, err := range blocks {
			if err != nil {
				yield(nil, err)
				return
			}
			if have == nil {
				have = b
			} else {
				have.append(b)
			}
			for have.rows >= int64(rows) {
				rest := have.cut(int64(rows))
				if !yield(have, nil) {
					return
				}
				have = rest
			}
			if have.rows == 0 {
				have = nil
			}
		}
		if have != nil {
			yield(have, nil)
		}
	}
}

// append adds the rows of the block that follows.
func (b *block) append(more *block) {
	for i := range b.cols {
		b.cols[i].Append(&more.cols[i])
	}
	b.keep = append(b.keep, more.keep...)
	b.rows += more.rows
}

// cut shortens b to the first n rows and returns the others.
func (b *block) cut(n int64) *block {
	rest := &block{first: b.first + n, rows: b.rows - n, keep: b.keep[min(int(n), len(b.keep)):]}
	for i := range b.cols {
		c := &b.cols[i]
		rest.cols = append(rest.cols, c.Slice(int(n), int(b.rows)))
		*c = c.Slice(0, int(n))
	}
	most := min(int(n), len(b.keep))
	b.rows, b.keep = n, b.keep[:most:most] // nothing can be appended in place
	return rest
}

// ReadAll is [Catalog.Read] for columns of any type that can be read: columns
// of lists are returned whole, in Column.List.
func (c *Catalog) ReadAll(ctx context.Context, names []string, progress func(rows int64)) ([]Column, error) {
	out := make([]format.Column, len(names))
	lists := false
	for i, name := range names {
		f, err := c.Field(name)
		if err != nil {
			return nil, err
		}
		if out[i] = format.MakeColumn(f.raw(), 0, false); f.Type == List {
			out[i], lists = *format.NewListColumn(f.raw()).Column, true
			out[i].Null, out[i].List.Elem.Null = nil, nil
		}
	}
	if !lists {
		return c.Read(ctx, names, progress)
	}
	for b, err := range c.scan(ctx, Scan{Columns: names}) {
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i].Append(&b.cols[i])
		}
		if progress != nil {
			progress(b.rows)
		}
	}
	return publicColumns(out), nil
}
