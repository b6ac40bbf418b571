package text

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// A reader is a table of text. Opening it reads the file once, to count rows and
// find or check the types; every read parses the requested columns anew.
type reader struct {
	format.Head
	source
	forced   bool     // the user says that it has this form
	names    []string // of the columns, where the user gives them
	dialect  *dialect
	layout   layout
	declared bool            // types are those of the file, not found from the values
	rules    []rule          // what the file says of the values of its columns; nil if it does not
	header   *ecsv.Header    // of ECSV; nil of other forms
	notation []ecsv.Notation // of the columns of ECSV; nil of other forms
	notes    []string

	nullWords []string  // what null is written as, in any case, without quotes
	nullEmpty bool      // an empty text in quotes is null too
	sentinels []string  // texts that are null besides
	nullFirst [256]bool // first bytes of those

	namesLine   int       // line that has the names
	units       headerRow // a row before the data that may have the units
	dataAt      int64     // byte offset of the data rows, in the decompressed text
	dataLine    int       // its line number
	blocks      []int64   // rows of each block
	ended       bool      // another table follows, which is not read
	hashed      int       // comments of CSV that look like rows
	hashedLine  int       // of the first of them
	hashedAbove int       // of them, those above the rows
	columns     []column
}

// A rule is what a file says of the values of a column.
type rule struct {
	kind kind
	null string // a text that is null, "" if there is none
}

// A kind says what values are, where a file tells that but not their type.
type kind uint8

const (
	anything  kind = iota // found from the values
	asText                // codes of digits, too
	asInteger             // with leading zeros, too
	asFloat               // as integer, and never a column of integers
)

// A layout is how a CSV file looks around its data rows. None of the lines has
// its line end.
type layout struct {
	delimiter byte     // between cells
	comments  []string // comment lines before the names
	header    string   // the line of names; a comment (#…) if the file has them in one
	between   []string // comment lines between the names and the next row
	units     string   // the row of units, "" if there is none
	lineEnd   string   // of the header: "\n", "\r\n" or "\r"; "" if the file ends with it
}

// setNulls sets the cells that are null besides empty ones: words in any case.
func (s *reader) setNulls(words ...string) {
	s.nullWords = words
	for _, w := range words {
		s.nullFirst[w[0]], s.nullFirst[strings.ToUpper(w)[0]] = true, true
	}
}

// setSentinels sets texts that are null besides.
func (s *reader) setSentinels(texts []string) {
	s.sentinels = texts
	for _, w := range texts {
		if w != "" {
			s.nullFirst[w[0]] = true
		}
	}
}

// Notes implements [format.Noter].
func (s *reader) Notes() []string { return s.notes }

// notef adds a note on how the file is read.
func (s *reader) notef(text string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(text, args...))
}

// NotNumeric implements [format.Explainer].
func (s *reader) NotNumeric(field int) string { return s.columns[field].notNumeric() }

// Inexact implements [format.Explainer].
func (s *reader) Inexact(field int) (row int64, value string) {
	return s.columns[field].longRow, s.columns[field].long
}

// Inferred implements [format.Inferrer].
func (s *reader) Inferred(field int) format.Inference {
	if s.declared {
		return nil
	}
	return s.columns[field].seen
}

// isNull reports whether the cell of a column, read as type t, is null.
func (s *reader) isNull(sc *scanner, c rawCell, column int, t format.Type) bool {
	if c.lo == c.hi {
		return !c.quoted || s.nullEmpty || t != format.String
	}
	b := sc.buf[c.lo:c.hi]
	if s.rules != nil && s.rules[column].isNull(b) {
		return true
	}
	if !s.nullFirst[b[0]] {
		return false
	}
	if s.notation != nil && s.notation[column] == ecsv.Plain && t == format.String { // ECSV has "" alone for null
		return s.isSentinel(b)
	}
	for _, w := range s.nullWords {
		if !c.quoted && fold(b, w) {
			return true
		}
	}
	return s.isSentinel(b)
}

// isNull reports whether a text is the null of the column: numbers by value.
func (r *rule) isNull(b []byte) bool {
	switch {
	case r.null == "":
		return false
	case string(b) == r.null:
		return true
	case r.kind == asText:
		return false
	case r.null[0] == '-' && strings.Trim(r.null, "-") == "": // a dash stands for any number of them
		return len(bytes.Trim(b, "-")) == 0
	}
	null, err := parseFloat([]byte(r.null))
	if err != nil {
		return false
	}
	v, err := parseFloat(b)
	return err == nil && v == null
}

// classify returns the class of a cell that is not null and not a list.
func (r *rule) classify(b []byte) class {
	if r.kind == asText {
		return classText
	}
	found := classify(withoutZeros(b))
	if r.kind == asFloat && (found&classNumber != 0 || found == classText && isFortran(b)) {
		return classFloat
	}
	return found
}

// apply gives a column without values the type that the file says.
func (r *rule) apply(f *format.Field) {
	switch r.kind {
	case asText:
		f.Type = format.String
	case asInteger:
		f.Type = format.Int64
	default:
		return
	}
	f.Text = f.Type.String()
}

// isSentinel reports whether the text of a cell is a sentinel.
func (s *reader) isSentinel(b []byte) bool {
	for _, w := range s.sentinels {
		if string(b) == w {
			return true
		}
	}
	return false
}

