package text

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// ECSV is CSV after a header in comments that declares, in YAML, the delimiter and
// the type, unit and description of each column (Astropy Proposal for Enhancement
// 6).

// ecsvHeader reads the header of ECSV, and the dialect it declares: delimited by
// blanks if it says nothing. Cells that are empty, in quotes or not, are null.
func ecsvHeader(comments []string) (*ecsv.Header, *dialect, error) {
	h, err := ecsv.Parse(strings.Join(comments, "\n"))
	if err != nil {
		return nil, nil, fmt.Errorf("the header of ECSV: %w", err)
	}
	delim := cmp.Or(h.Delimiter, " ")
	if delim != " " && delim != "," {
		return nil, nil, fmt.Errorf("the header of ECSV has the delimiter %q, it must be a comma or a blank", delim)
	}
	return h, newDialect(delim[0], `"`, '#', false), nil
}

// fromJSON returns the text that JSON stands for: what a string of it says, nil of
// null, and other values as they are written.
func fromJSON(text []byte) []byte {
	switch {
	case bytes.Equal(text, []byte("null")):
		return nil
	case len(text) > 1 && text[0] == '"':
		var said string
		if json.Unmarshal(text, &said) == nil {
			return append([]byte{}, said...)
		}
	}
	return text
}

// toJSON appends JSON that stands for a text. Texts that are JSON of more than a
// word, as fromJSON leaves them, are.
func toJSON(dst []byte, text string) []byte {
	if text != "" && strings.IndexByte("[{", text[0]) >= 0 && json.Valid([]byte(text)) {
		return append(dst, text...)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil { // strings marshal
		return dst
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// declaredFields returns the fields that a header declares. The line of names must
// have the same names.
func declaredFields(h *ecsv.Header, line headerRow) (fields []format.Field, err error) {
	var declared []string
	for i, c := range h.Columns {
		fields, declared = append(fields, c.Field(i)), append(declared, c.Name)
	}
	if slices.Equal(declared, line.cells) {
		return fields, nil
	}
	if len(declared) == 0 {
		return nil, errors.New("the header of ECSV has no datatype list, which declares the columns")
	}
	names, promised := format.Clip(line.raw), format.Clip(strings.Join(declared, ","))
	if slices.ContainsFunc(line.cells, func(name string) bool { return slices.Contains(declared, name) }) {
		return nil, lineError(line.line, "the column line, %s, differs from the columns that the header declares: %s", names, promised)
	}
	return nil, lineError(line.line, "column line missing: %s stands where the header promises %s", names, promised)
}
