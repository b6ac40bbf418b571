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
	var s *reader
	err := parseHead(path, func(in *head) error {
		s = &reader{Head: format.Head{Name: f.name}, path: path, forced: opt.Forced, names: opt.Names}
		return f.head(s, in)
	})
	if err != nil {
		return nil, err
	}
	s.setSentinels(opt.Null)
	if !s.declared {
		if err := s.checkNames(); err != nil {
			return nil, err
		}
	}
	if err := s.surveyData(ctx, opt.Threads); err != nil {
		return nil, err
	}
	if s.ended {
		s.notef("only the first of its tables is read; the others follow row %d", s.Count)
	}
	return s, nil
}

// checkNames names columns without a name by their positions, and refuses names
// that are there twice.
func (s *reader) checkNames() error {
	taken := map[string]int{}
	for i := range s.Columns {
		f := &s.Columns[i]
		f.Name = format.ColumnName(f.Name, i)
		if first, ok := taken[f.Name]; ok {
			return lineError(s.namesLine, "columns %d and %d are both named %q", first+1, i+1, f.Name)
		}
		taken[f.Name] = i
	}
	return nil
}

// surveyData surveys the rows. A row that may be units is left out at first, and
// the rows below it decide.
func (s *reader) surveyData(ctx context.Context, threads int) error {
	cells := s.units.cells
	if len(cells) == 0 || len(cells) != len(s.Columns) || !mayBeUnits(cells) {
		return s.survey(ctx, threads)
	}
	at, line := s.dataAt, s.dataLine
	s.dataAt, s.dataLine = s.units.hi, s.units.line+s.units.lines
	err := s.survey(ctx, threads)
	if err != nil || areUnits(cells, s.columns) {
		s.setUnits(cells)
		s.layout.units = s.units.raw
		return err
	}
	s.dataAt, s.dataLine = at, line
	return s.survey(ctx, threads)
}

// setUnits sets the units of columns from the cells of a row; marks for no unit
// are none.
func (s *reader) setUnits(cells []string) {
	for i := range s.Columns {
		if i < len(cells) && !noUnit[cells[i]] {
			s.Columns[i].Unit = cells[i]
		}
	}
}

// setComments keeps comments as metadata.
func (s *reader) setComments(lines []string) {
	if len(lines) > 0 {
		s.Meta = append(s.Meta, format.KeyValue{Key: "comments", Value: strings.Join(lines, "\n")})
	}
}

// isComment reports whether a line is a comment or empty.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// withoutComments returns the lines that are neither comments nor empty.
func withoutComments(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), isComment)
}

// skipComments goes to the next line that is neither a comment nor empty, and
// returns it with the comments before it.
func (in *head) skipComments() (line string, comments []string, err error) {
	for {
		at := *in
		line, err := in.next()
		switch {
		case err != nil:
			return "", comments, err
		case !isComment(line):
			*in = at
			return line, comments, nil
		case strings.TrimSpace(line) != "":
			comments = append(comments, line)
		}
	}
}

// cells divides a line into the texts of its cells.
func (d *dialect) cells(line string) (texts []string) {
	sc := scanner{dialect: d, buf: []byte(line)}
	if len(line) > 0 && sc.anyRow() == rowData {
		for _, c := range sc.cells {
			texts = append(texts, sc.text(c))
		}
	}
	return texts
}

// dataFrom says that the rows start at the next line.
func (s *reader) dataFrom(in *head) { s.dataAt, s.dataLine = int64(in.pos), in.line+1 }
