package text

import (
	"context"
	"slices"
	"strings"

	"skyjoin/internal/format"
)

// A form is a way to write tables as text.
type form struct {
	name       string
	also       []string
	extensions []string
	// sniff reports whether a file is of the form; nil if only its name tells.
	sniff func(start *format.Start) bool
	// head reads up to the data: columns, dialect, nulls, metadata.
	head func(s *reader, in *head) error
	// translate returns a whole file as CSV, of which head is then the start, and units; nil: it
	// is read as it is.
	translate func(text string) (csv string, units []string, err error)
	// named reports that columns can be given names.
	named bool
}

// forms are the ways to write tables as text. The first that recognises a file
// opens it, so that those of which names and data tell little come after those that
// say what they are; text that none recognises is CSV.
var forms = []form{
	{name: "csv", also: []string{"tsv"}, extensions: []string{".csv", ".tsv", ".ecsv", ".txt", ".dat", ".tab", ".tbl", ".cat", ".asc", ".ascii"}, head: (*reader).readCSV, named: true},
	{name: "ecsv", sniff: isECSV, head: (*reader).readECSV},
	{name: "arff", extensions: []string{".arff"}, sniff: isARFF, head: (*reader).readARFF},
	{name: "cds", also: []string{"mrt"}, extensions: []string{".mrt"}, sniff: isCDS, head: (*reader).readCDS},
	{name: "latex", also: []string{"aastex"}, extensions: []string{".tex"}, sniff: isLaTeX, translate: latexCSV, head: (*reader).readLaTeX, named: true},
	{name: "ipac", sniff: isIPAC, head: (*reader).readIPAC},
	{name: "daophot", sniff: isDAOPHOT, head: (*reader).readDAOPHOT},
	{name: "sextractor", sniff: isSExtractor, head: (*reader).readSExtractor},
	{name: "vizier", sniff: isVizieR, head: (*reader).readVizieR},
	{name: "rdb", extensions: []string{".rdb"}, sniff: isRDB, head: (*reader).readRDB},
	{name: "fixed", sniff: isFixed, head: (*reader).readFixed},
	{name: "ascii", sniff: isBlanks, head: (*reader).readBlanks, named: true},
}

// Inputs read tables of text, each a form.
var Inputs = inputs()

func inputs() (all []format.Input) {
	for _, f := range forms {
		in := format.Input{Name: f.name, Also: f.also, Text: true, Named: f.named, Extensions: f.extensions, Open: f.open}
		if f.sniff != nil {
			in.Sniff = func(start *format.Start) bool { return start.IsText() && f.sniff(start) }
		}
		all = append(all, in)
	}
	return all
}

// open opens a file of the form.
func (f form) open(ctx context.Context, path string, opt format.Options) (format.Reader, error) {
	from := source{path: path}
	if f.translate != nil {
		if err := from.translated(f.translate); err != nil {
			return nil, err
		}
	}
	var s *reader
	err := parseHead(from, func(in *head) error {
		s = &reader{Head: format.Head{Name: f.name}, source: from, forced: opt.Forced, names: opt.Names}
		return f.head(s, in)
	})
	if err != nil {
		return nil, err
	}
	s.setSentinels(opt.Null)
	s.nameAll()
	if err := s.surveyData(ctx, opt.Threads); err != nil {
		return nil, err
	}
	s.noteSpoiled()
	if s.ended {
		s.notef("only the first of its tables is read; the others follow row %d", s.Count)
	}
	return s, nil
}

// surveyData surveys the rows. A row that may be units is left out at first, and
// the rows below it decide.
func (s *reader) surveyData(ctx context.Context, threads int) error {
	cells := withoutBrackets(s.units.cells)
	if len(cells) == 0 || len(cells) != len(s.Columns) || !mayBeUnits(cells) && !areTypes(cells) {
		return s.survey(ctx, threads)
	}
	at, line := s.dataAt, s.dataLine
	s.dataAt, s.dataLine = s.units.hi, s.units.line+s.units.lines
	err := s.survey(ctx, threads)
	if areTypes(cells) && slices.ContainsFunc(s.Columns, func(f format.Field) bool { return f.Type.IsNumber() }) {
		s.notef("line %d is taken for types, which are found from the values: %s", s.units.line, format.Clip(strings.Join(cells, ", ")))
		return err
	}
	if err != nil || areUnits(cells, s.columns, s.Count) {
		s.setUnits(cells)
		s.notef("line %d is taken for units: %s", s.units.line, format.Clip(strings.Join(cells, ", ")))
		s.layout.units = s.units.raw
		return err
	}
	s.dataAt, s.dataLine = at, line
	return s.survey(ctx, threads)
}
