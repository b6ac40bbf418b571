package catalog

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"skyjoin/internal/expr"
	"skyjoin/internal/format"
)

// A Scan says what [Catalog.Scan] reads.
type Scan struct {
	Columns []string // of any type that can be read; lists are whole
	Where   string   // row filter, "" none
	Rows    int      // of every block but the last; 0 for what is convenient
}

// A Block is consecutive rows of a catalog.
type Block struct {
	First   int64    // row of the catalog
	Rows    int64    // how many
	Keep    []bool   // rows that the filter keeps; nil without a filter
	Columns []Column // those of the scan, of all rows of the block
}

// Scan reads columns a block of rows after the other, in order, so that memory
// does not grow with the catalog. Values are those of [Catalog.ReadAll]. Rows
// that the statistics of the files exclude from the filter have the zero
// values. A block is the caller's to keep. The scan ends after the first error.
func (c *Catalog) Scan(ctx context.Context, s Scan) iter.Seq2[*Block, error] {
	return func(yield func(*Block, error) bool) {
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

// A scanner carries out a scan.
type scanner struct {
	c      *Catalog
	names  []string       // that are asked for
	stored []string       // what is read of the files
	fields []format.Field // of stored
	refs   []format.Ref
	place  map[string]int // of a name in the columns of a block: stored, then derived
	derive []string       // derived columns, each after those it needs
	filter *expr.Program
	except spans // rows that the filter cannot keep
}

func (c *Catalog) newScanner(s Scan) (*scanner, error) {
	p := &scanner{c: c, names: s.Columns, place: map[string]int{}}
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

// want adds a column, and what it is derived from, to what is read.
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
func (p *scanner) blocks(ctx context.Context) iter.Seq2[*Block, error] {
	return func(yield func(*Block, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		ready := make(chan *Block, 1)
		done := make(chan error, 1)
		go func() {
			defer close(ready)
			done <- p.run(ctx, func(b *Block) error {
				select {
				case ready <- b:
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			})
		}()
		defer func() { // no goroutine stays behind
			cancel()
			for range ready {
			}
		}()
		for b := range ready {
			if !yield(b, nil) {
				return
			}
		}
		if err := <-done; err != nil {
			yield(nil, err)
		}
	}
}

// run passes the blocks on.
func (p *scanner) run(ctx context.Context, visit func(*Block) error) error {
	row := int64(0)
	for file, s := range p.c.sources {
		first := p.c.first[file]
		if row != first {
			return fmt.Errorf("%s: %w", p.c.files[file-1].Path, format.ErrChanged)
		}
		w := format.Flow{Fields: p.fields, Pool: p.c.pool, Sentinels: len(p.c.null) > 0}
		for _, r := range p.refs {
			w.Refs = append(w.Refs, p.c.inFile(file, r))
		}
		if p.except != nil {
			w.Skip = func(at, n int64) bool { return p.except.covers(first+at, n) }
		}
		var visiting error // not of the file
		w.Visit = func(n int64, cols []format.Column) error {
			b := &Block{First: row, Rows: n}
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

// finish makes a block of what was read: it marks sentinels, derives columns
// and filters. read is nil for rows that the filter cannot keep.
func (p *scanner) finish(b *Block, read []format.Column) error {
	if read == nil {
		w := format.Flow{Fields: p.fields}
		read = w.Columns(b.Rows)
		for i := range read {
			for l := (format.ListColumn{Column: &read[i]}); l.List != nil && int64(len(l.Null)) < b.Rows; {
				l.End(false)
			}
		}
	}
	cols := publicColumns(read)
	for i := range cols {
		cols[i].Null = anyNull(cols[i].Null)
		if cols[i].List != nil {
			cols[i].List.Elem.Null = anyNull(cols[i].List.Elem.Null)
			continue
		}
		cols[i].applySentinels(p.c.null)
	}
	for _, name := range p.derive {
		program := p.c.program(name)
		v, err := program.Eval(p.vectors(program, cols), b.First, int(b.Rows))
		if err != nil {
			return p.c.definitionError(name, err)
		}
		cols = append(cols, derivedColumn(p.c.fields[p.c.index[name]], v, b.Rows))
	}
	if p.filter != nil {
		b.Keep = make([]bool, b.Rows)
		if !p.except.covers(b.First, b.Rows) {
			if err := p.filter.Filter(p.vectors(p.filter, cols), b.First, b.Keep); err != nil {
				return whereError(p.filter.String(), err)
			}
			for _, s := range p.except {
				lo, hi := max(s.lo-b.First, 0), min(s.hi-b.First, b.Rows)
				if lo < hi {
					clear(b.Keep[lo:hi])
				}
			}
		}
	}
	for _, name := range p.names {
		b.Columns = append(b.Columns, cols[p.place[name]])
	}
	return nil
}

// vectors are the columns of a program.
func (p *scanner) vectors(program *expr.Program, cols []Column) []expr.Vector {
	var out []expr.Vector
	for _, name := range program.Columns() {
		c := &cols[p.place[name]]
		out = append(out, c.vector(0, int64(c.Len())))
	}
	return out
}

// derivedColumn is the values of a definition as a column.
func derivedColumn(f Field, v expr.Vector, n int64) Column {
	c := Column{Field: f, Float64: v.Float64, Int64: v.Int64, Uint64: v.Uint64, Bool: v.Bool, String: v.String, Null: anyNull(v.Null)}
	for i, null := range c.Null {
		if null {
			c.setNull(i)
		}
	}
	return c
}

// regroup makes blocks of exactly so many rows, but for the last.
func regroup(blocks iter.Seq2[*Block, error], rows int) iter.Seq2[*Block, error] {
	return func(yield func(*Block, error) bool) {
		var have *Block // fewer than rows
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
			for have.Rows >= int64(rows) {
				rest := have.cut(int64(rows))
				if !yield(have, nil) {
					return
				}
				have = rest
			}
			if have.Rows == 0 {
				have = nil
			}
		}
		if have != nil {
			yield(have, nil)
		}
	}
}

// append adds the rows of the block that follows.
func (b *Block) append(more *Block) {
	for i := range b.Columns {
		b.Columns[i].append(&more.Columns[i])
	}
	b.Keep = append(b.Keep, more.Keep...)
	b.Rows += more.Rows
}

// cut shortens b to the first n rows and returns the others.
func (b *Block) cut(n int64) *Block {
	rest := &Block{First: b.First + n, Rows: b.Rows - n, Keep: b.Keep[min(int(n), len(b.Keep)):]}
	for i := range b.Columns {
		c := &b.Columns[i]
		rest.Columns = append(rest.Columns, c.Slice(int(n), int(b.Rows)))
		*c = c.Slice(0, int(n))
	}
	most := min(int(n), len(b.Keep))
	b.Rows, b.Keep = n, b.Keep[:most:most] // nothing can be appended in place
	return rest
}
