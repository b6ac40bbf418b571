package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"skyjoin/internal/format"
)

// A textSource is a file of rows of text: CSV, ECSV or ARFF. Opening it reads
// it once, to count rows and find the types; every read decodes the columns
// asked for from the text again.
type textSource struct {
	path     string
	name     string // of the format
	dialect  *dialect
	field    []format.Field
	meta     []format.KeyValue
	layout   TextLayout
	declared bool // types are those of the file, not found from the values

	nullWord  string    // what null is written as, in any case, without quotes
	nullEmpty bool      // an empty text in quotes is null too
	sentinels []string  // texts that are null besides
	nullFirst [256]bool // first bytes of those

	dataAt   int64 // byte offset of the data rows, in the decompressed text
	dataLine int   // its line number
	blocks   []blockRows
	n        int64
	columns  []columnSurvey
}

// blockRows are the rows of a block.
type blockRows struct{ first, n int64 }

// csvExtensions are the names that CSV files end in.
var csvExtensions = []string{".csv", ".tsv", ".ecsv", ".txt", ".csv.gz", ".tsv.gz", ".ecsv.gz", ".txt.gz"}

// isCSV reports whether a file is taken for CSV: by its name, or because it
// starts as ECSV does.
func isCSV(path string, head []byte) bool {
	return format.HasExtension(path, csvExtensions) || isECSV(string(head[:min(len(head), len("# %ECSV"))]))
}

// openCSV opens a file of comma-, semicolon-, tab- or bar-separated values.
//
// The first line that is not a comment (#) has the names. A row of units may
// follow. The type of a column is the narrowest that keeps all of its values
// as they are written: bool, int64, uint64, float64, otherwise string. Integers
// with leading zeros are codes and make a column of strings, as do integers
// beyond 64 bits. Empty cells and the word null are null, nan is NaN (but null
// beside integers that float64 cannot hold).
func openCSV(ctx context.Context, path string, opt format.Options) (format.Reader, error) {
	r, err := openText(path, 0)
	if err != nil {
		return nil, err
	}
	h, d, err := readCSVHeader(r)
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	s := &textSource{path: path, name: "csv", dialect: d, field: h.fields}
	s.setNulls("null", opt.Null)
	s.layout = TextLayout{Delimiter: d.delim, Comments: h.comments, Header: h.names.raw, LineEnd: h.names.end}
	if h.declared != nil {
		s.name, s.declared, s.nullEmpty = "ecsv", true, true
		for _, kv := range h.declared.Meta {
			s.meta = append(s.meta, format.KeyValue(kv))
		}
	} else if len(h.comments) > 0 {
		s.meta = []format.KeyValue{{Key: "comments", Value: strings.Join(h.comments, "\n")}}
	}
	// A row that may be units is left out of the survey, which then tells.
	if units := h.first.cells; !s.declared && len(units) == len(h.fields) && mayBeUnits(units) {
		s.dataAt, s.dataLine = h.first.hi, h.first.line+h.first.lines
		if err := s.survey(ctx, opt.Threads); err != nil {
			return nil, err
		}
		if areUnits(units, s.columns) {
			for i, c := range units {
				if !noUnit[c] {
					s.field[i].Unit = c
				}
			}
			s.layout.Units = h.first.raw
			return s, nil
		}
	}
	s.dataAt, s.dataLine = h.first.lo, h.first.line
	return s, s.survey(ctx, opt.Threads)
}

// setNulls says what is null besides empty cells.
func (s *textSource) setNulls(word string, sentinels []string) {
	s.nullWord, s.sentinels = word, sentinels
	for _, w := range append([]string{word, strings.ToUpper(word)}, sentinels...) {
		if w != "" {
			s.nullFirst[w[0]] = true
		}
	}
}

// setTypes gives the columns the types that the survey found.
func (s *textSource) setTypes() {
	for i := range s.field {
		f, c := &s.field[i], &s.columns[i]
		if !s.declared {
			infer(f, c.seen)
			continue
		}
		f.Nullable = nullable(c.seen, f.Type)
	}
}

func (s *textSource) Format() string              { return s.name }
func (s *textSource) Fields() []format.Field      { return s.field }
func (s *textSource) Rows() int64                 { return s.n }
func (s *textSource) Metadata() []format.KeyValue { return s.meta }

func (s *textSource) Check(r format.Ref) error {
	if f := s.field[r.Field]; f.Type == format.Unsupported {
		return format.Requestf("column %s is %s, which cannot be read", f.Name, cmp.Or(f.Text, "of no type"))
	}
	return nil
}

