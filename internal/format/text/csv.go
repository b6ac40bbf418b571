package text

import (
	"bytes"
	"context"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// CSV reads comma-, semicolon-, tab- or bar-separated values, and ECSV.
//
// The first line that is not a comment (#) has the names. A row of units may
// follow. The type of a column is the narrowest that keeps all of its values
// as they are written: bool, int64, uint64, float64, otherwise string. Integers
// with leading zeros are codes and make a column of strings, as do integers
// beyond 64 bits. Empty cells and the word null are null, nan is NaN (but null
// beside integers that float64 cannot hold).
var CSV = format.Input{
	Name:       "csv",
	Extensions: []string{".csv", ".tsv", ".ecsv", ".txt", ".csv.gz", ".tsv.gz", ".ecsv.gz", ".txt.gz"},
	Sniff:      func(head []byte) bool { return bytes.HasPrefix(head, []byte(ecsv.Prefix)) },
	Open:       openCSV,
}

// Outputs write CSV and ECSV.
var Outputs = []format.Output{
	{Extension: ".csv", Create: createCSV, Copies: copies},
	{Extension: ".ecsv", Create: createECSV},
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
		lines = lines && ok && r.Name == "csv"
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

func openCSV(ctx context.Context, path string, opt format.Options) (format.Reader, error) {
	var h *header
	err := parseHead(path, func(in *head) error {
		h = &header{}
		return h.read(in)
	})
	if err != nil {
		return nil, err
	}
	s := &reader{Head: format.Head{Name: "csv", Columns: h.fields}, path: path, dialect: h.dialect}
	s.setNulls("null", opt.Null)
	s.layout = layout{delimiter: h.dialect.delim, comments: h.comments, header: h.names.raw, lineEnd: h.names.end}
	if h.declared != nil {
		s.Name, s.declared, s.nullEmpty, s.Meta = "ecsv", true, true, h.declared.Meta
	} else if len(h.comments) > 0 {
		s.Meta = []format.KeyValue{{Key: "comments", Value: strings.Join(h.comments, "\n")}}
	}
	// A row that may be units is left out of the survey, which then decides.
	if units := h.first.cells; !s.declared && len(units) == len(h.fields) && mayBeUnits(units) {
		s.dataAt, s.dataLine = h.first.hi, h.first.line+h.first.lines
		if err := s.survey(ctx, opt.Threads); err != nil {
			return nil, err
		}
		if areUnits(units, s.columns) {
			for i, c := range units {
				if !noUnit[c] {
					s.Columns[i].Unit = c
				}
			}
			s.layout.units = h.first.raw
			return s, nil
		}
	}
	s.dataAt, s.dataLine = h.first.lo, h.first.line
	return s, s.survey(ctx, opt.Threads)
}
