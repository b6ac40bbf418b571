package text

import (
	"context"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// csvExtensions are the names that CSV and ECSV files end in.
var csvExtensions = []string{".csv", ".tsv", ".ecsv", ".txt", ".csv.gz", ".tsv.gz", ".ecsv.gz", ".txt.gz"}

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
	Extensions: csvExtensions,
	Sniff: func(path string, head []byte) bool {
		return format.HasExtension(path, csvExtensions) || strings.HasPrefix(string(head), ecsv.Prefix)
	},
	Open: openCSV,
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
	s := &reader{path: path, name: "csv", dialect: h.dialect, fields: h.fields}
	s.setNulls("null", opt.Null)
	s.layout = layout{delimiter: h.dialect.delim, comments: h.comments, header: h.names.raw, lineEnd: h.names.end}
	if h.declared != nil {
		s.name, s.declared, s.nullEmpty, s.meta = "ecsv", true, true, h.declared.Meta
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
					s.fields[i].Unit = c
				}
			}
			s.layout.units = h.first.raw
			return s, nil
		}
	}
	s.dataAt, s.dataLine = h.first.lo, h.first.line
	return s, s.survey(ctx, opt.Threads)
}
