package format

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"
)

var (
	// ErrRequest marks a request that cannot be right for the files.
	ErrRequest = errors.New("invalid request")

	// ErrAnywhere is a file that has to be read at any position, so that it cannot
	// be decompressed on the way.
	ErrAnywhere = errors.New("the file is compressed")

	// ErrChanged is a file that differs from what it was when it was opened.
	ErrChanged = errors.New("the file changed while it was read")
)

// Requestf is fmt.Errorf for errors that wrap ErrRequest, which stays out of
// the text: the message is for the person who made the request.
func Requestf(format string, args ...any) error { return Mark(fmt.Errorf(format, args...), ErrRequest) }

// Mark returns err, which is a sentinel besides.
func Mark(err, sentinel error) error { return &marked{err, sentinel} }

// marked is an error that is also a sentinel.
type marked struct {
	error
	mark error
}

// Unwrap returns the error and the sentinel.
func (m *marked) Unwrap() []error { return []error{m.error, m.mark} }

// Fenced turns a panic of f, whose input is trusted in places, into an error.
func Fenced(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return f()
}

// Clip shortens a text for a message of one line.
func Clip(s string) string {
	const limit = 60
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, s)
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// OpenRegular opens a file that can be read at any position, with errors that
// do not name it.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is no regular file; catalogs cannot be read from pipes or devices")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, Bare(err)
	}
	return f, nil
}

// Bare returns the cause of an error of package os, without the path.
func Bare(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
