package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"skyjoin/internal/format"
)

// A head is the start of a text file, from which lines and rows are read.
type head struct {
	buf  []byte
	all  bool // buf is the whole file
	pos  int  // bytes of buf that have been read
	line int  // lines before pos
}

// errMore says that the head ends too early.
var errMore = errors.New("more of the file is needed")

// parseHead calls parse with the start of a text file, and again with a longer
// one each time parse returns errMore.
func parseHead(from source, parse func(*head) error) error {
	r, err := from.open(0)
	if err != nil {
		return err
	}
	defer r.Close()
	var buf []byte
	for size := 1 << 16; size <= maxRow; size *= 4 {
		have := len(buf)
		buf = append(make([]byte, 0, size), buf...)
		n, end := readFull(r, buf[have:size])
		if end != nil && end != io.EOF {
			return end
		}
		buf = buf[:have+n]
		h := &head{buf: buf, all: end == io.EOF}
		if strings.HasPrefix(string(buf[:min(len(buf), len(format.ByteOrderMark))]), format.ByteOrderMark) {
			h.pos = len(format.ByteOrderMark)
		}
		if err := parse(h); err != errMore {
			return err
		}
	}
	return errRowTooLong
}

// next returns the next line without its end, io.EOF after the last one.
func (h *head) next() (string, error) {
	rest := h.buf[h.pos:]
	n := bytes.IndexAny(rest, "\r\n")
	switch {
	case !h.all && (n < 0 || n == len(rest)-1): // of a CR the LF may follow
		return "", errMore
	case len(rest) == 0:
		return "", io.EOF
	case n < 0:
		n = len(rest)
	}
	h.pos += n + len(lineEnd(rest[n:]))
	h.line++
	return string(rest[:n]), nil
}

// lineEnd returns the line end at the start of b.
func lineEnd(b []byte) string {
	if bytes.HasPrefix(b, []byte("\r\n")) {
		return "\r\n"
	}
	return string(b[:min(1, len(b))])
}

// A headerRow is a row of the head.
type headerRow struct {
	raw, end string // without its line end; that
	cells    []string
	quoted   []bool // whether a cell is in quotes
	line     int    // its first, from 1
	lines    int    // how many it has
	lo, hi   int64  // byte offsets, with the line end
}

// maxHeaderRow is the most bytes of a row of the header.
const maxHeaderRow = 1 << 20

// row reads the row that starts at the next line, which must not be empty; io.EOF
// if only rules are there.
func (h *head) row(d *dialect) (headerRow, error) {
	s := scanner{dialect: d, buf: h.buf[h.pos:]}
	kind := s.next()
	r := headerRow{line: h.line + 1, lo: int64(h.pos), hi: int64(h.pos + s.pos)}
	if kind == rowData { // rules may stand before it
		r.line, r.lo = r.line+s.first, r.lo+int64(s.lo)
	}
	raw := bytes.TrimRight(s.buf[s.lo:s.pos], "\r\n")
	switch {
	case kind == rowGarbage:
		line, _, _ := bytes.Cut(s.buf, []byte("\n"))
		return r, lineError(r.line, "text follows a closing quote in %s", format.Clip(string(bytes.TrimSpace(line))))
	case !h.all && (kind == rowData && s.pos == len(s.buf) || kind == rowUnclosed && len(s.buf) <= maxHeaderRow):
		return r, errMore
	case kind == rowNone && !h.all:
		return r, errMore
	case kind == rowNone:
		return r, io.EOF
	case kind != rowData:
		line, _ := h.next()
		return r, lineError(r.line, "a quote is never closed in %s", format.Clip(line))
	}
	if err := format.FewColumns(len(s.cells)); err != nil {
		return r, lineError(r.line, "%w", err)
	}
	r.raw, r.end, r.lines = string(raw), lineEnd(s.buf[s.lo+len(raw):s.pos]), s.line-s.first
	for _, c := range s.cells {
		r.cells, r.quoted = append(r.cells, s.text(c)), append(r.quoted, c.quoted)
	}
	h.pos, h.line = h.pos+s.pos, h.line+s.line
	return r, nil
}

// lineError places an error in a file: "line 17: …".
func lineError(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...))
}
