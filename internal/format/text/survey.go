package text

import (
	"context"
	"errors"
	"fmt"
	"io"

	"skyjoin/internal/format"
	"skyjoin/internal/par"
)

// A blockSurvey describes the rows of a block.
type blockSurvey struct {
	rows    int64
	lines   int
	columns []column
	ended   bool  // another table follows
	hashed  []int // lines of comments that look like rows
	err     error
	errLine int // line of err, counted from the start of the block
}

// survey reads all rows once: it counts them, checks that they have as many
// cells as there are columns, and finds the classes of the cells or, where
// types are declared, checks the values.
func (s *reader) survey(ctx context.Context, threads int) error {
	r, err := s.open(s.dataAt)
	if err != nil {
		return err
	}
	defer r.Close()
	in := newBlockReader(r, s.dialect)
	s.columns, s.blocks, s.Count, s.ended, s.hashed = make([]column, len(s.Columns)), nil, 0, false, s.hashedAbove
	line := s.dataLine
	surveyed := make(chan []byte, threads) // blocks whose memory can be used again
	err = par.InOrder(ctx, par.NewPool(threads), func() ([]byte, bool, error) {
		var old []byte
		select {
		case old = <-surveyed:
		default:
		}
		block, err := in.next(old)
		if err == io.EOF {
			return nil, false, nil
		}
		return block, err == nil, err
	}, func(block []byte) (blockSurvey, error) {
		b := s.surveyBlock(block)
		select {
		case surveyed <- block:
		default:
		}
		return b, nil
	}, func(b blockSurvey) error {
		if s.ended {
			return nil
		}
		if b.err != nil {
			return lineError(line+b.errLine, "%w", b.err)
		}
		s.blocks = append(s.blocks, b.rows)
		s.Count += b.rows
		for i := range b.columns {
			s.columns[i].add(&b.columns[i], line, s.Count-b.rows)
		}
		if len(b.hashed) > 0 && s.hashed == 0 {
			s.hashedLine = line + b.hashed[0]
		}
		s.hashed += len(b.hashed)
		line += b.lines
		s.ended = b.ended
		return nil
	})
	for i, c := range s.columns {
		f := &s.Columns[i]
		if s.declared {
			f.Nullable = c.seen.nullable(f.Type)
		} else {
			*f = c.seen.Apply(*f)
			if s.rules != nil && c.seen&valueClasses == 0 {
				s.rules[i].apply(f)
			}
		}
	}
	return err
}

// surveyBlock surveys the rows of a block.
func (s *reader) surveyBlock(block []byte) blockSurvey {
	b := blockSurvey{columns: make([]column, len(s.Columns))}
	sc := scanner{dialect: s.dialect, buf: block}
	if s.Name == "csv" {
		sc.wide = len(s.Columns)
	}
	check := make([]format.Column, len(s.Columns)) // a row of the declared types
	if s.declared {
		for i, f := range s.Columns {
			if f.Type == format.List {
				f = *f.Elem
			}
			check[i] = format.MakeColumn(f, 1, true)
		}
	}
	var list listText
	for {
		kind := sc.next()
		if kind == rowNone {
			b.lines, b.ended, b.hashed = sc.line, sc.ended, sc.hashed
			return b
		}
		b.errLine = sc.first
		if b.err = s.checkRow(&sc, kind); b.err != nil {
			return b
		}
		b.rows++
		for i, c := range sc.cells {
			col := &b.columns[i]
			if !s.declared {
				s.surveyCell(i, col, &sc, c, b.rows-1, &list)
			} else if s.Columns[i].Type == format.Unsupported {
				continue
			} else if s.isNull(&sc, c, i, s.Columns[i].Type) {
				col.seen |= classNull
			} else if b.err = s.checkCell(i, &check[i], &sc, c, &list); b.err != nil {
				return b
			} else if s.Columns[i].Type == format.Float64 && c.hi-c.lo > exactDigits {
				col.surveyLong(classify(sc.buf[c.lo:c.hi]), &sc, c, b.rows-1)
			}
		}
	}
}

