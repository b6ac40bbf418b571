package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// A columnSurvey is what the cells of a column are, in a block or in all.
type columnSurvey struct {
	seen    cellClass
	text    int64 // cells of classText
	badLine int   // line of the first of them, counted from the start of the block
	bad     string
}

// add appends the survey of a block whose first line is number base.
func (c *columnSurvey) add(b *columnSurvey, base int) {
	if c.text == 0 && b.text > 0 {
		c.badLine, c.bad = base+b.badLine, b.bad
	}
	c.seen |= b.seen
	c.text += b.text
}

// notNumeric says which cell keeps a column that has numbers from being one of
// numbers, "" if there is none.
func (c *columnSurvey) notNumeric() string {
	if c.text == 0 || c.seen&classNumber == 0 {
		return ""
	}
	return fmt.Sprintf("line %d has %q", c.badLine, clip(c.bad))
}

// A blockSurvey is what a block holds.
type blockSurvey struct {
	index   int
	rows    int64
	lines   int
	columns []columnSurvey
	err     error
	errLine int // line of err, counted from the start of the block
}

// survey reads all rows once: it counts them, checks that they have as many
// cells as there are columns, and finds the classes of the cells or, where
// types are declared, checks the values.
func (s *textSource) survey(ctx context.Context, threads int) error {
	r, err := openText(s.path, s.dataAt)
	if err != nil {
		return err
	}
	defer r.Close()
	in := newBlockReader(r, s.dialect)
	found := make([][]blockSurvey, threads)
	err = par.NewPool(threads).Run(ctx, threads, func(worker int) error {
		return in.each(ctx, func(block []byte, index int) error {
			b := s.surveyBlock(block, index)
			found[worker] = append(found[worker], b)
			if b.err != nil {
				in.stop() // the blocks before this one are taken: the first error wins
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	blocks := slices.Concat(found...)
	slices.SortFunc(blocks, func(a, b blockSurvey) int { return a.index - b.index })
	s.columns, s.blocks, s.n = make([]columnSurvey, len(s.field)), nil, 0
	line := s.dataLine
	for i := range blocks {
		b := &blocks[i]
		if b.err != nil {
			return textError(line+b.errLine, "%w", b.err)
		}
		s.blocks = append(s.blocks, blockRows{first: s.n, n: b.rows})
		s.n += b.rows
		for j := range b.columns {
			s.columns[j].add(&b.columns[j], line)
		}
		line += b.lines
	}
	s.setTypes()
	return nil
}

// surveyBlock surveys the rows of a block.
func (s *textSource) surveyBlock(block []byte, index int) blockSurvey {
	b := blockSurvey{index: index, columns: make([]columnSurvey, len(s.field))}
	sc := rowScanner{dialect: s.dialect, buf: block}
	check := make([]format.Column, len(s.field)) // a row of the declared types
	if s.declared {
		for i, f := range s.field {
			if f.Type == format.List {
				f = *f.Elem
			}
			check[i] = format.MakeColumn(f, 1, true)
		}
	}
	var list []byte
	for {
		kind := sc.next()
		if kind == rowNone {
			b.lines = sc.line
			return b
		}
		b.errLine = sc.first
		if b.err = s.checkRow(&sc, kind); b.err != nil {
			return b
		}
		b.rows++
		for i, c := range sc.cells {
			if s.declared && s.field[i].Type == format.Unsupported {
				continue
			}
			if !s.declared {
				s.surveyCell(&b.columns[i], &sc, c)
			} else if s.isNull(&sc, c, s.field[i].Type) {
				b.columns[i].seen |= classNull
			} else if f := s.field[i]; f.Type == format.List {
				list = cellBytes(&sc, c, list)
				if err := s.checkList(list, &check[i]); err != nil {
					b.err = fmt.Errorf("column %s has %q, which is no list of %s", f.Name, clip(string(list)), f.Elem.Type)
					return b
				}
			} else if err := s.decode(&check[i], 0, &sc, c); err != nil {
				b.err = fmt.Errorf("column %s has %q, which is no %s", s.field[i].Name, clip(sc.text(c)), s.field[i].Type)
				return b
			}
		}
	}
}

// checkRow reports a row that cannot be divided into as many cells as there
// are columns.
func (s *textSource) checkRow(sc *rowScanner, kind rowKind) error {
	switch {
	case s.name == "arff" && sc.lo < sc.pos && sc.buf[sc.lo] == '{':
		return errors.New("the row is sparse, {index value, …}; write all values of it")
	case kind == rowUnclosed:
		return errors.New("a quote is opened in this row and never closed")
	case kind == rowGarbage:
		return fmt.Errorf("text follows the closing quote of cell %d", len(sc.cells))
	case len(sc.cells) != len(s.field):
		return fmt.Errorf("the row has %s, there are %s", counted(len(sc.cells), "cell"), counted(len(s.field), "column"))
	}
	return nil
}

// surveyCell adds a cell to the survey of its column.
func (s *textSource) surveyCell(col *columnSurvey, sc *rowScanner, c cell) {
	if s.isNull(sc, c, format.String) {
		col.seen |= classNull
		return
	}
	if c.lo == c.hi {
		col.seen |= classEmpty
		return
	}
	class := classify(sc.buf[c.lo:c.hi])
	if class == classText {
		class = classifyList(sc.buf[c.lo:c.hi])
	}
	col.seen |= class
	if class == classText {
		if col.text++; col.text == 1 {
			col.badLine, col.bad = sc.first, sc.text(c)
		}
	}
}

// counted is a number of things, as in "1 cell".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
