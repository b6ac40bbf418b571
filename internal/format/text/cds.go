package text

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// Tables of the CDS, and the machine-readable ones (MRT) of the AAS journals, are
// described byte by byte: in the file itself, before the data, or in a file ReadMe
// beside it. A description that starts with ? says that blanks, or ?=value, are null
// (Standards for Astronomical Catalogues, version 2.0, section 3).

// cdsStart is the line that a description starts with; what follows are the files
// that it describes. Older ones say byte-per-byte.
var cdsStart = regexp.MustCompile(`(?i)^\s*Byte-(?:by|per)-byte Description of file(?:\(s\)|s)?\s*:?\s*(.*)$`)

// cdsColumn is a line that describes a column: bytes, format, unit, label and
// explanation.
var cdsColumn = regexp.MustCompile(`^\s*(?:(\d+)\s*-\s*)?(\d+)\s+(\d*[AIFEDLX][\d.]*)\s+(\S+)\s+(\S+)(?:\s+(.*))?$`)

// cdsNull is the start of an explanation: the range of values, and what is null.
var cdsNull = regexp.MustCompile(`^([\[\]][^\[\]]*[\[\]])?\s*\?(?:=(\S+))?[,;*+-]*\s*`)

// isCDS recognises a description, in the file or beside it.
func isCDS(start *format.Start) bool {
	for _, line := range start.Lines() {
		if cdsStart.MatchString(line) {
			return true
		}
	}
	return readMe(start.Path) != ""
}

// readCDS reads up to the first row.
func (s *reader) readCDS(in *head) error {
	s.setNulls()
	s.dialect = bySpans(nil, 0)
	s.dialect.open, s.dialect.ends = true, []string{"Title:", "Byte-by-byte Description", "Byte-per-byte Description", "=========="}
	if slices.Contains(readMeNames, filepath.Base(s.path)) {
		return errors.New("it is the description of tables beside it: read one of those")
	}
	atTop := *in
	err := s.byteByByte(in, "")
	if err == io.EOF {
		if about := readMe(s.path); about != "" {
			err = parseHead(source{path: about}, func(description *head) error {
				s.Columns, s.rules, s.dialect.spans, s.Meta = nil, nil, nil, nil
				return s.byteByByte(description, baseName(s.path))
			})
			s.notef("described in %s", about)
			*in = atTop
			s.dataFrom(in)
		} else {
			err = errors.New("no Byte-by-byte Description is in the file, and no ReadMe with one of it is beside it")
		}
	} else if err == nil {
		s.dialect.taken = takenBy(s.dialect.spans)
		err = s.skipNotes(in)
	}
	s.dialect.taken = takenBy(s.dialect.spans)
	if err == nil && len(s.Columns) == 0 {
		err = errors.New("the Byte-by-byte Description has no column")
	}
	return err
}

// byteByByte reads the first description of a file, of any if name is "". It
// returns io.EOF if there is none.
func (s *reader) byteByByte(in *head, name string) error {
	for {
		line, err := in.next()
		if err != nil {
			return err
		}
		if m := cdsStart.FindStringSubmatch(line); m != nil && (name == "" || describes(m[1], name)) {
			break
		}
		if title, ok := strings.CutPrefix(line, "Title:"); ok && strings.TrimSpace(title) != "" {
			s.Meta = append(s.Meta, format.KeyValue{Key: "title", Value: strings.TrimSpace(title)})
		}
	}
	rules, labels := 0, maxRow // where in the line the labels start
	for rules < 3 {
		line, err := in.next()
		if err != nil {
			return noMore(err, "the end of its Byte-by-byte Description")
		}
		m := cdsColumn.FindStringSubmatch(line)
		switch {
		case isSection(line):
			rules++
		case rules < 2: // the heading of the columns
			if at := strings.Index(line, "Label"); at > 0 {
				labels = at
			}
		case m != nil && len(line)-len(strings.TrimLeft(line, " ")) < labels:
			if err := s.addCDS(m, in.line); err != nil {
				return err
			}
		default:
			if n := len(s.Columns); n > 0 && strings.HasPrefix(line, " ") {
				f := &s.Columns[n-1]
				f.Description = strings.TrimSpace(f.Description + " " + strings.TrimSpace(line))
			}
		}
	}
	return nil
}