// checkRow returns an error if a row cannot be divided into as many cells as there
// are columns.
func (s *reader) checkRow(sc *scanner, kind rowKind) error {
	switch {
	case s.Name == "arff" && sc.lo < sc.pos && sc.buf[sc.lo] == '{':
		return errors.New("the row is sparse, {index value, …}; write all values of it")
	case kind == rowUnclosed:
		return errors.New("a quote is opened in this row and never closed")
	case kind == rowGarbage:
		return fmt.Errorf("text follows the closing quote of cell %d", len(sc.cells))
	case kind == rowOutside && sc.laid != nil:
		return errors.New("its lines are not as #N and #F have them: cells of other widths, or more lines without the asterisk of apertures")
	case kind == rowOutside:
		return errors.New("text stands between the places of the columns, or goes beyond one")
	case len(sc.cells) != len(s.Columns) && sc.blanks:
		return fmt.Errorf("the row has %s between blanks, there are %s; a table whose cells are below each other, some empty, is --format fixed", counted(len(sc.cells), "cell"), counted(len(s.Columns), "column"))
	case len(sc.cells) == 1 && len(s.Columns) > 1 && sc.spans == nil:
		return fmt.Errorf("the row has 1 cell, %s; there are %s", format.Clip(sc.text(sc.cells[0])), counted(len(s.Columns), "column"))
	case len(sc.cells) != len(s.Columns):
		return fmt.Errorf("the row has %s, there are %s", counted(len(sc.cells), "cell"), counted(len(s.Columns), "column"))
	}
	return nil
}

// checkCell returns an error if a cell is not a value of the declared type. scratch
// is a column of one row of the type, or of the type of the elements of lists.
func (s *reader) checkCell(i int, scratch *format.Column, sc *scanner, c rawCell, list *listText) error {
	f := &s.Columns[i]
	if f.Type != format.List {
		if err := s.decode(scratch, 0, sc.buf[c.lo:c.hi]); err != nil {
			return fmt.Errorf("column %s has %q, which is no %s", f.Name, format.Clip(sc.text(c)), f.Type)
		}
		return nil
	}
	err := s.readList(list, sc, c, i)
	for _, one := range list.items {
		if err == nil && !one.null && scratch.String == nil {
			err = s.decode(scratch, 0, one.text)
		}
	}
	if err != nil {
		return fmt.Errorf("column %s has %q, which is no list of %s", f.Name, format.Clip(string(list.buf)), f.Elem.Type)
	}
	return nil
}

// surveyCell adds the cell of a row, of column i, to the survey of the column.
func (s *reader) surveyCell(i int, col *column, sc *scanner, c rawCell, row int64, list *listText) {
	if s.isNull(sc, c, i, format.String) {
		col.seen |= classNull
		return
	}
	if c.lo == c.hi {
		col.seen |= classEmpty
		return
	}
	var found class
	if s.rules != nil && s.rules[i].kind != anything {
		found = s.rules[i].classify(sc.buf[c.lo:c.hi])
	} else if found = classify(sc.buf[c.lo:c.hi]); found == classText {
		found = list.classify(sc.buf[c.lo:c.hi])
	}
	col.seen |= found
	col.surveyLong(found, sc, c, row)
	if found == classText {
		if col.text++; col.text == 1 {
			col.badLine, col.bad = sc.first, sc.text(c)
		}
	}
}

// exactDigits is how many digits of an integer float64 holds, whatever they are.
const exactDigits = 15

// surveyLong keeps the first integer that float64 does not hold.
func (c *column) surveyLong(found class, sc *scanner, cell rawCell, row int64) {
	if found&(classWide|classHuge) != 0 && c.long == "" && inexact(sc.buf[cell.lo:cell.hi]) {
		c.longRow, c.long = row, sc.text(cell)
	}
}

// counted is a number of things, as in "1 cell".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
