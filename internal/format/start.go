package format

import (
	"bytes"
	"slices"
	"strings"
)

// StartBytes is how much of a file a Start has.
const StartBytes = 1 << 16

// A Start is the start of a file, by which formats recognise it.
type Start struct {
	Path  string
	Bytes []byte // all of the file, or StartBytes of it
	lines []string
	kind  int8 // 1: text, -1: not; 0: not known yet
}

// IsText reports whether nothing is there that no text has. Files without a byte
// are not.
func (s *Start) IsText() bool {
	if s.kind == 0 {
		s.kind = -1
		if len(s.Bytes) > 0 && !slices.ContainsFunc(bytes.TrimRight(s.Bytes, endOfFile), isControl) {
			s.kind = 1
		}
	}
	return s.kind > 0
}

// endOfFile is the Ctrl-Z with which texts of DOS may end.
const endOfFile = "\x1a"

// isControl reports whether a byte stands in no text.
func isControl(c byte) bool {
	return c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v'
}

// Lines returns the lines without their ends. The last is left out if it may go
// on.
func (s *Start) Lines() []string {
	if s.lines == nil {
		text := strings.TrimRight(strings.TrimPrefix(string(s.Bytes), ByteOrderMark), endOfFile)
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
		if s.lines = strings.Split(text, "\n"); len(s.Bytes) >= StartBytes && len(s.lines) > 1 {
			s.lines = s.lines[:len(s.lines)-1]
		}
	}
	return s.lines
}
