package text

import (
	"cmp"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// CSV is comma-, semicolon-, tab- or bar-separated values.
//
// The first line that is not a comment (#) has the names, or the last comment
// before data. A row of units may follow. The type of a column is the narrowest
// that keeps all of its values as they are written: bool, int64, uint64, float64,
// otherwise string. Integers with leading zeros are codes and make a column of
// strings, as do integers beyond 64 bits. Empty cells and the word null are null,
// nan is NaN (but null beside integers that float64 cannot hold).

// csvDelims are the possible delimiters.
const csvDelims = ",;\t|"

// readCSV reads up to the data.
func (s *reader) readCSV(in *head) error {
	s.setNulls("null")
	said, err := in.separator()
	if err != nil {
		return err
	}
	return s.readNamed(in, func(line string) *dialect {
		delim, _ := delimiter(line)
		delim = cmp.Or(said, delim)
		return newDialect(delim, `"`, '#', false)
	})
}

// separator goes over the line in which Excel is told the delimiter, sep=; and returns
// that, 0 where there is no such line.
func (in *head) separator() (byte, error) {
	at := *in
	line, err := in.next()
	if err == nil {
		if m := excelSeparator.FindStringSubmatch(line); m != nil {
			return m[1][0], nil
		}
	}
	if *in = at; err == io.EOF {
		err = nil // whoever reads the names says so
	}
	return 0, err
}

var excelSeparator = regexp.MustCompile(`^"?(?i:sep)=([,;:|\t ])"?$`)

// isECSV recognises ECSV.
func isECSV(start *format.Start) bool { return strings.HasPrefix(start.Lines()[0], ecsv.Prefix) }

// readECSV reads the header of ECSV, and the line of names below it.
func (s *reader) readECSV(in *head) error {
	_, comments, err := in.skipComments()
	if err == io.EOF {
		return errNoNames
	}
	if err != nil {
		return err
	}
	declared, d, err := ecsvHeader(comments)
	if err != nil {
		return err
	}
	names, err := in.row(d)
	if err != nil {
		return err
	}
	s.Columns, err = declaredFields(declared, names)
	s.header, s.notation = declared, each.Of(declared.Columns, ecsv.Column.Notation)
	s.layout = layout{delimiter: d.delim, header: names.raw, lineEnd: names.end}
	s.setNulls("null")
	s.dialect, s.declared, s.nullEmpty, s.Meta = d, true, true, declared.Meta
	if declared.Says() {
		s.Meta = append(slices.Clip(s.Meta), format.KeyValue{Key: ecsv.MetaKey, Value: declared.YAML()})
	}
	s.dataFrom(in)
	return err
}

// delimiter returns the most frequent possible delimiter outside of quotes, a
// comma where there is none, and how many there are.
func delimiter(line string) (delim byte, n int) {
	counts := map[rune]int{}
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			counts[c]++
		}
	}
	best := rune(csvDelims[0])
	for _, c := range csvDelims {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return byte(best), counts[best]
}

// errNoNames is the error for a table that ends before its names.
var errNoNames = errors.New("there is no line of column names, only comments and empty lines")

// refuseOther returns an error for files that are no tables of text.
func refuseOther(line string) error {
	switch {
	case strings.HasPrefix(line, "\xff\xfe"), strings.HasPrefix(line, "\xfe\xff"):
		return errors.New("the text is UTF-16, UTF-8 is needed: iconv -f UTF-16 -t UTF-8")
	case strings.IndexByte(line, 0) >= 0:
		return errors.New("the file is binary, not a table of text")
	case qdpErrors.MatchString(line):
		return errors.New("it is QDP with columns of errors, which is not read; astropy makes a table of it: Table.read('FILE', format='ascii.qdp', table_id=0, names=[…]).write('FILE.ecsv')")
	case strings.HasPrefix(line, "<?xml"), strings.HasPrefix(line, "<!DOCTYPE"), strings.HasPrefix(line, "<html"):
		return errors.New("the file is XML or HTML, not a table of text")
	}
	return nil
}

// qdpErrors is the line that says which columns of QDP have errors.
var qdpErrors = regexp.MustCompile(`(?i)^\s*read\s+[st]err(\s+\d+)+\s*$`)

// Outputs write tables of text.
var Outputs = []format.Output{
	{Extension: ".csv", Create: createCSV, Copies: copies},
	{Extension: ".ecsv", Create: createECSV, Copies: copiesECSV, Changes: ecsv.Changes},
	{Extension: ".mrt", Create: createMRT, Plain: true},
	{Extension: ".tbl", Also: "ipac", Create: createIPAC, Plain: true},
	{Extension: ".tex", Also: "latex", Create: createLaTeX, Plain: true},
}

// createCSV writes a table as CSV.
func createCSV(to format.Sink, fields []format.Field, opt format.WriteOptions) (format.Writer, error) {
	e := newEncoder(to, opt)
	return e, e.columns(fields)
}

// copies returns how files are copied to CSV without parsing their values: CSV
// files line by line, other formats through [format.Transcriber].
func copies(files []format.Reader) format.Copy {
	lines, texts := true, true
	for _, f := range files {
		_, ok := f.(format.Transcriber)
		texts = texts && ok
		r, ok := f.(*reader)
		lines = lines && ok && r.Name == "csv" && len(r.names) == 0 && !r.doubled()
		if lines {
			first := files[0].(*reader).layout
			lines = r.layout.header == first.header && r.layout.delimiter == first.delimiter
		}
	}
	switch {
	case lines:
		return copyLines
	case texts:
		return transcribe
	}
	return nil
}