// addCDS adds the column of a line of the description. Columns may share bytes, and be
// in any order.
func (s *reader) addCDS(m []string, line int) error {
	hi, err := strconv.Atoi(m[2])
	lo := hi
	if m[1] != "" && err == nil {
		lo, err = strconv.Atoi(m[1])
	}
	if err != nil || lo < 1 || hi < lo || hi > maxRow {
		return lineError(line, "bytes %s-%s of %s are no place in a line: they count from 1", m[1], m[2], m[5])
	}
	if s.namesLine == 0 {
		s.namesLine = line
	}
	f := format.Field{Name: m[5], Description: m[6]}
	if strings.Trim(m[4], "-") != "" {
		f.Unit = m[4]
	}
	r := rule{kind: kindOf(m[3])}
	if n := cdsNull.FindStringSubmatch(m[6]); n != nil {
		r.null = strings.Trim(n[2], `"'`)
		f.Description = m[6][len(n[0]):]
	}
	s.dialect.spans = append(s.dialect.spans, span{lo - 1, hi})
	s.Columns, s.rules = append(s.Columns, f), append(s.rules, r)
	return nil
}

// skipNotes goes from a description to the first row, which follows the last line of
// dashes or equals signs: over notes, descriptions of other files, the end of a ReadMe.
func (s *reader) skipNotes(in *head) error {
	s.dataFrom(in)
	for notes := true; notes; {
		at := *in
		line, err := "", error(nil)
		for err == nil && strings.TrimSpace(line) == "" {
			line, err = in.next()
		}
		if err == io.EOF {
			return nil
		}
		known := isNote.MatchString(line)
		if !known && err == nil && s.isNumericRow(line) {
			*in = at
			return nil
		}
		for err == nil && !isSection(line) {
			line, err = in.next()
		}
		switch {
		case err == nil:
			s.dataFrom(in)
		case err == io.EOF && known:
			return noMore(err, "the line of dashes after its notes")
		case known: // of which more is to be read
			return err
		default:
			notes = false
			*in = at
		}
	}
	return nil
}

// isNumericRow reports whether a line is a row of the description that has a number:
// then what follows another line of dashes is another table.
func (s *reader) isNumericRow(line string) bool {
	sc := scanner{dialect: s.dialect, buf: []byte(line)}
	if sc.next() != rowData {
		return false
	}
	numbers := 0
	for i, c := range sc.cells {
		b := sc.buf[c.lo:c.hi]
		if kind := s.rules[i].kind; kind != asInteger && kind != asFloat || len(b) == 0 || s.rules[i].isNull(b) {
			continue
		}
		if s.rules[i].classify(b)&classNumber == 0 {
			return false
		}
		numbers++
	}
	return numbers > 0
}

// isNote is the first line of what may stand between a description and the data.
var isNote = regexp.MustCompile(`(?i)^\s*(notes?\b|global notes|byte-(by|per)-byte|references?:|see also|acknowledge|history:|\(end\))`)

// isSection reports whether a line ends a section.
func isSection(line string) bool {
	line = strings.TrimRight(line, " ")
	return len(line) > 10 && (strings.Trim(line, "-") == "" || strings.Trim(line, "=") == "")
}

// readMe returns the file ReadMe beside a table that describes it, "" if there is
// none.
func readMe(table string) string {
	const most = 1 << 24 // bytes of it
	for _, name := range readMeNames {
		at := filepath.Join(filepath.Dir(table), name)
		info, err := os.Stat(at)
		if err != nil || !info.Mode().IsRegular() || info.Size() > most || filepath.Base(table) == name {
			continue
		}
		text, err := os.ReadFile(at)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if m := cdsStart.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil && describes(m[1], baseName(table)) {
				return at
			}
		}
	}
	return ""
}

var readMeNames = []string{"ReadMe", "README", "readme", "ReadMe.txt"}

// describes reports whether a description of the files is that of a file. Names may
// have wildcards, as in table?.dat; their case does not count.
func describes(files, name string) bool {
	for _, f := range strings.FieldsFunc(files, func(c rune) bool { return c == ' ' || c == ',' }) {
		if ok, err := path.Match(strings.ToLower(f), strings.ToLower(name)); ok && err == nil {
			return true
		}
	}
	return false
}

// baseName is the name of a file without the end that says that it is compressed.
func baseName(path string) string { return format.Uncompressed(filepath.Base(path)) }