func (s *textSource) NotNumeric(field int) string { return s.columns[field].notNumeric() }

// isNull reports whether a cell is null in a column of type t.
func (s *textSource) isNull(sc *rowScanner, c cell, t format.Type) bool {
	if c.lo == c.hi {
		return !c.quoted || s.nullEmpty || t != format.String
	}
	b := sc.buf[c.lo:c.hi]
	if !s.nullFirst[b[0]] {
		return false
	}
	if !c.quoted && fold(b, s.nullWord) {
		return true
	}
	return s.isSentinel(b)
}

// isSentinel reports whether the text of a cell is one of those that are null
// because the user says so.
func (s *textSource) isSentinel(b []byte) bool {
	for _, w := range s.sentinels {
		if string(b) == w {
			return true
		}
	}
	return false
}

// errChanged is a file that differs from what it was when it was opened.
var errChanged = errors.New("the file changed while it was read")

// read implements source.
func (s *textSource) Read(ctx context.Context, j format.Job) error {
	r, err := openText(s.path, s.dataAt)
	if err != nil {
		return err
	}
	defer r.Close()
	in := newBlockReader(r, s.dialect)
	return j.Pool.Run(ctx, j.Pool.Workers(len(s.blocks)), func(int) error {
		return in.each(ctx, func(block []byte, index int) error {
			if index >= len(s.blocks) {
				return format.ErrChanged
			}
			b := s.blocks[index]
			if j.Skip == nil || !j.Skip(b.first, b.n) {
				if err := s.readBlock(block, b, &j); err != nil {
					return err
				}
			}
			j.Add(b.n)
			return nil
		})
	})
}

// readBlock decodes the columns of a block.
func (s *textSource) readBlock(block []byte, rows blockRows, j *format.Job) error {
	sc := rowScanner{dialect: s.dialect, buf: block}
	texts := make([]textArena, len(j.Refs))
	var list []byte
	var n int64
	for ; sc.next() == rowData; n++ {
		if n == rows.n || len(sc.cells) != len(s.field) {
			return format.ErrChanged
		}
		at := int(j.At + rows.first + n)
		for i, r := range j.Refs {
			dst, c := j.Dst[i], sc.cells[r.Field]
			switch {
			case dst.List != nil:
				l, null := format.ListColumn{Column: dst}, s.isNull(&sc, c, format.List)
				if !null {
					list = cellBytes(&sc, c, list)
					if err := s.appendList(list, l); err != nil {
						return fmt.Errorf("column %s: %w", s.field[r.Field].Name, err)
					}
				}
				l.End(null)
			case s.isNull(&sc, c, dst.Field.Type):
				if !s.setNull(dst, at) {
					return format.ErrChanged
				}
				if dst.Sentinels != nil && s.isSentinel(sc.buf[c.lo:c.hi]) {
					dst.Sentinels[at] = true
				}
			case r.Elem >= 0:
				list = cellBytes(&sc, c, list)
				found, err := s.readElement(list, r.Elem, dst, at, &texts[i])
				if err != nil || !found && !s.setNull(dst, at) {
					return format.ErrChanged
				}
			case dst.String != nil:
				texts[i].add(&sc, c, at)
			default:
				if s.decode(dst, at, &sc, c) != nil {
					return format.ErrChanged
				}
			}
		}
	}
	if n != rows.n {
		return format.ErrChanged
	}
	for i := range texts {
		texts[i].flush(j.Dst[i].String)
	}
	return nil
}

// setNull makes a row null, if there is room for nulls.
func (s *textSource) setNull(dst *format.Column, row int) bool {
	if dst.Null == nil {
		return false
	}
	dst.SetNull(row)
	return true
}

// decode puts a cell that is not null into a row of a column that does not hold
// strings. The value is parsed as the column's type, which may be wider than
// the file's own.
func (s *textSource) decode(dst *format.Column, row int, sc *rowScanner, c cell) error {
	return s.decodeText(dst, row, sc.buf[c.lo:c.hi])
}

// decodeText is decode for the text of a cell, or of an element of a list.
func (s *textSource) decodeText(dst *format.Column, row int, b []byte) error {
	var err error
	switch {
	case dst.Float64 != nil:
		dst.Float64[row], err = parseFloat(b)
	case dst.Float32 != nil:
		dst.Float32[row], err = parseFloat32(b)
	case isNaNWord(b) && !dst.Field.Type.IsFloat() && dst.String == nil:
		if s.declared || !s.setNull(dst, row) {
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
