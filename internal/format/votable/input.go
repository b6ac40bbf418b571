package votable

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"skyjoin/internal/format"
)

// input is the document. The XML decoder reads it byte by byte, so that it never
// holds bytes that it has not parsed.
type input struct {
	io.ByteReader
	left       int  // bytes that what is being read may still take, see begin
	attributes int  // what looks like attributes in what is being read
	last       byte // the last byte
}

// The most that an element, a tag or the text of a cell may take, the most attributes
// of a tag, each of which takes many times its text, and how deep elements may be in
// others.
const (
	maxToken      = format.MostRow / 2
	maxAttributes = 100_000
	maxDepth      = 1000
)

// begin says that another token begins.
func (in *input) begin() { in.left, in.attributes = maxToken, 0 }

// ReadByte implements io.ByteReader.
func (in *input) ReadByte() (byte, error) {
	if in.left--; in.left < 0 {
		return 0, fmt.Errorf("an element is longer than %d MiB", maxToken>>20)
	}
	c, err := in.ByteReader.ReadByte()
	if in.last == '=' && (c == '"' || c == '\'') {
		if in.attributes++; in.attributes > maxAttributes {
			return 0, fmt.Errorf("an element has more than %d attributes", maxAttributes)
		}
	}
	in.last = c
	return c, err
}

func (in *input) Read(p []byte) (int, error) {
	for i := range p {
		c, err := in.ReadByte()
		if err != nil {
			return i, err
		}
		if p[i] = c; c == '\n' {
			return i + 1, nil
		}
	}
	return len(p), nil
}

// charset switches to the encoding of the XML declaration.
func (in *input) charset(label string, _ io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "utf-8", "utf8", "us-ascii", "ascii":
	case "iso-8859-1", "latin-1", "latin1":
		in.ByteReader = &latin1{in: in.ByteReader}
	default:
		return nil, fmt.Errorf("the encoding %.40s is not read; write the document in UTF-8", label)
	}
	return in, nil
}

// latin1 turns ISO 8859-1 into UTF-8.
type latin1 struct {
	in    io.ByteReader
	after byte // second byte of the last character; 0 if there is none
}

func (l *latin1) ReadByte() (byte, error) {
	if c := l.after; c != 0 {
		l.after = 0
		return c, nil
	}
	c, err := l.in.ReadByte()
	if err == nil && c >= 0x80 {
		l.after = 0x80 | c&0x3f
		c = 0xc0 | c>>6
	}
	return c, err
}

// untilTag is the text up to the next tag, without white space.
type untilTag struct {
	in  *input
	end error
}

func (u *untilTag) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && u.end == nil {
		u.in.begin()
		c, err := u.in.ReadByte()
		switch {
		case err == io.EOF:
			u.end = errTruncated
		case err != nil:
			u.end = err
		case c == '<':
			u.end = io.EOF
		case c > ' ':
			p[n] = c
			n++
		}
	}
	if n == 0 {
		return 0, u.end
	}
	return n, nil
}

// unread is a byte that was read already, and then the document.
type unread struct {
	c    byte
	in   *input
	rest io.ByteReader
}

// ReadByte implements io.ByteReader.
func (u *unread) ReadByte() (byte, error) {
	u.in.ByteReader = u.rest
	return u.c, nil
}

var errTruncated = errors.New("the document ends early: it is truncated")