// Read implements [format.Reader].
func (s *reader) Read(ctx context.Context, j format.Job) error {
	return s.withBlocks(j.Refs, func(b *format.Blocks[[]byte]) error { return b.Read(ctx, j) })
}

// Flow implements [format.Reader].
func (s *reader) Flow(ctx context.Context, w format.Flow) error {
	return s.withBlocks(w.Refs, func(b *format.Blocks[[]byte]) error { return b.Flow(ctx, w) })
}

// withBlocks opens the file and calls do with its rows.
func (s *reader) withBlocks(refs []format.Ref, do func(*format.Blocks[[]byte]) error) error {
	r, err := s.open(s.dataAt)
	if err != nil {
		return err
	}
	defer r.Close()
	in, index := newBlockReader(r, s.dialect), 0
	return do(&format.Blocks[[]byte]{
		Next: func(old []byte) ([]byte, int64, error) {
			block, err := in.next(old)
			if err == nil && index == len(s.blocks) {
				if err = format.ErrChanged; s.ended {
					err = io.EOF
				}
			}
			if err != nil {
				return nil, 0, err
			}
			index++
			return block, s.blocks[index-1], nil
		},
		Decode: func(block []byte, rows int64, cols []format.Column) error {
			return s.decodeBlock(block, rows, refs, cols)
		},
	})
}

// decodeBlock decodes the columns of a block. As values were checked when the file
// was opened, any error means that it has changed.
func (s *reader) decodeBlock(block []byte, rows int64, refs []format.Ref, cols []format.Column) error {
	sc := scanner{dialect: s.dialect, buf: block}
	texts := make([]format.Texts, len(refs))
	var list listText
	var i int // column of the list
	var err error
	put := func(to *format.Column, row, k int) bool {
		one := list.items[k]
		switch {
		case one.null:
		case to.String != nil:
			texts[i].Add(one.text, row)
		case err == nil:
			err = s.decode(to, row, one.text)
		}
		return !one.null
	}
	row := 0
	for ; sc.next() == rowData; row++ {
		if int64(row) == rows || len(sc.cells) != len(s.Columns) {
			return format.ErrChanged
		}
		for k, r := range refs {
			dst, c := &cols[k], sc.cells[r.Field]
			switch {
			case s.isNull(&sc, c, r.Field, dst.Field.Type):
				err = format.PutNull(dst, row)
				if dst.Sentinels != nil && s.isSentinel(sc.buf[c.lo:c.hi]) {
					dst.Sentinels[row] = true
				}
			case dst.List != nil || r.Elem >= 0:
				i = k
				if err = s.readList(&list, &sc, c, r.Field); err == nil {
					err = cmp.Or(format.PutCell(dst, row, r.Elem, len(list.items), put), err)
				}
			case s.notation != nil && s.notation[r.Field] == ecsv.JSON:
				text := fromJSON(sc.unescape(nil, c))
				if text == nil {
					err = format.PutNull(dst, row)
				} else {
					texts[k].Add(text, row)
				}
			case dst.String != nil:
				texts[k].Bytes = sc.unescape(texts[k].Bytes, c)
				texts[k].End(row)
			default:
				err = s.decode(dst, row, sc.buf[c.lo:c.hi])
			}
			if err != nil {
				return format.ErrChanged
			}
		}
	}
	if int64(row) != rows {
		return format.ErrChanged
	}
	for i := range texts {
		texts[i].Flush(&cols[i])
	}
	return nil
}

// decode parses the text of a cell or of an element of a list, which is not null,
// into a row of a column that does not hold strings. The type is that of the
// column, which may be wider than that of the file.
func (s *reader) decode(dst *format.Column, row int, b []byte) (err error) {
	switch {
	case dst.Float64 != nil:
		dst.Float64[row], err = parseFloat(b)
	case dst.Float32 != nil:
		dst.Float32[row], err = parseFloat32(b)
	case isNaNWord(b) && dst.String == nil:
		if s.declared || format.PutNull(dst, row) != nil {
			err = fmt.Errorf("nan is no %s", dst.Field.Type)
		}
	case dst.Int64 != nil:
		dst.Int64[row], err = parseInt(b, dst.Field.Type.Bits())
	case dst.Uint64 != nil:
		dst.Uint64[row], err = parseUint(b, -dst.Field.Type.Bits())
	case dst.Bool != nil:
		dst.Bool[row], err = parseBool(b)
	}
	return err
}

// rawRows yields the bytes of each data row without the line end, in order.
// Comments and empty lines between rows are left out. The bytes are valid until
// the next step.
func (s *reader) rawRows(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		rows := int64(0)
		err := s.withBlocks(nil, func(in *format.Blocks[[]byte]) error {
			for block, n, err := in.Next(nil); err != io.EOF; block, n, err = in.Next(block) {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					return err
				}
				rows += n
				sc := scanner{dialect: s.dialect, buf: block}
				for ; sc.next() == rowData; n-- {
					if !yield(bytes.TrimRight(block[sc.lo:sc.pos], "\r\n"), nil) {
						return io.EOF
					}
				}
				if n != 0 {
					return format.ErrChanged
				}
			}
			if rows != s.Count {
				return format.ErrChanged
			}
			return nil
		})
		if err != nil && err != io.EOF {
			yield(nil, err)
		}
	}
}
